import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  noTerms,
  type TermName,
  type Terms,
  termNames,
  type UnitName,
  type Units,
  unitNames,
} from '../../src/lib/units.ts';
import { usageBuckets } from '../../src/lib/usage-buckets.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { spellings } from '../../src/pricing/model-names.ts';
import { usualOrLong } from '../support/effort.ts';
import { modelCost } from './list-price-model.ts';
import { type Listed, listModels, supplementsOf } from './listed-models.ts';
import { callOf, findEntry, openInstalledBook, usageOf } from './support.ts';

const book = openInstalledBook();

/** Names that only supplements price. */
const unlisted: Listed[] = [
  { provider: 'openai', model: 'tts-1', entry: null },
  { provider: 'openai', model: 'dall-e-3', entry: null },
  { provider: 'openai', model: 'sora-2', entry: null },
  { provider: 'cohere', model: 'rerank-v3.5', entry: null },
  { provider: 'google', model: 'veo-3.0-generate-001', entry: null },
].filter(({ provider, model }) => findEntry(book.catalogue, provider, model) === 'unknown_model');

const models = [...listModels(), ...unlisted];

/** Values of a term that the provider's prices name, also in capitals, and one that none names. */
function someTerms(provider: string): fc.Arbitrary<Terms> {
  const values = (name: TermName) => {
    const named = supplementsOf(provider).flatMap(({ when }) => when?.[name] ?? []);
    return fc.constantFrom(
      ...new Set(named),
      ...named.slice(0, 2).map((value) => value.toUpperCase()),
      '1h',
      'unheard-of',
    );
  };
  const record = Object.fromEntries(termNames.map((name) => [name, values(name)]));
  return fc.oneof(
    fc.constant(noTerms),
    fc.constantFrom(...termNames).chain((name) => fc.record({ [name]: values(name) })),
    fc.record(record, { requiredKeys: [] }),
  );
}

function someUnits(provider: string): fc.Arbitrary<Units> {
  const priced = supplementsOf(provider).flatMap(({ units = {} }) => Object.keys(units) as UnitName[]);
  const count = fc.oneof(
    fc.bigInt(1n, 50n).map((whole) => whole * 10n ** 12n),
    fc.bigInt(1n, 10n ** 16n),
  );
  const names = fc.uniqueArray(fc.constantFrom(...new Set(priced), ...unitNames), { maxLength: 3 });
  return fc.oneof(
    fc.constant({}),
    names.chain((some) => fc.record(Object.fromEntries(some.map((unit) => [unit, count])))),
  );
}

const tokens = fc.oneof(fc.constant(0), fc.nat({ max: 2_000 }), fc.nat({ max: 2_000_000_000 }));
const someUsage = fc.option(
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...usageBuckets), tokens), { maxLength: 5, selector: ([bucket]) => bucket })
    .map((counts) => usageOf(Object.fromEntries(counts))),
);

const someCall = fc.constantFrom(...models).chain((listed) =>
  fc.record({
    listed: fc.constant(listed),
    terms: someTerms(listed.provider),
    units: someUnits(listed.provider),
    usage: someUsage,
    time: fc.date({ min: new Date('2025-01-01'), max: new Date('2026-12-01'), noInvalidDate: true }).map(Number),
  }),
);

describe('list prices of tokens, units and terms (D26)', () => {
  it('are those of an independent calculation from the price data, or the call says what has no price', () => {
    let partly = 0;
    let changed = 0;
    fc.assert(
      fc.property(someCall, ({ listed: { provider, model, entry }, ...used }) => {
        const result = calcCost(callOf({ provider, model, ...used }), book);
        const names = [...spellings(provider, model.toLowerCase())];
        const expected = modelCost({ entry, provider, names, supplements: supplementsOf(provider), ...used });
        expect(result.source === 'unpriced' ? null : { cost: result.cost, partlyPriced: result.partlyPriced }).toEqual(
          expected,
        );
        expect(result.cost).toBe(result.lines.reduce((sum, { amount }) => sum + amount, 0n));
        partly += Number(result.partlyPriced.length > 0);
        changed += Number(result.lines.some((line) => 'terms' in line));
      }),
      { numRuns: usualOrLong(1_000, 5_000) },
    );
    // The calls are worth their time only if they reach what they are about.
    expect(Math.min(partly, changed)).toBeGreaterThan(usualOrLong(3, 20));
  });

  it('account for every term and unit of a call: none is without a line, a changed rate or a name', () => {
    fc.assert(
      fc.property(someCall, ({ listed: { provider, model }, ...used }) => {
        const result = calcCost(callOf({ provider, model, ...used }), book);
        if (result.source === 'unpriced' || result.source === 'none') return;
        const billed = result.lines.flatMap((line) => ('unit' in line ? [line.unit] : []));
        const named = unitNames.filter((unit) => used.units[unit] !== undefined);
        expect(new Set(named.filter((unit) => !billed.includes(unit)))).toEqual(
          new Set(unitNames.filter((unit) => result.partlyPriced.includes(unit))),
        );
      }),
      { numRuns: 500 },
    );
  });
});
