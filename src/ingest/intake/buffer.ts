import type { EventToStore } from '../../calls/event-columns.ts';
import type { Problem } from '../../lib/problem.ts';

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
  readonly bytes: number;
  /** By `monthOf`. */
  readonly month: number;
  readonly receivedAtMs: number;
  /** When it began to wait, in milliseconds since 1970. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (problem: Problem) => void;
}

/** The intake's interface to storage: it makes events durable, and stores them in the log. */
export interface IntakeBuffer {
  /** The sequence up to which the log has all events. */
  readonly storedSeq: number;
  /** The error of the last attempt to make events durable, or to store them; undefined when it succeeded. */
  readonly failure: unknown;
  /** Whether events are accepted while the store fails. */
  readonly takesEvents: boolean;
  /** Whether acknowledged events are missing in the log. */
  readonly hasUnstored: boolean;
  /** Bytes of events that the log does not have yet. */
  readonly bufferedBytes: number;
  /** Whether the backlog is so large that another large request would not be durable soon (D3.7). */
  readonly isFull: boolean;
  /** The time of receipt for the next events, in milliseconds since 1970: never before that of earlier events (D4.3). */
  receivedAt(): number;
  /** The last stored sequence, and a time before which no later event is received; undefined while events wait. */
  idleSince(): { readonly seq: number; readonly receivedAt: number } | undefined;
  /**
   * Takes the events of one project; resolves when they are durable (D3.2).
   * @throws Problem `unavailable` when they can't be made durable (D3.7); they may still have been
   */
  store(events: readonly EventToStore[], takenAtMs: number): Promise<void>;
  /** Stores acknowledged events at once, because an answer waits for them. */
  hasten(): void;
  /**
   * Resolves once the log has all events acknowledged before.
   * @throws Problem `unavailable` when the store does not accept them
   */
  flush(): Promise<void>;
  /** Accepts no more events and stores the waiting ones. */
  close(): Promise<void>;
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
