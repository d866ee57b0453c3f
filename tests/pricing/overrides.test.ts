import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMoney } from '../../src/lib/money.ts';
import type { Terms } from '../../src/lib/units.ts';
import { usageBuckets } from '../../src/lib/usage-buckets.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import {
  type OverrideSubject,
  type PriceOverride,
  readOverrideRates,
  resolveOverride,
} from '../../src/pricing/overrides.ts';
import { openBook } from '../../src/pricing/price-book.ts';
import { usualOrLong } from '../support/effort.ts';
import { callOf, openInstalledBook, openInstalledCatalogue, overrideOf, usageOf } from './support.ts';

const day = fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04');
const provider = fc.constantFrom('openai', 'OpenAI', 'azure', '');
const tier = fc.constantFrom('batch', 'flex');

const someOverride: fc.Arbitrary<PriceOverride> = fc
  .record({
    provider: fc.constantFrom(null, 'openai', 'OPENAI', 'azure'),
    model: fc.constantFrom('*', 'g*', 'gpt-4*', 'gpt-4o*', 'gpt-4o', 'gpt-4o-mini', 'gpt-4o-mini*'),
    terms: fc.constantFrom<Terms>(
      {},
      { service_tier: 'batch' },
      { service_tier: 'flex' },
      { service_tier: 'batch', geo: 'us' },
    ),
    effectiveFrom: fc.option(day),
    effectiveTo: fc.option(day),
    createdAt: fc.nat({ max: 3 }),
  })
  .map((fields) => overrideOf(fields));

const someOverrides = fc
  .array(someOverride, { maxLength: 12 })
  .map((overrides) =>
    overrides.map((override, index) => ({ ...override, id: `prc_${String(index).padStart(2, '0')}` })),
  );

const subject: fc.Arbitrary<OverrideSubject> = fc.record({
  provider,
  model: fc.constantFrom('gpt-4o', 'gpt-4o-mini', 'gpt-4', 'g', 'claude', ''),
  terms: fc.record({ service_tier: tier, geo: fc.constantFrom('us', 'eu') }, { requiredKeys: [] }),
  day,
});

/** D5.3 word by word: of those that apply, strike out all that another beats, criterion by criterion. */
function resolveByElimination(overrides: readonly PriceOverride[], call: OverrideSubject): PriceOverride | null {
  const applies = (override: PriceOverride) => {
    const isPrefix = override.model.slice(-1) === '*';
    const isModel = isPrefix ? call.model.indexOf(override.model.slice(0, -1)) === 0 : call.model === override.model;
    const isProvider = override.provider === null || override.provider.toUpperCase() === call.provider.toUpperCase();
    const { service_tier: tier, geo } = override.terms;
    const isTier =
      (tier ?? call.terms.service_tier) === call.terms.service_tier && (geo ?? call.terms.geo) === call.terms.geo;
    const isBegun = override.effectiveFrom === null || Date.parse(override.effectiveFrom) <= Date.parse(call.day);
    const isNotOver = override.effectiveTo === null || Date.parse(override.effectiveTo) >= Date.parse(call.day);
    return isModel && isProvider && isTier && isBegun && isNotOver;
  };
  const criteria: ((override: PriceOverride) => number)[] = [
    (override) => (override.model.includes('*') ? 0 : 1),
    (override) => override.model.length,
    (override) => (override.provider === null ? 0 : 1),
    (override) => Object.keys(override.terms).length,
    (override) => override.createdAt,
    (override) => Number(override.id.slice('prc_'.length)),
  ];
  let left = overrides.filter(applies);
  for (const criterion of criteria) {
    const best = Math.max(...left.map(criterion));
    left = left.filter((override) => criterion(override) === best);
  }
  return left[0] ?? null;
}

describe('which override prices a call (D5.3)', () => {
  it('is the most specific one that is valid, whatever the order of the overrides', () => {
    fc.assert(
      fc.property(
        someOverrides.chain((overrides) =>
          fc.tuple(fc.constant(overrides), fc.shuffledSubarray(overrides, { minLength: overrides.length })),
        ),
        subject,
        ([overrides, shuffled], call) => {
          const expected = resolveByElimination(overrides, call);
          expect(resolveOverride(shuffled, call)).toEqual(expected);
        },
      ),
      { numRuns: usualOrLong(800, 3000) },
    );
  });

  it('is the same in an opened book', () => {
    const catalogue = openInstalledCatalogue();
    fc.assert(
      fc.property(someOverrides, fc.array(subject, { minLength: 1, maxLength: 6 }), (overrides, calls) => {
        const opened = openBook({ overrides }, catalogue);
        for (const call of calls) {
          const price = opened.resolvePrice({ ...call, time: 0, inputTokens: 0 });
          const id =
            typeof price === 'object' && price.source.kind === 'override' ? price.source.overrideId : undefined;
          expect(id).toBe(resolveByElimination(overrides, call)?.id);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is told apart in an opened book for every split of the same letters', () => {
    const opened = openBook({ overrides: [overrideOf({ provider: 'ab', model: 'c*' })] }, openInstalledCatalogue());
    const priceOf = (subject: Pick<OverrideSubject, 'provider' | 'model' | 'terms'>) =>
      typeof opened.resolvePrice({ ...subject, day: '2026-11-04', time: 0, inputTokens: 0 });
    expect(priceOf({ provider: 'a', model: 'bc', terms: {} })).toBe('string');
    expect(priceOf({ provider: 'ab', model: 'c', terms: {} })).toBe('object');
    expect(priceOf({ provider: 'ab', model: 'cd', terms: {} })).toBe('object');
    expect(priceOf({ provider: 'a', model: 'b', terms: { service_tier: 'cd' } })).toBe('string');
  });

  const cases: [name: string, winner: Partial<PriceOverride>, loser: Partial<PriceOverride>][] = [
    [
      'an exact model before a prefix with everything else',
      { model: 'gpt-4o' },
      { model: 'gpt-4o*', provider: 'openai', terms: { service_tier: 'batch' }, createdAt: 9 },
    ],
    [
      'a longer prefix before a shorter with everything else',
      { model: 'gpt-4*' },
      { model: 'gpt-*', provider: 'openai', terms: { service_tier: 'batch' }, createdAt: 9 },
    ],
    [
      'one with a provider before one with a service tier',
      { provider: 'OpenAI' },
      { terms: { service_tier: 'batch' }, createdAt: 9 },
    ],
    ['one with a service tier before a newer one', { terms: { service_tier: 'batch' } }, { createdAt: 9 }],
    ['the newest', { createdAt: 2 }, { createdAt: 1 }],
  ];
  for (const [name, winner, loser] of cases) {
    it(`is ${name}`, () => {
      const call = { provider: 'openai', model: 'gpt-4o', terms: { service_tier: 'batch' }, day: '2026-01-02' };
      const better = overrideOf({ model: 'gpt-4o', id: 'prc_better', ...winner });
      const worse = overrideOf({ model: 'gpt-4o', id: 'prc_worse', ...loser });
      expect(resolveOverride([worse, better], call)?.id).toBe('prc_better');
      expect(resolveOverride([better, worse], call)?.id).toBe('prc_better');
    });
  }

  it('is one whose first and last day both count', () => {
    const override = overrideOf({ effectiveFrom: '2026-01-02', effectiveTo: '2026-01-03' });
    const on = (callDay: string) => resolveOverride([override], { ...callOf(), day: callDay })?.id;
    expect([on('2026-01-01'), on('2026-01-02'), on('2026-01-03'), on('2026-01-04')]).toEqual([
      undefined,
      'prc_1',
      'prc_1',
      undefined,
    ]);
  });
});

describe("an override's rates (D5.3)", () => {
  it('are its own input and output rates where unset, never the catalogue’s', () => {
    const { perMtok, perRequest } = readOverrideRates(overrideOf({ inputPerMtok: '3', outputPerMtok: '4' }));
    expect(perRequest).toBeNull();
    expect(usageBuckets.map((bucket) => [bucket, perMtok[bucket]?.text])).toEqual([
      ['input', '3'],
      ['cacheRead', '3'],
      ['cacheWrite', '3'],
      ['cacheWrite1h', '3'],
      ['inputAudio', '3'],
      ['cacheReadAudio', '3'],
      ['inputImage', '3'],
      ['cacheReadImage', '3'],
      ['inputVideo', '3'],
      ['output', '4'],
      ['reasoning', '4'],
      ['outputAudio', '4'],
      ['outputImage', '4'],
      ['outputVideo', '4'],
    ]);
  });

  it('price every bucket by its own rate, exactly', () => {
    const override = overrideOf({
      inputPerMtok: '1.000001',
      outputPerMtok: '2',
      cacheReadPerMtok: '0.1',
      cacheWritePerMtok: '1.25',
      inputAudioPerMtok: '40',
      outputAudioPerMtok: '80',
      reasoningPerMtok: '3',
      perRequest: '0.005',
    });
    const usage = usageOf({
      input: 1,
      cacheRead: 10,
      cacheWrite: 100,
      cacheWrite1h: 1000,
      inputAudio: 10_000,
      cacheReadAudio: 100_000,
      output: 7,
      reasoning: 70,
      outputAudio: 700,
    });
    const result = calcCost(callOf({ usage }), openInstalledBook([override]));
    expect(result.lines.map((line) => ['bucket' in line && line.bucket, formatMoney(line.amount)])).toEqual([
      ['input', '0.000001000001'],
      ['cacheRead', '0.000001000000'],
      ['cacheWrite', '0.000125000000'],
      ['cacheWrite1h', '0.001250000000'],
      ['inputAudio', '0.400000000000'],
      ['cacheReadAudio', '0.010000000000'],
      ['output', '0.000014000000'],
      ['reasoning', '0.000210000000'],
      ['outputAudio', '0.056000000000'],
      ['request', '0.005000000000'],
    ]);
    expect(formatMoney(result.cost)).toBe('0.472601000001');
    expect(result.lines.every(({ source }) => source.kind === 'override' && source.overrideId === 'prc_1')).toBe(true);
  });
});
