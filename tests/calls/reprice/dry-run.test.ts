import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ReportSums } from '../../../src/calls/rebuild/report.ts';
import { addDryRun } from '../../../src/calls/reprice/dry-run.ts';
import { dayOf } from '../../../src/lib/days.ts';
import { isAssumedPart } from '../../../src/pricing/assumed-rates.ts';
import { type CallCost, type CostedCall, calcCost } from '../../../src/pricing/cost.ts';
import type { BookInForce } from '../../../src/pricing/price-books.ts';
import { type Assumption, assumePrices, calcAssumedCost } from '../../../src/pricing/what-if/assumed-prices.ts';
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
  const sums = new ReportSums();
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

test('D5.5: a dry run over groups of calls gives, to the last digit, what pricing each call gives', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(calls, book, book, timezone, fc.option(assumption), async (made, old, opened, zone, assuming) => {
      const all = made.map((call) => ({ ...call, day: dayOf(zone, call.time) }));
      const { projectId, costs } = await storeCalls(engine.store, made, old);
      const assumed = assuming === null ? undefined : assumePrices(assuming, opened);
      const inForce: BookInForce = { id: 'new', activatedAt: 0, timezone: zone, opened };
      const sums = new ReportSums();
      await addDryRun(engine.store, sums, { projectId, span, generations, pricing: { book: inForce, assumed } });
      const after = all.map((call) =>
        assumed === undefined ? { cost: calcCost(call, opened), isUnchanged: false } : calcAssumedCost(call, assumed),
      );
      const rest = { keptFrom: undefined, earned: undefined, hasAssumption: true };
      expect(sums.finish(rest)).toEqual(expected(made, costs, after).finish(rest));
    }),
    { numRuns: usualOrLong(4, 400), unbiased: true, endOnFailure: true },
  );
});

test('the costs of the random calls are of every source', () => {
  const sources = new Set(
    fc
      .sample(fc.tuple(calls, book), { numRuns: 100, seed: 1 })
      .flatMap(([all, of]) => all.map((call) => calcCost(call, of).source)),
  );
  expect(sources).toEqual(new Set(['reported', 'override', 'catalogue', 'gateway_cache', 'none', 'unpriced']));
});
