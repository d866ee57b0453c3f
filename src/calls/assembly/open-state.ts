import { isNoMarker, wrappedCallOf } from '../wrapper-marker.ts';
import { callMs, type EventsOfId, phases } from './merge.ts';

/*
 * The column `open_state` of `event_ids` says whether a call is open: begun, without an outcome
 * (docs/decisions/0030). It is the highest value of all events of an id:
 *
 * - of a `.before`: 2 h, where h is the hour of its receipt, counted since 1970;
 * - of an outcome: 2 h + 1, where h is the last hour in which a `.before` still belongs to it (D4.2);
 * - of a marker: 0.
 *
 * So it is even and not 0 while no outcome came after the last `.before`, or less than 48 hours earlier. Hours take a
 * byte for each id; milliseconds would take four.
 */

const hourMs = 3_600_000;

/** The state of an id with these events, none of them custom. */
export function openStateOf(events: EventsOfId): number {
  let state = 0;
  for (const { phase, fields, receivedAtMs } of events) {
    if (phase === phases.before && wrappedCallOf({ fields }) === undefined) {
      state = Math.max(state, 2 * Math.floor(receivedAtMs / hourMs));
    } else if (phase !== phases.before) {
      state = Math.max(state, 2 * Math.floor((receivedAtMs + callMs) / hourMs) + 1);
    }
  }
  return state;
}

/**
 * Records ids in `event_ids` from the log. Needs a condition, which must exclude custom events, and GROUP BY project,
 * event_id.
 */
export const noteIdsOfEvents = `INSERT INTO event_ids (project, event_id, first_received_at, last_received_at, open_state)
      SELECT project, event_id, min(received_at), max(received_at), max(multiIf(
        phase != 'before', 2 * intDiv(toUnixTimestamp64Milli(received_at) + ${callMs}, ${hourMs}) + 1,
        ${isNoMarker}, 2 * intDiv(toUnixTimestamp64Milli(received_at), ${hourMs}),
        0))
      FROM events`;

/** The condition for rows of `event_ids` that say that a call is open. Other rows of the id may have its outcome. */
export const isOpen = 'open_state > 0 AND open_state % 2 = 0';
