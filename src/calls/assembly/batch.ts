import type { Clause } from '../../clickhouse/clause.ts';
import type { ControlStore } from '../../control/control-store.ts';
import { inTurns } from '../../lib/in-turns.ts';
import type { PriceBooks } from '../../pricing/price-books.ts';
import type { Projects } from '../../projects/projects.ts';
import { readProjectsWithReadings } from '../reread/applied.ts';
import { attachReadings } from '../reread/attach.ts';
import { noteLateEvents } from '../retention/late-events.ts';
import { readContexts } from './contexts.ts';
import { type CallContext, type CallRow, costCall } from './cost-calls.ts';
import type { FreshEvents } from './fresh-events.ts';
import type { Lease } from './lease.ts';
import { type LookBack, lookBack } from './look-back.ts';
import { type LoggedEvent, type MergedCall, mergeEvents } from './merge.ts';
import { readSlice, type Slice } from './slice.ts';
import { advanceWatermark, readWatermarks, type Watermark } from './watermarks.ts';
import { type CallWriting, writeCalls } from './write-calls.ts';

/** The steps of one batch, in order. The process may die after any of them; the next batch starts over. */
export const assemblySteps = ['version', 'slice', 'look-back', 'merge', 'cost', 'calls', 'watermark'] as const;
export type AssemblyStep = (typeof assemblySteps)[number];

export interface BatchOptions extends CallWriting {
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
  /** The most events of one writer that a batch takes. */
  readonly maxEvents: number;
  /** The events of this process that need not be read from the log. */
  readonly fresh?: FreshEvents;
  /** Called after each step with its duration in milliseconds. Metrics read it; tests stop the process there. */
  readonly afterStep?: (step: AssemblyStep, elapsedMs: number) => void | Promise<void>;
}

/** A batch read from the log: merged into calls, not yet costed. */
export interface ReadBatch {
  /** The events that the batch moves into the calls. */
  readonly slice: readonly LoggedEvent[];
  /** The calls of the ids in the slice, merged with their earlier events. */
  readonly calls: readonly MergedCall[];
  /** Whether the batch reached its limit, so the log may have more events. */
  readonly isFull: boolean;
  /** The watermark vector after the batch. */
  readonly watermarks: readonly Watermark[];
  readonly version: number;
  readonly moves: Slice['moves'];
  readonly noted: LookBack['noted'];
}

export interface BatchResult {
  /** Events that the batch has moved into the calls. */
  readonly events: number;
  readonly calls: number;
  /** The watermark vector after the batch. */
  readonly watermarks: readonly Watermark[];
}

/** The time limit of one query of a batch, in milliseconds. It can be long, because no request waits for one query. */
const selectWithinMs = 30_000;

/**
 * Reads the next events above a watermark vector and merges them. With `before`, it starts from the watermarks that
 * `before` will reach. It reads only the log, so `before` may still be being written.
 */
export async function readBatch(options: BatchOptions, before?: ReadBatch): Promise<ReadBatch> {
  const { store, control, lease } = options;
  const noteStep = timeSteps(options);
  const select = <Row>({ sql, parameters }: Clause) => store.select<Row>(sql, parameters, selectWithinMs);

  // Taken before the log is read, so rows made from fewer events can't overwrite rows made from more.
  const version = await lease.nextVersion();
  const watermarks = before?.watermarks ?? (await readWatermarks(control));
  await noteStep('version');
  const { events: slice, moves, isFull } = await readSlice(select, watermarks, options);
  await noteStep('slice');
  await before?.noted;
  const { ids: found, noted } = await lookBack({ select, store }, slice);
  const ids = await attachReadings(select, found, await readProjectsWithReadings(control));
  await noteStep('look-back');
  const calls: MergedCall[] = [];
  await inTurns(ids, (events) => calls.push(...mergeEvents(events)));
  await noteStep('merge');
  return {
    slice,
    calls,
    isFull,
    watermarks: watermarks.map((watermark) => moves.find(({ from }) => from === watermark)?.to ?? watermark),
    version,
    moves,
    noted,
  };
}

/**
 * Costs and writes the calls of a batch, then moves the watermarks. If the process dies at any point, the batch is read
 * and written again, with the same rows.
 * @throws LeaseLost
 */
export async function writeBatch(options: BatchOptions, batch: ReadBatch): Promise<BatchResult> {
  const { control, lease } = options;
  const { slice, calls, watermarks, version, moves } = batch;
  if (slice.length === 0) return { events: 0, calls: 0, watermarks };
  const noteStep = timeSteps(options);
  // A new holder of the lease may have erased events of this batch.
  await lease.requireHeld();
  const rows = await costAll(calls, version, options);
  await noteStep('cost');
  await batch.noted;
  await writeCalls(options, rows);
  await noteStep('calls');
  await noteLateEvents(options, slice, calls);
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const { from, to } of moves) await advanceWatermark(transaction, from, to);
  });
  await noteStep('watermark');
  return { events: slice.length, calls: calls.length, watermarks };
}

function timeSteps({ afterStep }: BatchOptions) {
  let startedAt = performance.now();
  return async (step: AssemblyStep) => {
    await afterStep?.(step, performance.now() - startedAt);
    startedAt = performance.now();
  };
}

async function costAll(calls: readonly MergedCall[], version: number, options: BatchOptions): Promise<CallRow[]> {
  const projects = [...new Set(calls.map(({ projectId }) => projectId))];
  const contexts = new Map<string, readonly CallContext[]>(
    await Promise.all(projects.map(async (id) => [id, await readContexts(id, options)] as const)),
  );
  const rows: CallRow[] = [];
  await inTurns(calls, (call) => {
    for (const context of contexts.get(call.projectId) ?? []) rows.push(...costCall(call, version, context));
  });
  return rows;
}
