import type { LoggedEvent } from '../merging/merge.ts';
import type { Select } from '../merging/sql.ts';
import type { FreshEvents } from './fresh-events.ts';
import { type SliceBound, type SliceRow, selectEventsOfSlice, selectSlice } from './slice-sql.ts';
import { lastStored, type Watermark } from './watermarks.ts';

/** The events of a batch, in any order. */
export interface LogSlice {
  readonly events: readonly LoggedEvent[];
  /** The watermarks of the writers with events, also events of projects that are left out, before and after the batch. */
  readonly moves: readonly { readonly from: Watermark; readonly to: Watermark }[];
  /** Whether the log has more events than these. */
  readonly isFull: boolean;
}

export interface SliceOptions {
  readonly maxEvents: number;
  readonly fresh?: FreshEvents | undefined;
  /** Whether the log surely has more events: if not next, then behind a gap, as refused requests leave one. */
  readonly looksFar?: boolean | undefined;
  /** The projects whose events are left out. */
  readonly without?: readonly string[];
}

/** The last event of a writer in a slice. */
type Reached = Pick<LoggedEvent, 'seq' | 'receivedAtMs'>;

/** At most `maxEvents` of each writer; in a copied log, which has every writer that ever was, of all together. */
export async function readSlice(
  select: Select,
  watermarks: readonly Watermark[],
  options: SliceOptions,
): Promise<LogSlice> {
  const { maxEvents, looksFar = false } = options;
  const live = watermarks.filter((from) => !isCopied(from));
  const copied = await chooseCopied(select, watermarks.filter(isCopied), maxEvents);
  const spans = [...nextSpans(live, maxEvents), ...copied.spans];
  const slice = await readSliceOf(select, spans, options);
  if (slice.moves.length > 0 || !looksFar) return { ...slice, isFull: slice.isFull || copied.hasMore };
  return await readSliceOf(select, await skipGaps(select, live, maxEvents), options);
}

async function readSliceOf(
  select: Select,
  spans: readonly SliceBound[],
  { fresh, without = [] }: SliceOptions,
): Promise<LogSlice> {
  if (spans.length === 0) return { events: [], moves: [], isFull: false };
  const events: LoggedEvent[] = [];
  const unread = spans.filter(({ from, toSeq }) => {
    const held = fresh?.take(from.writer, { afterSeq: from.seq, toSeq }) ?? [];
    for (const event of held) events.push(event);
    return held.length === 0;
  });
  const last = lastOfWriters(events);
  const read = unread.length > 0 ? await readSpans(select, unread, without) : { events: [], last: [] };
  for (const event of read.events) events.push(event);
  for (const [writer, reached] of read.last) last.set(writer, reached);
  let isFull = false;
  const moves = spans.flatMap(({ from, toSeq }) => {
    const reached = last.get(from.writer);
    if (!reached) return [];
    if (reached.seq === toSeq && toSeq < lastStored(from)) isFull = true;
    return [{ from, to: { ...from, seq: reached.seq, receivedAt: reached.receivedAtMs } }];
  });
  if (without.length === 0) return { events, moves, isFull };
  const left = new Set(without);
  return { events: events.filter(({ projectId }) => !left.has(projectId)), moves, isFull };
}

/** The events of these spans in the log, and the last one of each writer, also of projects that are left out. */
async function readSpans(
  select: Select,
  spans: readonly SliceBound[],
  without: readonly string[],
): Promise<{ readonly events: readonly LoggedEvent[]; readonly last: Iterable<[string, Reached]> }> {
  if (without.length === 0) {
    const events = await select<LoggedEvent>(selectEventsOfSlice(spans, []));
    return { events, last: lastOfWriters(events) };
  }
  const rows = new Map((await select<SliceRow>(selectSlice(spans))).map((row) => [row.writer, row]));
  // Events that are stored meanwhile must not be skipped, so the spans end where they have been counted.
  const counted = spans.flatMap(({ from }) => {
    const row = rows.get(from.writer);
    return row ? [{ from, toSeq: Number(row.last_seq) }] : [];
  });
  const last = Array.from(rows, ([writer, row]): [string, Reached] => [
    writer,
    { seq: Number(row.last_seq), receivedAtMs: Number(row.last_received_at) },
  ]);
  if (counted.length === 0) return { events: [], last };
  return { events: await select<LoggedEvent>(selectEventsOfSlice(counted, without)), last };
}

/** Whether the writer is known only from a copied log. */
const isCopied = ({ lastSeenAt }: Watermark): boolean => lastSeenAt === 0;

const nextSpans = (watermarks: readonly Watermark[], maxEvents: number): SliceBound[] =>
  watermarks.map((from) => ({ from, toSeq: Math.min(from.seq + maxEvents, lastStored(from)) }));

/** The last event of each writer. */
function lastOfWriters(events: readonly LoggedEvent[]): Map<string, Reached> {
  const last = new Map<string, Reached>();
  for (const event of events) {
    const known = last.get(event.writer);
    if (!known || event.seq > known.seq) last.set(event.writer, event);
  }
  return last;
}

/** The next spans of copied writers, earliest receipt first: at most `maxEvents` events together, or one span. */
async function chooseCopied(
  select: Select,
  copied: readonly Watermark[],
  maxEvents: number,
): Promise<{ readonly spans: SliceBound[]; readonly hasMore: boolean }> {
  if (copied.length === 0) return { spans: [], hasMore: false };
  const near = nextSpans(copied, maxEvents);
  const rows = await select<SliceRow>(selectSlice(near));
  const missing = copied.filter((from) => !rows.some(({ writer }) => writer === from.writer));
  const far = missing.length > 0 ? await skipGaps(select, missing, maxEvents) : [];
  if (far.length > 0) rows.push(...(await select<SliceRow>(selectSlice(far))));
  const spans = [...near.filter(({ from }) => !missing.includes(from)), ...far];
  const taken = new Set<string>();
  let events = 0;
  for (const row of rows.toSorted((a, b) => Number(a.first_received_at) - Number(b.first_received_at))) {
    if (events > 0 && events + Number(row.events) > maxEvents) continue;
    events += Number(row.events);
    taken.add(row.writer);
  }
  return { spans: spans.filter(({ from }) => taken.has(from.writer)), hasMore: taken.size < rows.length };
}

/** The next spans of writers with events, after a gap in their sequences. */
async function skipGaps(select: Select, watermarks: readonly Watermark[], maxEvents: number): Promise<SliceBound[]> {
  const rows = await select<SliceRow>(selectSlice(watermarks.map((from) => ({ from, toSeq: lastStored(from) }))));
  return watermarks.flatMap((from) => {
    const row = rows.find(({ writer }) => writer === from.writer);
    return row ? [{ from, toSeq: Math.min(Number(row.first_seq) - 1 + maxEvents, lastStored(from)) }] : [];
  });
}
