import type { ReadBatch } from './batch.ts';
import { type EventKey, keyOf } from './merge.ts';

/** How often an id comes at least before something is wrong with who sends it: a call has two events, and a few when it is retried. */
const overusedAt = 10_000;

export interface OverusedId extends EventKey {
  /** How many events its call has. */
  readonly events: number;
}

/**
 * The ids of a batch whose call has come to 10,000 events, or to ten times as many: whoever sends one id for all calls makes every
 * batch read, and merge, all of its events so far. Each is told once for each power of ten.
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
