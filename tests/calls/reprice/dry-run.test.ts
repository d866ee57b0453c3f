import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ComparisonSums } from '../../../src/calls/rebuild/comparison.ts';
import { addDryRun } from '../../../src/calls/rebuild/dry-run.ts';
import { dayOf } from '../../../src/lib/days.ts';
import { dollar } from '../../../src/lib/money.ts';
import { isAssumedPart } from '../../../src/pricing/assumed-rates.ts';
import type { BookInForce } from '../../../src/pricing/books/price-books.ts';
import { openCatalogue } from '../../../src/pricing/catalogue.ts';
import { type CallCost, type CostedCall, calcCost } from '../../../src/pricing/cost.ts';
import { type OpenedBook, openBook } from '../../../src/pricing/price-book.ts';
import { type Assumption, assumePrices, calcAssumedCost } from '../../../src/pricing/what-if/assumed-prices.ts';
import { callOf, overrideOf, usageOf } from '../../pricing/support.ts';
import { usualOrLong } from '../../support/effort.ts';
import { type EngineStore, startEngineStore } from '../../support/stores.ts';
import { book, calls, override } from './priced-world.ts';
import { customerOf, generations, span, storeCalls } from './stored-calls.ts';

let engine: EngineStore;
beforeAll(async () => {
  engine = await startEngineStore();
});
afterAll(async () => await engine.close());

/** What a report says, from each call by itself. */
function expected(
  all: readonly CostedCall[],
  before: readonly CallCost[],
  after: readonly { cost: CallCost; isUnchanged: boolean }[],
) {
  const sums = new ComparisonSums();
  for (const [index, call] of all.entries()) {
    const [old, priced] = [before[index]?.cost ?? 0n, after[index]];
    if (priced === undefined) throw new Error('no cost');
    const { cost, isUnchanged } = priced;
    sums.addDay(call.day, call.model, old, cost.cost);
    sums.addCustomer(customerOf(index), old, cost.cost);
    const reason = cost.source === 'reported' ? 'reported_cost' : 'no_price';
    if (isUnchanged) sums.addUnchanged({ model: call.model, reason, calls: 1, cost: cost.cost });
    const kinds = isUnchanged ? [] : cost.partlyPriced.filter(isAssumedPart);
    if (kinds.length > 0) sums.addWidened({ model: call.model, kinds, calls: 1 });
  }
  return sums;
}

const assumption = fc.record({
  models: fc
    .subarray(['m1', 'm2', 'free', 'unknown'])
    .chain((from) => fc.tuple(fc.constant(from), fc.constantFrom('m1', 'm3', 'm4', 'free')))
    .map(([from, to]) => new Map(from.flatMap((model) => (model === to ? [] : [[model, to] as const])))),
  overrides: fc.array(
    override.map(({ id: _, createdAt: __, ...rest }) => rest),
    { maxLength: 2 },
  ),
  cachedShare: fc.option(fc.constantFrom('0', '1', '0.5', '0.333333')),
  serviceTier: fc.option(fc.constantFrom('batch', 'flex')),
}) satisfies fc.Arbitrary<Assumption>;

const timezone = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns');

async function expectTheSame(
  made: readonly CostedCall[],
  old: OpenedBook,
  opened: OpenedBook,
  zone: string,
  assuming: Assumption | null,
): Promise<void> {
  const all = made.map((call) => ({ ...call, day: dayOf(zone, call.time) }));
  const { projectId, costs } = await storeCalls(engine.store, made, old);
  const assumed = assuming === null ? undefined : assumePrices(assuming, opened);
  const inForce: BookInForce = { id: 'new', activatedAt: 0, timezone: zone, opened };
  const sums = new ComparisonSums();
  await addDryRun(engine.store, sums, { projectId, span, generations, pricing: { book: inForce, assumed } });
  const after = all.map((call) =>
    assumed === undefined ? { cost: calcCost(call, opened), isUnchanged: false } : calcAssumedCost(call, assumed),
  );
  const rest = { keptFrom: undefined, earned: undefined, hasAssumption: true };
  expect(sums.finish(rest)).toEqual(expected(made, costs, after).finish(rest));
}

test('D5.5: a dry run over groups of calls gives, to the last digit, what pricing each call gives', {
  timeout: 600_000,
}, async () => {
  await fc.assert(fc.asyncProperty(calls, book, book, timezone, fc.option(assumption), expectTheSame), {
    numRuns: usualOrLong(2, 400),
    unbiased: true,
    endOnFailure: true,
  });
});

test('D5.5: alike calls of a customer add up in a dry run with their tokens, units and requests', async () => {
  const time = Date.parse('2026-03-01T12:00:00Z');
  const made = Array.from({ length: 12 }, (_, at) =>
    callOf({
      ...{ provider: 'p1', model: 'm1', time, day: '2026-03-01', requests: 1 + (at % 2) },
      usage: usageOf({ input: 10 + at, output: at }),
      units: { web_searches: BigInt(1 + at) * dollar, audio_seconds: (BigInt(1 + at) * dollar) / 8n },
    }),
  );
  const units = { web_searches: '0.01', audio_seconds: '0.0001' };
  const priced = overrideOf({ model: 'm1', inputPerMtok: '2.5', outputPerMtok: '10', perRequest: '0.003', units });
  const [old, opened] = [[], [priced]].map((overrides) =>
    openBook({ overrides }, openCatalogue(JSON.stringify({ version: '1', providers: [] }), '[]')),
  );
  if (old && opened) await expectTheSame(made, old, opened, 'UTC', null);
});

test('the costs of the random calls are of every source', () => {
  const sources = new Set(
    fc
      .sample(fc.tuple(calls, book), { numRuns: 100, seed: 1 })
      .flatMap(([all, of]) => all.map((call) => calcCost(call, of).source)),
  );
  expect(sources).toEqual(new Set(['reported', 'override', 'catalogue', 'gateway_cache', 'none', 'unpriced']));
});
