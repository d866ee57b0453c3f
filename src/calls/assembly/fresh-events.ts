import type { EventRow } from '../../intake/event-columns.ts';
import { formatMoney } from '../../lib/money.ts';
import { type LoggedEvent, phases } from './merge.ts';

/** The most events that are held, each in about a kilobyte. */
const maxHeld = 50_000;

/**
 * Events that this process has stored in the log and that are not assembled yet: a batch takes them from here, so that
 * they need not be read back (docs/decisions/0024). It has either all events after a sequence or none, and nothing depends
 * on what it has.
 */
export class FreshEvents {
  readonly #isWanted: () => boolean;
  /** In the order of their sequences, without gaps. */
  #events: LoggedEvent[] = [];

  /** Holds events only while `isWanted`: while this process assembles. */
  constructor(isWanted: () => boolean) {
    this.#isWanted = isWanted;
  }

  /** Takes rows of one writer that the log has. Those that are too many are left to the log. */
  hold(rows: readonly EventRow[]): void {
    const [first] = rows;
    const last = this.#events.at(-1);
    const isNext = last === undefined || (first?.writer === last.writer && first.seq === last.seq + 1);
    if (!isNext || !this.#isWanted() || this.#events.length + rows.length > maxHeld) this.clear();
    if (!this.#isWanted() || rows.length > maxHeld) return;
    for (const row of rows) this.#events.push(toLoggedEvent(row));
  }

  /**
   * The events of a writer after a sequence and up to another; empty when they must be read from the log. Earlier events
   * are held no longer.
   */
  take(writer: string, { afterSeq, toSeq }: { readonly afterSeq: number; readonly toSeq: number }): LoggedEvent[] {
    const [first] = this.#events;
    if (first?.writer !== writer || first.seq > afterSeq + 1) return [];
    this.#events.splice(0, afterSeq + 1 - first.seq);
    return this.#events.slice(0, toSeq - afterSeq);
  }

  /** Holds nothing any more: events of the log were deleted, or another process assembles. */
  clear(): void {
    this.#events = [];
  }
}

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
