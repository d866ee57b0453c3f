import type { Projects } from '../../accounts/projects.ts';
import { inTurns } from '../../lib/in-turns.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import type { Lease } from '../../storage/control/lease.ts';
import { readRereadProjects } from '../applied-rereads.ts';
import { type CallRow, costCall } from '../costing/cost-calls.ts';
import { type Gathered, gather } from '../joins/gather.ts';
import { joinCalls } from '../joins/join-calls.ts';
import type { ReportKeys } from '../joins/report-keys.ts';
import { attacher } from '../merging/attach.ts';
import { type CondensedId, condensedColumns } from '../merging/condensed-ids.ts';
import { isBecauseOfEvents } from '../merging/event-faults.ts';
import { type LookBack, lookBack } from '../merging/look-back.ts';
import { keyOf, type LoggedEvent } from '../merging/merge.ts';
import { readContexts } from './contexts.ts';
import type { FreshEvents } from './fresh-events.ts';
import { noteLateEvents } from './late-events.ts';
import { listLeftOut, readSetAsideIds, setApart } from './left-out.ts';
import { type LogSlice, readSlice } from './slice.ts';
import { selectSizes } from './slice-sql.ts';
import { findSlowProjects } from './slow-projects.ts';
import { advanceWatermark, lastStored, readWatermarks, type Watermark } from './watermarks.ts';
import { type CallWriting, writeCalls } from './write-calls.ts';

/** The steps of one batch, in order. The process may die after any of them; the next batch starts over. */
export const assemblySteps = ['version', 'slice', 'look-back', 'merge', 'cost', 'calls', 'watermark'] as const;
export type AssemblyStep = (typeof assemblySteps)[number];

export interface BatchOptions extends CallWriting {
  readonly control: ControlStore;
  readonly lease: Lease;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
  readonly reportKeys: ReportKeys;
  /** The most events of one writer that a batch takes. */
  readonly maxEvents: number;
  /** Whether the log is known to have more events (`SliceOptions`). */
  readonly looksFar?: boolean | undefined;
  /** The time limit of one query, in milliseconds; by default 30 s. */
  readonly withinMs?: number;
  /** The events of this process that need not be read from the log. */
  readonly fresh?: FreshEvents;
  /** Whether answers about others wait long because of batches with much of this project; by default they do not. */
  readonly mustMakeWay?: (projectId: string) => boolean;
  /** Called after each step with its duration in milliseconds. Metrics read it; tests stop the process there. */
  readonly afterStep?: (step: AssemblyStep, elapsedMs: number) => void | Promise<void>;
}

/** Events, and the calls that they change, with all that may report the same requests. */
export interface MergedSlice extends Omit<Gathered, 'keys'> {
  /** The events that go into the calls, and custom events. */
  readonly slice: readonly LoggedEvent[];
  readonly version: number;
  readonly whenNoted: LookBack['whenNoted'];
}

/** A batch read from the log: merged into calls, not yet costed. */
export interface ReadBatch extends MergedSlice, Pick<LogSlice, 'moves' | 'isFull'> {
  /** The projects whose events it leaves out: they are assembled apart from the watermarks before it on. */
  readonly slow: ReadonlySet<string>;
  /** The watermark vectors before and after the batch. */
  readonly from: readonly Watermark[];
  readonly watermarks: readonly Watermark[];
}

export interface BatchResult {
  readonly events: number;
  readonly calls: number;
  /** Whether the batch has moved a watermark, also past events that are left out. */
  readonly hasMoved: boolean;
  readonly watermarks: readonly Watermark[];
}

/** The time limit of one query of a batch, in milliseconds. It can be long, because no request waits for one query. */
const selectWithinMs = 30_000;

const selectOf =
  ({ store, withinMs = selectWithinMs }: Pick<BatchOptions, 'store' | 'withinMs'>) =>
  async <Row>({ sql, parameters }: Clause): Promise<Row[]> =>
    await store.select<Row>(sql, parameters, withinMs);

/**
 * The next events above a watermark vector, merged; with `previous`, above what that batch will reach. It reads
 * only the log, so `previous` may still be being written. Projects that are deleted or apart are left out.
 */
export async function readBatch(options: BatchOptions, previous?: ReadBatch): Promise<ReadBatch> {
  const { control, lease, mustMakeWay = () => false } = options;
  const noteStep = timeSteps(options);
  // Taken before the log is read, so rows made from fewer events can't overwrite rows made from more.
  const version = await lease.nextVersion();
  const watermarks = previous?.watermarks ?? (await readWatermarks(control));
  await noteStep('version');
  const { events, moves, isFull } = await readNextSlice(options, watermarks);
  const slow = findSlowProjects(events, mustMakeWay);
  const fast = slow.size === 0 ? events : events.filter(({ projectId }) => !slow.has(projectId));
  await noteStep('slice');
  await previous?.whenNoted;
  return {
    ...(await completeSlice(options, version, fast, previous?.condensed)),
    ...{ isFull, moves, slow, from: watermarks },
    watermarks: watermarks.map((watermark) => moves.find(({ from }) => from === watermark)?.to ?? watermark),
  };
}

async function readNextSlice(options: BatchOptions, watermarks: readonly Watermark[]): Promise<LogSlice> {
  return await readSlice(selectOf(options), watermarks, { ...options, without: await listLeftOut(options.control) });
}

/**
 * Merges events of a slice with the earlier events of their ids. `condensedBefore` are the condensed ids of the
 * previous batch, which it may not have stored yet. Events of ids that are set aside stay out of calls.
 */
export async function completeSlice(
  options: BatchOptions,
  version: number,
  events: readonly LoggedEvent[],
  condensedBefore?: readonly CondensedId[],
): Promise<MergedSlice> {
  const { store, control, reportKeys } = options;
  const select = selectOf(options);
  const noteStep = timeSteps(options);
  const setAside = await readSetAsideIds(control);
  const slice = setAside.size === 0 ? events : events.filter((event) => !setAside.has(keyOf(event)));
  const { ids: found, whenNoted } = await lookBack({ select, store }, slice, condensedBefore);
  const attach = attacher(select, await readRereadProjects(control));
  const ids = await attach.toIds(found);
  await noteStep('look-back');
  const { keys, ...gathered } = await gather({ select, attach, reportKeys }, ids, { alsoInside: true });
  const bothNoted = Promise.all([whenNoted, reportKeys.note(keys)]).then(() => undefined);
  // The error is thrown where `whenNoted` is awaited, which may never happen.
  bothNoted.catch(() => undefined);
  await noteStep('merge');
  return { ...gathered, slice, version, whenNoted: bothNoted };
}

/** Costs and writes calls, then moves the watermarks. After a crash it makes the same rows. @throws LeaseLost */
export async function writeBatch(options: BatchOptions, batch: ReadBatch): Promise<BatchResult> {
  const { slice, calls, watermarks, moves, slow, from } = batch;
  if (moves.length === 0) return { events: 0, calls: 0, hasMoved: false, watermarks };
  await writeMerged(options, batch);
  const noteStep = timeSteps(options);
  await moveWatermarks(options, moves, { apart: slow, from });
  await noteStep('watermark');
  return { events: slice.length, calls: calls.length, hasMoved: true, watermarks };
}

/** Costs and writes the calls of a slice. @throws LeaseLost */
export async function writeMerged(options: BatchOptions, merged: MergedSlice): Promise<void> {
  const { slice, calls, condensed, version, whenNoted } = merged;
  if (slice.length === 0) return;
  const noteStep = timeSteps(options);
  // A new holder of the lease may have erased events of this batch.
  await options.lease.requireHeld();
  const rows = await costAll(merged, options);
  await noteStep('cost');
  await whenNoted;
  await writeCalls(options, rows);
  // After the calls, because a condensed id says that its calls are written.
  const states = condensed.map((id) => ({ id, version }));
  if (states.length > 0) await options.store.insertRows('condensed_ids', condensedColumns, states);
  await noteStep('calls');
  await noteLateEvents(options, slice, calls);
}

async function moveWatermarks(
  { control, lease }: BatchOptions,
  moves: LogSlice['moves'],
  { apart, from: watermarks }: { readonly apart: Iterable<string>; readonly from: readonly Watermark[] },
): Promise<void> {
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const { from, to } of moves) await advanceWatermark(transaction, from, to);
    for (const project of apart) await setApart(transaction, project, watermarks);
  });
}

export interface SplitResult extends BatchResult, Pick<ReadBatch, 'slice' | 'isFull'> {
  /** The projects that are assembled apart from now on, and why their events could not be assembled. */
  readonly apart: ReadonlyMap<string, unknown>;
}

/**
 * After a batch failed because of its events: assembles all projects together, then each half, down to those that fail
 * alone, which are set apart. Undefined if the events are too large to be read at once.
 * @throws LeaseLost, or the error when it is not because of the events
 */
export async function assembleSplit(options: BatchOptions): Promise<SplitResult | undefined> {
  const { control, lease, store } = options;
  const version = await lease.nextVersion();
  const watermarks = await readWatermarks(control);
  const next = await readNextSlice(options, watermarks).catch((error: unknown) => {
    if (options.maxEvents > 1 && isBecauseOfEvents(error)) return undefined;
    throw error;
  });
  if (next === undefined) return undefined;
  const { events, moves, isFull } = next;
  const byProject = Map.groupBy(events, ({ projectId }) => projectId);
  const apart = new Map<string, unknown>();
  let calls = 0;
  const assemble = async (projects: readonly string[]): Promise<void> => {
    const [project, ...others] = projects;
    if (project === undefined) return;
    try {
      const merged = await completeSlice(
        options,
        version,
        projects.flatMap((id) => byProject.get(id) ?? []),
      );
      await writeMerged(options, merged);
      calls += merged.calls.length;
    } catch (error) {
      if (!isBecauseOfEvents(error) || !(await store.isReachable())) throw error;
      if (others.length === 0) {
        apart.set(project, error);
        return;
      }
      const half = Math.ceil(projects.length / 2);
      await assemble(projects.slice(0, half));
      await assemble(projects.slice(half));
    }
  };
  await assemble([...byProject.keys()]);
  await moveWatermarks(options, moves, { apart: apart.keys(), from: watermarks });
  return {
    events: events.length,
    calls,
    hasMoved: moves.length > 0,
    watermarks: watermarks.map((watermark) => moves.find(({ from }) => from === watermark)?.to ?? watermark),
    slice: events,
    isFull,
    apart,
  };
}

function timeSteps({ afterStep }: BatchOptions) {
  let startedAt = performance.now();
  return async (step: AssemblyStep) => {
    await afterStep?.(step, performance.now() - startedAt);
    startedAt = performance.now();
  };
}

/** The rows of all calls in all contexts. Calls of earlier batches that share a key are written again. */
async function costAll(
  { calls, related, spans, alone, version }: MergedSlice,
  options: BatchOptions,
): Promise<CallRow[]> {
  const rows: CallRow[] = [];
  const spansOf = Map.groupBy(spans, ({ projectId }) => projectId);
  const byProject = Map.groupBy([...calls, ...related], ({ projectId }) => projectId);
  const contexts = await Promise.all(
    Array.from(byProject, async ([id, ofProject]) => [id, ofProject, await readContexts(id, options)] as const),
  );
  for (const [project, ofProject, ofContexts] of contexts) {
    for (const context of ofContexts) {
      const joined = await joinCalls(ofProject, spansOf.get(project) ?? [], { ...context, alone });
      await inTurns(joined, (call) => {
        if (call.isWritten !== true) rows.push(...costCall(call, version, context));
      });
    }
  }
  return rows;
}

/**
 * Sets the project apart with most of a slice too large to be read at once; undefined if none has more than half of it,
 * or none but it has any. @throws LeaseLost
 */
export async function setHeaviestApart(options: BatchOptions): Promise<string | undefined> {
  const { control, lease, maxEvents } = options;
  const watermarks = await readWatermarks(control);
  const bounds = watermarks.map((from) => ({ from, toSeq: Math.min(from.seq + maxEvents, lastStored(from)) }));
  const sizes = selectSizes(bounds, await listLeftOut(control));
  const [heaviest, ...others] = await selectOf(options)<{ projectId: string; bytes: number }>(sizes);
  if (heaviest === undefined || others.length === 0) return undefined;
  if (heaviest.bytes <= others.reduce((sum, { bytes }) => sum + bytes, 0)) return undefined;
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    await setApart(transaction, heaviest.projectId, watermarks);
  });
  return heaviest.projectId;
}
