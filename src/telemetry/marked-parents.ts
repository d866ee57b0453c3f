import { LRUCache } from 'lru-cache';
import { wrapperMarkerType } from '../calls/wrapper-marker.ts';
import type { EventToStore } from '../intake/event-columns.ts';

const maxParents = 50_000;
/** Markers can be erased with their calls, so one is stored again after this time, in milliseconds. */
const knownMs = 10 * 60_000;

/**
 * The ids whose markers this instance has just stored. The span of a session may have thousands of calls within it, each
 * exported by itself, and every further marker of one id would be read with all the others.
 */
export class MarkedParents {
  readonly #known = new LRUCache<string, true>({ max: maxParents, ttl: knownMs });

  has(projectId: string, eventId: string): boolean {
    return this.#known.has(`${projectId} ${eventId}`);
  }

  /** Notes the markers among events that are durable. */
  add(events: readonly EventToStore[]): void {
    for (const { projectId, columns } of events) {
      if (columns.eventType === wrapperMarkerType) this.#known.set(`${projectId} ${columns.eventId}`, true);
    }
  }
}
