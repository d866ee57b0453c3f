import type { Problem } from '../../lib/problem.ts';
import type { EventToStore } from '../event-columns.ts';
import type { Location } from './journal.ts';
import type { JournaledRequest } from './record.ts';

/** The events of one request, all received in one month. */
export interface Request {
  readonly events: readonly EventToStore[];
  readonly projectId: string;
  readonly bytes: number;
  readonly month: number;
  readonly readAtMs: number;
  readonly receivedAtMs: number;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (problem: Problem) => void;
}

/** Requests that are appended to the journal together. Their events have consecutive sequences. */
export interface Group {
  readonly month: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly lastSeqByProject: ReadonlyMap<string, number>;
  readonly bytes: number;
  readonly events: number;
  /** By `performance.now()`. */
  readonly gatheredAt: number;
  /** Where the journal has them; undefined when it could not take them, so that their requests wait for the log. */
  readonly location: Location | undefined;
  /** Undefined once they are in the journal alone. */
  requests: readonly Request[] | undefined;
}

/** Gives the events of requests their sequences, from the one after `lastSeq` on. */
export function gather(requests: readonly Request[], lastSeq: number): Omit<Group, 'location' | 'requests'> {
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

/** A request as the journal keeps it. */
export const toJournaled = ({ events, projectId, readAtMs, receivedAtMs }: Request): JournaledRequest => ({
  projectId,
  clientId: events[0]?.clientId ?? '',
  readAtMs,
  receivedAtMs,
  texts: events.map(({ text }) => text),
});
