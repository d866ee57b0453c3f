import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunksOf } from '../../lib/chunks.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { callColumns } from '../costing/call-columns.ts';
import type { CallRow } from '../costing/cost-calls.ts';
import { noteCrossings, noteRuns, type RunSighting } from '../note-runs.ts';
import { type CopySources, keepClosed } from '../pins/copies.ts';
import type { TouchedDays } from '../touched-days.ts';

export interface CallWriting extends CopySources {
  readonly store: AnalyticStore;
  readonly touchedDays: TouchedDays;
}

/**
 * First records which runs cross and which days change, and copies rows that closes pin. Can be repeated at any point.
 * @throws LeaseLost
 */
export async function writeCalls(writing: CallWriting, rows: readonly CallRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { store, touchedDays } = writing;
  const sightings = listSightings(rows);
  // These steps take long for a large batch, so let requests run in between.
  await nextTurn();
  const crossed = await noteCrossings(store, sightings);
  const days = rows.flatMap(({ projectId, day, isInForce }) => (isInForce ? [{ projectId, day }] : []));
  await touchedDays.touch([...days, ...crossed]);
  const closed = rows.filter(({ isClosed }) => isClosed);
  if (closed.length > 0) await keepClosed(writing, closed);
  await nextTurn();
  await Promise.all([insertCalls(store, rows), noteRuns(store, sightings)]);
}

/** How many months an INSERT has rows of, at most: each is a part of its own, and the store takes up to 100 at once. */
const monthsOfInsert = 50;

/** Few INSERTs, however many months. If one fails, the same rows can be written again. */
async function insertCalls(store: AnalyticStore, rows: readonly CallRow[]): Promise<void> {
  const byMonth = [...Map.groupBy(rows, ({ day }) => day.slice(0, 7)).values()];
  for (const months of chunksOf(byMonth, monthsOfInsert)) {
    await store.insertRows('calls', callColumns, months.flat());
  }
}

/** The distinct runs of the calls, with each day and customer. */
function listSightings(rows: readonly CallRow[]): RunSighting[] {
  const first = new Map<string, RunSighting>();
  // Few runs have a second day or customer. Building a key for each call would be most of the work.
  const others = new Map<string, RunSighting>();
  for (const { projectId, day, call, isInForce, runsOf: baseGeneration } of rows) {
    if (call === null || baseGeneration === undefined) continue;
    const { run } = call;
    const { customer } = call.dimensions;
    const sighting = { projectId, day, baseGeneration, isInForce, run, customer };
    const known = first.get(run);
    if (known === undefined) first.set(run, sighting);
    else if (!isSameSighting(known, sighting)) {
      others.set(`${projectId} ${baseGeneration} ${day} ${run.length} ${run} ${customer}`, sighting);
    }
  }
  return [...first.values(), ...others.values()];
}

const isSameSighting = (one: RunSighting, other: RunSighting): boolean =>
  one.projectId === other.projectId &&
  one.baseGeneration === other.baseGeneration &&
  one.day === other.day &&
  one.customer === other.customer;
