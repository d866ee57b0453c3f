import { mostEventsOfId } from '../merging/condense.ts';
import { type EventKey, keyOf } from '../merging/merge.ts';
import type { ReadBatch } from './batch.ts';

export interface OverusedId extends EventKey {
  /** How many events it has had. */
  readonly events: number;
}

/** The ids that a batch has brought over 1,000 events or a higher power of ten: one id is sent for many calls. */
export function findOverusedIds({ slice, condensed }: Pick<ReadBatch, 'slice' | 'condensed'>): OverusedId[] {
  const overused = condensed.filter(({ events }) => events > mostEventsOfId);
  if (overused.length === 0) return [];
  const fresh = Map.groupBy(slice, keyOf);
  return overused.flatMap((id) => {
    const { projectId, eventId, events } = id;
    const earlier = events - (fresh.get(keyOf(id))?.length ?? 0);
    return levelOf(events) > levelOf(earlier) ? [{ projectId, eventId, events }] : [];
  });
}

const levelOf = (events: number): number => (events > mostEventsOfId ? String(events).length : 0);
