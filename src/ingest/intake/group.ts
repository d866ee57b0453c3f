import type { EventToStore } from '../../calls/events/event-columns.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Location } from './journal/journal.ts';

/** Events that are durable together: in the journal, or by one INSERT in the log. */
export interface StoredBatch {
  /** The highest sequence of the batch. */
  readonly lastSeq: number;
  /** The highest sequence of each project in it. */
  readonly lastSeqByProject: ReadonlyMap<string, number>;
  readonly events: number;
}

/** The events of one request, all received in one month: they go into one INSERT. */
export interface WaitingRequest {
  readonly events: readonly EventToStore[];
  readonly projectId: string;
  /** As sent, plus an estimate for their rows. */
  readonly bytes: number;
  /** By `monthOf`. */
  readonly month: number;
  readonly readAtMs: number;
  readonly receivedAtMs: number;
  /** When it began to wait, in milliseconds since 1970. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (problem: Problem) => void;
}

/** Requests that are made durable together. Their events have consecutive sequences. */
export interface CommitGroup extends StoredBatch {
  readonly month: number;
  readonly firstSeq: number;
  readonly bytes: number;
  /** By `performance.now()`. */
  readonly gatheredAt: number;
  /** Where the journal has them; undefined when it does not, so that their requests wait for the log. */
  readonly location: Location | undefined;
  /** Undefined once they are in the journal alone. */
  requests: readonly WaitingRequest[] | undefined;
}

/** Gives the events of requests their sequences, from the one after `lastSeq` on. */
export function toGroup(
  requests: readonly WaitingRequest[],
  lastSeq: number,
): Omit<CommitGroup, 'location' | 'requests'> {
  const lastSeqByProject = new Map<string, number>();
  let [seq, bytes] = [lastSeq, 0];
  for (const request of requests) {
    seq += request.events.length;
    bytes += request.bytes;
    lastSeqByProject.set(request.projectId, seq);
  }
  return {
    month: requests[0]?.month ?? 0,
    firstSeq: lastSeq + 1,
    lastSeq: seq,
    lastSeqByProject,
    bytes,
    events: seq - lastSeq,
    gatheredAt: performance.now(),
  };
}

/** The approximate size of a row beside the text of its event and the columns that repeat it, in bytes. */
const keyBytes = 100;

/** The bytes of events as sent, plus an estimate for their rows. */
export function bytesOf(events: readonly EventToStore[]): { readonly sentBytes: number; readonly bytes: number } {
  const sentBytes = events.reduce((sum, { text }) => sum + text.length, 0);
  return { sentBytes, bytes: 2 * sentBytes + keyBytes * events.length };
}

/** The UTC month of a time: the partition of events received then. */
export function monthOf(ms: number): number {
  const date = new Date(ms);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
}
