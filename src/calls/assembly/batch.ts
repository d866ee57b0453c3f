import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ControlStore } from '../../control/control-store.ts';
import type { PriceBooks } from '../../pricing/price-books.ts';
import type { Projects } from '../../projects/projects.ts';
import { noteLateEvents } from '../retention/late-events.ts';
import { readContexts } from './contexts.ts';
import { type CallContext, type CallRow, costCall } from './cost-calls.ts';
import type { Lease } from './lease.ts';
import type { MergedCall, Statement } from './merge.ts';
import { readSlice } from './slice.ts';
import { insertEventIds, type LookBackRow, type LookBackStep, selectLookBack, selectMergedCalls } from './sql.ts';
import { advanceWatermark, readWatermarks, type Watermark } from './watermarks.ts';
import { type CallWriting, writeCalls } from './write-calls.ts';

/** The steps of one batch, in their order. After each of them the process may die: the next batch begins again. */
export const assemblySteps = ['version', 'slice', 'look-back', 'merge', 'cost', 'calls', 'watermark'] as const;
export type AssemblyStep = (typeof assemblySteps)[number];

export interface BatchOptions extends CallWriting {
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
  /** The most events of one writer that a batch takes. */
  readonly maxEvents: number;
  /** Called after each step with the time it took, for measuring and for tests that stop there. */
  readonly afterStep?: (step: AssemblyStep, elapsedMs: number) => void | Promise<void>;
}

/** The events of a batch as they were read from the log: merged into calls, not yet costed. */
export interface ReadBatch {
  /** Events that the batch moves into the calls. */
  readonly events: number;
  /** Whether it has as many events of a writer as a batch takes: then there are more. */
  readonly isFull: boolean;
  /** The watermark vector after it. */
  readonly watermarks: readonly Watermark[];
  /** The earliest time of an event of it, in milliseconds since 1970. */
  readonly firstEventMs: number;
  readonly version: number;
  /** In parts, by how far back their events were looked for. */
  readonly parts: readonly (readonly MergedCall[])[];
  readonly moves: readonly { readonly from: Watermark; readonly to: Watermark }[];
}

export interface BatchResult {
  /** Events that the batch has moved into the calls. */
  readonly events: number;
  readonly calls: number;
  /** The watermark vector after it. */
  readonly watermarks: readonly Watermark[];
}

/** How long one statement of a batch may take, in milliseconds: nobody waits for a single one. */
const selectWithinMs = 30_000;

/** So many events of a batch are few. */
const fewEvents = 2_000;
/** How far back the other events of few are looked for before it is known how far it must be, in milliseconds. */
const guessedMs = 60_000;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long calls are costed in one turn of the event loop, in milliseconds: requests wait for it. */
const turnMs = 10;

/**
 * How far to look back for other events of the ids of a batch: most calls finish in minutes; an id may come back within
 * 48 hours (D4.2), and with a timestamp at any time.
 */
const lookBackMs = [10 * minuteMs, 6 * hourMs, 49 * hourMs];

/**
 * Reads the next events above a watermark vector, and merges them. It depends on the log alone, so that a batch can be read
 * while the one before it is written, from the vector that the one before it will reach.
 */
export async function readBatch(options: BatchOptions, after?: readonly Watermark[]): Promise<ReadBatch> {
  const { store, control, lease, maxEvents } = options;
  const noteStep = timeSteps(options);
  const select = <Row>({ sql, parameters }: Statement) => store.select<Row>(sql, parameters, selectWithinMs);

  // Before the log is read, so that whoever has read less can't overwrite what was made of more.
  const version = await lease.nextVersion();
  const watermarks = after ?? (await readWatermarks(control));
  await noteStep('version');
  const nothing = { events: 0, isFull: false, watermarks, firstEventMs: 0, version, parts: [], moves: [] };
  if (watermarks.length === 0) return nothing;

  const { bounds, events, isFull, firstReceivedAt, firstEventMs } = await readSlice(select, watermarks, maxEvents);
  await noteStep('slice');
  if (bounds.length === 0) return nothing;

  const merge = (step: LookBackStep | undefined, sinceMs: number) =>
    select<MergedCall>(selectMergedCalls(bounds, step, sinceMs));
  // What a batch costs is mostly the wait for its statements when it is small: then they are run side by side.
  const guessSinceMs = firstReceivedAt - guessedMs;
  const guess = events <= fewEvents ? merge(undefined, guessSinceMs) : undefined;
  // Whoever takes it up sees the error; nobody may.
  guess?.catch(() => undefined);

  const steps = toSteps(firstReceivedAt);
  const ids = insertEventIds(bounds);
  const [found] = await Promise.all([
    select<LookBackRow>(selectLookBack(bounds, steps)),
    store.command(ids.sql, ids.parameters),
  ]);
  await noteStep('look-back');
  // Ids that were never heard of before may not have been found: they are in the slice alone.
  const since = new Map([[0, firstReceivedAt]]);
  for (const { step, since: first } of found)
    since.set(step, Math.min(since.get(step) ?? Number.POSITIVE_INFINITY, Number(first)));
  const parts: MergedCall[][] = [];
  for (const [step, sinceMs] of since) {
    const isAll = since.size === 1;
    const part = guess && isAll && sinceMs >= guessSinceMs ? guess : merge(isAll ? undefined : steps[step], sinceMs);
    parts.push(await part);
    await noteStep('merge');
  }
  const moves = bounds.map(({ from, toSeq, receivedAt }) => ({ from, to: { ...from, seq: toSeq, receivedAt } }));
  return {
    events,
    isFull,
    watermarks: watermarks.map((watermark) => moves.find(({ from }) => from === watermark)?.to ?? watermark),
    firstEventMs,
    version,
    parts,
    moves,
  };
}

/**
 * Costs the calls of a batch that was read, writes them, and moves the watermarks. Whatever stops it, reading and writing it
 * again gives the same rows.
 * @throws LeaseLost
 */
export async function writeBatch(options: BatchOptions, batch: ReadBatch): Promise<BatchResult> {
  const { control, lease } = options;
  const { events, watermarks, version, parts, moves } = batch;
  if (events === 0) return { events, calls: 0, watermarks };
  const noteStep = timeSteps(options);
  // Whoever has taken the lease meanwhile may have erased what was read.
  await control.transaction().execute((transaction) => lease.confirm(transaction));
  let calls = 0;
  for (const merged of parts) {
    const rows = await costAll(merged, version, options);
    await noteStep('cost');
    await writeCalls(options, rows);
    calls += merged.length;
    await noteStep('calls');
  }
  await noteLateEvents(options, batch);
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const { from, to } of moves) await advanceWatermark(transaction, from, to);
  });
  await noteStep('watermark');
  return { events, calls, watermarks };
}

function timeSteps({ afterStep }: BatchOptions) {
  let startedAt = performance.now();
  return async (step: AssemblyStep) => {
    await afterStep?.(step, performance.now() - startedAt);
    startedAt = performance.now();
  };
}

function toSteps(firstMs: number): LookBackStep[] {
  const edges = [...lookBackMs.map((ms) => firstMs - ms), 0];
  return edges.map((sinceMs, index) => ({ sinceMs, beforeMs: edges[index - 1] ?? Number.MAX_SAFE_INTEGER }));
}

async function costAll(merged: readonly MergedCall[], version: number, options: BatchOptions): Promise<CallRow[]> {
  const projects = [...new Set(merged.map(({ project }) => project))];
  const contexts = new Map<string, readonly CallContext[]>(
    await Promise.all(projects.map(async (id) => [id, await readContexts(id, options)] as const)),
  );
  const rows: CallRow[] = [];
  let until = performance.now() + turnMs;
  for (const call of merged) {
    for (const context of contexts.get(call.project) ?? []) rows.push(...costCall(call, version, context));
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + turnMs;
  }
  return rows;
}
