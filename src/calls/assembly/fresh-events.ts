import { formatMoney } from '../../lib/money.ts';
import type { EventRow } from '../events/event-columns.ts';
import { type LoggedEvent, phases } from '../merging/merge.ts';

/** The most that is held, in bytes: some 40,000 events of 500 bytes. */
const maxHeldBytes = 64 * 1_048_576;
/** What an event takes in memory beside what was sent, in bytes. */
const eventBytes = 1_024;

interface Held {
  readonly event: LoggedEvent;
  readonly bytes: number;
}

/**
 * Events that this process has stored in the log and that are not assembled yet: a batch takes them from here, so that
 * they need not be read back. It has either all events after a sequence or none, and nothing depends on what it has.
 */
export class FreshEvents {
  readonly #isWanted: () => boolean;
  /** In the order of their sequences, without gaps. */
  #held: Held[] = [];
  #heldBytes = 0;
  #clears = 0;

  /** Holds events only while `isWanted`: while this process assembles. */
  constructor(isWanted: () => boolean) {
    this.#isWanted = isWanted;
  }

  /** Call the result with the rows once the log has them. None is held if memory was cleared meanwhile. */
  expect(): (rows: readonly EventRow[]) => void {
    const clears = this.#clears;
    const isWanted = this.#isWanted();
    return (rows) => {
      if (isWanted && clears === this.#clears) this.hold(rows);
    };
  }

  /** Takes rows of one writer that the log has. Those that are too many are left to the log. */
  hold(rows: readonly EventRow[]): void {
    const [first] = rows;
    const last = this.#held.at(-1)?.event;
    const isNext = last === undefined || (first?.writer === last.writer && first.seq === last.seq + 1);
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0);
    if (!isNext || !this.#isWanted() || this.#heldBytes + bytes > maxHeldBytes) this.#empty();
    if (!this.#isWanted() || bytes > maxHeldBytes) return;
    for (const row of rows) this.#held.push({ event: toLoggedEvent(row), bytes: bytesOf(row) });
    this.#heldBytes += bytes;
  }

  /** The events of a writer in this span; empty when the log must be read. Earlier ones are held no longer. */
  take(writer: string, { afterSeq, toSeq }: { readonly afterSeq: number; readonly toSeq: number }): LoggedEvent[] {
    const first = this.#held[0]?.event;
    if (first?.writer !== writer || first.seq > afterSeq + 1) return [];
    for (const { bytes } of this.#held.splice(0, afterSeq + 1 - first.seq)) this.#heldBytes -= bytes;
    return this.#held.slice(0, toSeq - afterSeq).map(({ event }) => event);
  }

  /** Holds nothing any more: events of the log were deleted, or another process assembles. */
  clear(): void {
    this.#clears += 1;
    this.#empty();
  }

  #empty(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}

const bytesOf = ({ event }: EventRow): number => eventBytes + event.text.length;

/** The event as it is read from the log. */
function toLoggedEvent({ writer, seq, receivedAtMs, event: { projectId, columns } }: EventRow): LoggedEvent {
  const { eventId, eventTimeMs: timeMs, hasTimestamp, phase, tags, fields, usage, units, cost } = columns;
  const counts: Record<string, string> = {};
  for (const unit in units) counts[unit] = formatMoney(units[unit as keyof typeof units] ?? 0n);
  return {
    projectId,
    eventId,
    writer,
    seq,
    receivedAtMs,
    timeMs,
    hasTimestamp,
    phase: phases[phase],
    tags,
    fields,
    usage,
    units: counts,
    cost: cost === null ? null : formatMoney(cost),
  };
}
