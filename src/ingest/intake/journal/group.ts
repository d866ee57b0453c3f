import type { WaitingRequest } from '../buffer.ts';
import type { Location } from './journal.ts';
import type { JournaledRequest } from './record.ts';

/** A request that waits for the journal, or for the log where the journal could not take it. */
export interface Request extends WaitingRequest {
  readonly readAtMs: number;
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
