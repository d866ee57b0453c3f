import { isNoPlainSpan, isPlainSpan } from '../events/plain-span.ts';
import { callMs, type EventsOfId, phases } from './merge.ts';

/*
 * The column `open_state` of `event_ids` says whether a call is open: begun, without an outcome
 * (docs/decisions/0005). It is the highest value of all events of an id:
 *
 * - of a `.before`: 2 h, where h is the hour of its receipt, counted since 1970;
 * - of an outcome: 2 h + 1, where h is the last hour in which a `.before` still belongs to it (D4.2);
 * - of a span that is no call: 0.
 *
 * So it is even and not 0 while no outcome came after the last `.before`, or less than 48 hours earlier. Hours take a
 * byte for each id; milliseconds would take four.
 */

const hourMs = 3_600_000;

/** The state of an id with these events, none of them custom. */
export function openStateOf(events: EventsOfId): number {
  let state = 0;
  for (const event of events) {
    const { phase, receivedAtMs } = event;
    if (phase !== phases.before) state = Math.max(state, 2 * Math.floor((receivedAtMs + callMs) / hourMs) + 1);
    else if (!isPlainSpan(event)) state = Math.max(state, 2 * Math.floor(receivedAtMs / hourMs));
  }
  return state;
}

/** Records ids in `event_ids`, which adds up the rows of an id itself, so memory does not grow with the log. */
export const noteIdsOf = (events: string): string => `
    INSERT INTO event_ids (project, event_id, first_received_at, last_received_at, open_state)
    SELECT project, event_id, received_at, received_at, multiIf(
      phase != 'before', 2 * intDiv(toUnixTimestamp64Milli(received_at) + ${callMs}, ${hourMs}) + 1,
      ${isNoPlainSpan}, 2 * intDiv(toUnixTimestamp64Milli(received_at), ${hourMs}),
      0)
    FROM events WHERE phase != 'custom' AND ${events}`;

/** The condition for rows of `event_ids` that say that a call is open. Other rows of the id may have its outcome. */
export const isOpen = 'open_state > 0 AND open_state % 2 = 0';
