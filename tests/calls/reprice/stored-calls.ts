// Calls in a store, as assembly writes them.
import { randomUUID } from 'node:crypto';
import { callColumns } from '../../../src/calls/costing/call-columns.ts';
import type { CallRow } from '../../../src/calls/costing/cost-calls.ts';
import { type CallCost, type CostedCall, calcCost } from '../../../src/pricing/cost.ts';
import type { OpenedBook } from '../../../src/pricing/price-book.ts';
import type { AnalyticStore } from '../../../src/storage/analytic/analytic-store.ts';

const customers = ['acme', '', 'Ü'];
export const customerOf = (index: number): string => customers[index % 3] ?? '';

/** The days of the calls, all in generation 0. */
export const span = { dateFrom: '2026-02-28', dateTo: '2026-03-05' };
export const generations = {
  timezone: 'UTC',
  base: 0,
  byDay: new Map(),
  frozenBefore: undefined,
  seals: new Map(),
  openDays: [],
};

export function toRow(
  call: CostedCall,
  cost: CallCost,
  key: Pick<CallRow, 'projectId' | 'generation' | 'eventId' | 'version'>,
  customer: string,
): CallRow {
  return {
    ...key,
    day: call.day,
    ordinal: 0,
    isInForce: true,
    isClosed: false,
    runsOf: undefined,
    call: {
      timeMs: call.time,
      firstReceivedAtMs: call.time,
      dimensions: { customer, user: '', feature: '', model: call.model, provider: call.provider },
      run: '',
      tags: {},
      failed: false,
      aborted: false,
      elapsedMs: null,
      alike: '',
      costed: call,
      cost,
      priceBookId: 'old',
    },
  };
}

/** Stores calls as assembly does, priced by another book. */
export async function storeCalls(store: AnalyticStore, all: readonly CostedCall[], by: OpenedBook) {
  const projectId = randomUUID();
  const costs = all.map((call) => calcCost(call, by));
  const ids = all.map(() => randomUUID());
  const rows = all.flatMap((call, index) => {
    const [cost, eventId] = [costs[index], ids[index]];
    if (cost === undefined || eventId === undefined) return [];
    return [toRow(call, cost, { projectId, generation: 0, eventId, version: 1 }, customerOf(index))];
  });
  await store.insertRows('calls', callColumns, rows);
  return { projectId, costs, ids };
}
