import type { ReadBatch } from './batch.ts';
import { type EventKey, keyOf } from './merge.ts';

/** An id with this many events counts as overused. A call has two events, and a few more if a client repeats them. */
const overusedAt = 10_000;

export interface OverusedId extends EventKey {
  /** The number of events of its call. */
  readonly events: number;
}

/**
 * The ids of a batch whose call has just reached 10,000 events or a higher power of ten. If a client sends one id for
 * all its calls, every batch reads and merges all events of that id. An id is reported once per power of ten.
 */
export function findOverusedIds({ slice, calls }: Pick<ReadBatch, 'slice' | 'calls'>): OverusedId[] {
  return calls.flatMap((call) => {
    const events = call.events.length;
    if (events < overusedAt) return [];
    const key = keyOf(call);
    const earlier = events - slice.filter((event) => keyOf(event) === key).length;
    const { projectId, eventId } = call;
    return powerOfTen(events) > powerOfTen(Math.max(earlier, overusedAt - 1)) ? [{ projectId, eventId, events }] : [];
  });
}

const powerOfTen = (count: number): number => String(count).length;
