import type { ControlStore } from '../../control/control-store.ts';
import type { PriceBooks } from '../../pricing/price-books.ts';
import type { Projects } from '../../projects/projects.ts';
import { readContexts } from './contexts.ts';
import { type CallContext, type CallRow, costCall } from './cost-calls.ts';
import type { Lease } from './lease.ts';
import type { MergedCall, Statement } from './merge.ts';
import {
  insertEventIds,
  type LookBackRow,
  type LookBackStep,
  type SliceBound,
  type SliceRow,
  selectLookBack,
  selectMergedCalls,
  selectSlice,
} from './sql.ts';
import { advanceWatermark, readWatermarks, type Watermark } from './watermarks.ts';
import { type CallWriting, writeCalls } from './write-calls.ts';

/** The steps of one batch, in their order. After each of them the process may die: the next batch begins again. */
export const assemblySteps = ['version', 'slice', 'ids', 'look-back', 'merge', 'cost', 'calls', 'watermark'] as const;
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

export interface BatchResult {
  /** Events that the batch has moved into the calls. */
  readonly events: number;
  readonly calls: number;
  /** The watermark vector after it. */
  readonly watermarks: readonly Watermark[];
}

/** How long one statement of a batch may take, in milliseconds: nobody waits for a single one. */
const selectWithinMs = 30_000;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * How far to look back for other events of the ids of a batch: most calls finish in minutes; an id may come back within
 * 48 hours (D4.2), and with a timestamp at any time.
 */
const lookBackMs = [10 * minuteMs, 6 * hourMs, 49 * hourMs];

/** Moves the next events above the watermark vector into `calls`. Whatever stops it, doing it again gives the same rows. */
export async function assembleBatch(options: BatchOptions): Promise<BatchResult> {
  const { store, control, lease, maxEvents } = options;
  let stepStartedAt = performance.now();
  const afterStep = async (step: AssemblyStep) => {
    await options.afterStep?.(step, performance.now() - stepStartedAt);
    stepStartedAt = performance.now();
  };
  const select = <Row>({ sql, parameters }: Statement) => store.select<Row>(sql, parameters, selectWithinMs);

  // Before the log is read, so that whoever has read less can't overwrite what was made of more.
  const version = await lease.nextVersion();
  const watermarks = await readWatermarks(control);
  await afterStep('version');
  if (watermarks.length === 0) return { events: 0, calls: 0, watermarks };

  const slice = await select<SliceRow>(selectSlice(watermarks.map((from) => ({ from, toSeq: from.seq + maxEvents }))));
  await afterStep('slice');
  const bounds = toBounds(watermarks, slice);
  if (bounds.length === 0) return { events: 0, calls: 0, watermarks };

  const ids = insertEventIds(bounds);
  await store.command(ids.sql, ids.parameters);
  await afterStep('ids');

  const firstMs = Math.min(...slice.map((row) => Number(row.first_received_at)));
  const steps = toSteps(firstMs);
  const found = await select<LookBackRow>(selectLookBack(bounds, steps));
  await afterStep('look-back');
  const onlyRecent = found.every(({ step }) => step === 0);
  let calls = 0;
  for (const { step, since } of found) {
    const merged = await select<MergedCall>(
      selectMergedCalls(bounds, onlyRecent ? undefined : steps[step], Number(since)),
    );
    await afterStep('merge');
    const rows = await costAll(merged, version, options);
    await afterStep('cost');
    await writeCalls(options, rows);
    calls += merged.length;
    await afterStep('calls');
  }

  const reached = bounds.map(({ from, toSeq, receivedAt }) => ({ from, to: { seq: toSeq, receivedAt } }));
  await control.transaction().execute(async (transaction) => {
    await lease.confirm(transaction);
    for (const { from, to } of reached) await advanceWatermark(transaction, from, to);
  });
  await afterStep('watermark');
  return {
    events: slice.reduce((sum, row) => sum + Number(row.events), 0),
    calls,
    watermarks: watermarks.map((watermark) => {
      const move = reached.find(({ from }) => from === watermark);
      return move ? { ...watermark, ...move.to } : watermark;
    }),
  };
}

function toBounds(
  watermarks: readonly Watermark[],
  slice: readonly SliceRow[],
): (SliceBound & { receivedAt: number })[] {
  return watermarks.flatMap((from) => {
    const row = slice.find(({ writer }) => writer === from.writer);
    return row ? [{ from, toSeq: Number(row.last_seq), receivedAt: Number(row.last_received_at) }] : [];
  });
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
  return merged.flatMap((call) =>
    (contexts.get(call.project) ?? []).flatMap((context) => costCall(call, version, context)),
  );
}
