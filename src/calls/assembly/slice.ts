import type { Statement } from './merge.ts';
import { type SliceBound, type SliceRow, selectSlice } from './sql.ts';
import { lastStored, type Watermark } from './watermarks.ts';

/** The next events of a batch. */
export interface Slice {
  readonly bounds: readonly (SliceBound & { readonly receivedAt: number })[];
  readonly events: number;
  /** Whether there are more events than these. */
  readonly isFull: boolean;
  /** When the first of them was received, in milliseconds since 1970. */
  readonly firstReceivedAt: number;
  /** The earliest time of one of them, in milliseconds since 1970. */
  readonly firstEventMs: number;
}

/**
 * The next events after the watermarks: at most `maxEvents` of each writer, and of all writers of a copied log together, whose
 * next events were received first. Such a log has every writer there ever was.
 */
export async function readSlice(
  select: <Row>(statement: Statement) => Promise<Row[]>,
  watermarks: readonly Watermark[],
  maxEvents: number,
): Promise<Slice> {
  let spans: SliceBound[] = watermarks.map((from) => ({
    from,
    toSeq: Math.min(from.seq + maxEvents, lastStored(from)),
  }));
  const rows = await select<SliceRow>(selectSlice(spans));
  const missing = watermarks.filter((from) => isCopied(from) && !rows.some(({ writer }) => writer === from.writer));
  if (missing.length > 0) {
    const further = await skipGaps(select, missing, maxEvents);
    spans = [...spans.filter(({ from }) => !missing.includes(from)), ...further];
    if (further.length > 0) rows.push(...(await select<SliceRow>(selectSlice(further))));
  }
  const copied = new Set(watermarks.filter(isCopied).map(({ writer }) => writer));
  const inOrder = rows.toSorted((a, b) => Number(a.first_received_at) - Number(b.first_received_at));
  const taken: SliceRow[] = [];
  let ofCopied = 0;
  for (const row of inOrder) {
    if (copied.has(row.writer)) {
      if (ofCopied > 0 && ofCopied + Number(row.events) > maxEvents) continue;
      ofCopied += Number(row.events);
    }
    taken.push(row);
  }
  const ofTaken = spans.flatMap((span) => {
    const row = taken.find(({ writer }) => writer === span.from.writer);
    return row ? [{ ...span, lastSeq: Number(row.last_seq), receivedAt: Number(row.last_received_at) }] : [];
  });
  return {
    bounds: ofTaken.map(({ from, lastSeq, receivedAt }) => ({ from, toSeq: lastSeq, receivedAt })),
    events: taken.reduce((sum, { events }) => sum + Number(events), 0),
    isFull:
      taken.length < rows.length ||
      ofTaken.some(({ from, lastSeq, toSeq }) => lastSeq === toSeq && toSeq < lastStored(from)),
    firstReceivedAt: Number(taken[0]?.first_received_at ?? 0),
    firstEventMs: Math.min(...taken.map((row) => Number(row.first_event_time))),
  };
}

/** Whether the writer is known from a copied log alone. */
const isCopied = ({ lastSeenAt }: Watermark): boolean => lastSeenAt === 0;

/**
 * Where the next events of copied writers are. Sequences are given out without gaps, but what was deleted before the copy
 * has left some in what is still to be assembled.
 */
async function skipGaps(
  select: <Row>(statement: Statement) => Promise<Row[]>,
  watermarks: readonly Watermark[],
  maxEvents: number,
): Promise<SliceBound[]> {
  const rows = await select<SliceRow>(
    selectSlice(watermarks.map((from) => ({ from, toSeq: Number.MAX_SAFE_INTEGER }))),
  );
  return watermarks.flatMap((from) => {
    const row = rows.find(({ writer }) => writer === from.writer);
    return row ? [{ from, toSeq: Number(row.first_seq) - 1 + maxEvents }] : [];
  });
}
