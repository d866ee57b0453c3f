import { LRUCache } from 'lru-cache';
import { wrapperMarkerType } from '../calls/wrapper-marker.ts';
import type { EventToStore } from '../intake/event-columns.ts';

const maxParents = 50_000;
/**
 * How long an id is remembered, in milliseconds. After that its marker is stored again, because it may have been
 * erased with its calls.
 */
const knownMs = 10 * 60_000;

/**
 * The ids whose markers this instance has just stored. A session's span can contain thousands of calls, each exported
 * by itself, and every repeated marker of one id would be read with all the others.
 */
export class MarkedParents {
  readonly #known = new LRUCache<string, true>({ max: maxParents, ttl: knownMs });

  has(projectId: string, eventId: string): boolean {
    return this.#known.has(`${projectId} ${eventId}`);
  }

  /** Notes the markers among durable events. */
  add(events: readonly EventToStore[]): void {
    for (const { projectId, columns } of events) {
      if (columns.eventType === wrapperMarkerType) this.#known.set(`${projectId} ${columns.eventId}`, true);
    }
  }
}
