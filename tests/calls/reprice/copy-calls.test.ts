import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callColumns } from '../../../src/calls/costing/call-columns.ts';
import { copyCalls, partsOfDay } from '../../../src/calls/reprice/copy-calls.ts';
import { dayOf } from '../../../src/lib/days.ts';
import { formatMoney } from '../../../src/lib/money.ts';
import { type CostedCall, calcCost } from '../../../src/pricing/cost.ts';
import type { OpenedBook } from '../../../src/pricing/price-book.ts';
import { usualOrLong } from '../../support/effort.ts';
import { type EngineStore, startEngineStore } from '../../support/stores.ts';
import { book, calls } from './priced-world.ts';
import { customerOf, generations, storeCalls, toRow } from './stored-calls.ts';

let engine: EngineStore;
beforeAll(async () => {
  engine = await startEngineStore();
});
afterAll(async () => await engine.close());

/** The days of the calls. */
const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'];

const timezone = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns');
const copied = ['event_id', 'customer', 'model', 'provider', 'cost', 'cost_source', 'unpriced_reason', 'partly_priced'];

/** Copies all days into generation 1. The first is copied in parts, of which one is copied again, as after a kill. */
async function copyAll(projectId: string, opened: OpenedBook, zone: string): Promise<void> {
  const pricing = { book: { id: 'new', activatedAt: 0, timezone: zone, opened }, assumed: undefined };
  const copy = async (day: string, from: number, to: number) =>
    await copyCalls(engine.store, { projectId, day, parts: { from, to }, generations, generation: 1, pricing });
  const [first = '', ...others] = days;
  await copy(first, 0, 100);
  await copy(first, 0, 100);
  await copy(first, 100, partsOfDay);
  await Promise.all(others.map((day) => copy(day, 0, partsOfDay)));
}

const readCopies = async (projectId: string) =>
  await engine.store.select<Record<string, unknown>>(
    `SELECT ${copied.join(', ')}, price_book, toUInt32(version) AS version FROM calls FINAL
      WHERE project = {project:String} AND generation = 1 ORDER BY event_id`,
    { project: projectId },
  );

function expected(call: CostedCall, opened: OpenedBook, eventId: string, customer: string, version: number) {
  const cost = calcCost(call, opened);
  return {
    ...{
      event_id: eventId,
      customer,
      model: call.model,
      provider: cost.provider,
      cost: shorten(formatMoney(cost.cost)),
    },
    ...{ cost_source: cost.source, unpriced_reason: cost.unpricedReason ?? '', partly_priced: cost.partlyPriced },
    ...{ price_book: 'new', version },
  };
}

/** As the store writes decimals. */
const shorten = (amount: string): string => amount.replace(/\.?0+$/, '');

test('D5.5: copied calls have, to the last digit and word, the costs of each call; what assembly wrote since stays', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(calls, book, book, timezone, async (all, old, opened, zone) => {
      const { projectId, ids } = await storeCalls(engine.store, all, old);
      // The first call has got other usage since the reprice began: assembly has written it to both generations.
      const [first, id = ''] = [all[0], ids[0]];
      if (first === undefined) return;
      const touched = { ...first, usage: null };
      const key = { projectId, eventId: id, version: 2 };
      const inBook = { ...touched, day: dayOf(zone, touched.time) };
      await engine.store.insertRows('calls', callColumns, [
        toRow(touched, calcCost(touched, old), { ...key, generation: 0 }, customerOf(0)),
      ]);
      const row = toRow(touched, calcCost(inBook, opened), { ...key, generation: 1 }, customerOf(0));
      await engine.store.insertRows('calls', callColumns, [
        { ...row, call: row.call && { ...row.call, priceBookId: 'new' } },
      ]);
      await copyAll(projectId, opened, zone);
      const wanted = all.map((call, index) => {
        const priced = index === 0 ? inBook : { ...call, day: dayOf(zone, call.time) };
        return expected(priced, opened, ids[index] ?? '', customerOf(index), index === 0 ? 2 : 1);
      });
      const byId = (rows: readonly { event_id?: unknown }[]) =>
        rows.toSorted((a, b) => (String(a.event_id) < String(b.event_id) ? -1 : 1));
      expect(byId(await readCopies(projectId))).toEqual(byId(wanted));
    }),
    { numRuns: usualOrLong(2, 200), unbiased: true, endOnFailure: true },
  );
});
