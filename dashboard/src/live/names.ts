import type { EventRow } from '../api/types.ts';

/** A unique name for each event. An event may be posted twice in one millisecond, so equal names get a count. */
export function nameEvents(rows: readonly EventRow[]): Map<EventRow, string> {
  const seen = new Map<string, number>();
  return new Map(
    rows.map((row) => {
      const name = JSON.stringify([row.received_at, row.client_id, row.event.event_id, row.event.event_type]);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return [row, `${name} ${count}`];
    }),
  );
}
