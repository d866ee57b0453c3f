import { parseJson } from '../../lib/json.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { bool, column, text, timeMs, uint64 } from '../../storage/analytic/native-block.ts';
import { type EventKey, type EventsOfId, keyOf, type LoggedEvent } from './merge.ts';

/** An id whose events are condensed, as all assembled events have made it (docs/decisions/0033). */
export interface CondensedId extends EventKey {
  readonly kept: EventsOfId;
  /** How many events it has had, and of each writer the last one that is counted, so that none counts twice. */
  readonly events: number;
  readonly counted: Readonly<Record<string, number>>;
  /** Whether one of its calls has had more tags than it keeps. */
  readonly hasCutTags: boolean;
}

/** A condensed id with the version of the batch that has made it. */
export interface CondensedRow {
  readonly id: CondensedId;
  readonly version: number;
}

export const condensedColumns = [
  column('project', text, ({ id }: CondensedRow) => id.projectId),
  column('event_id', text, ({ id }: CondensedRow) => id.eventId),
  column('version', uint64, ({ version }: CondensedRow) => version),
  column('last_received_at', timeMs, ({ id }: CondensedRow) =>
    id.kept.reduce((last, { receivedAtMs }) => Math.max(last, receivedAtMs), 0),
  ),
  column('events', uint64, ({ id }: CondensedRow) => id.events),
  column('has_cut_tags', bool, ({ id }: CondensedRow) => id.hasCutTags),
  column('state', text, ({ id: { kept, counted } }: CondensedRow) => JSON.stringify({ kept, counted })),
];

export interface StoredCondensed extends EventKey {
  readonly events: number;
  readonly hasCutTags: boolean;
  readonly state: string;
}

const storedCondensed =
  'project AS projectId, event_id AS eventId, toFloat64(events) AS events, has_cut_tags AS hasCutTags, state';

/** The condensed ids among these. `ids` is a SELECT of (project, event_id). */
export const selectCondensed = (ids: Clause, settings = ''): Clause => ({
  sql: `SELECT ${storedCondensed} FROM condensed_ids FINAL WHERE (project, event_id) IN (${ids.sql}) ${settings}`,
  parameters: ids.parameters,
});

export function toCondensedId({ state, hasCutTags, ...row }: StoredCondensed): CondensedId {
  const { kept, counted } = parseJson(state) as Pick<CondensedId, 'kept' | 'counted'>;
  return { ...row, hasCutTags: Boolean(hasCutTags), kept, counted };
}

/** Condensed ids by `keyOf`. */
export const byKey = (ids: Iterable<CondensedId>): Map<string, CondensedId> =>
  new Map(Array.from(ids, (id) => [keyOf(id), id]));

/** Counts events of an id on top of those that are counted. */
export function countOn(
  known: Pick<CondensedId, 'events' | 'counted'>,
  events: readonly LoggedEvent[],
): Pick<CondensedId, 'events' | 'counted'> {
  const counted = new Map(Object.entries(known.counted));
  let total = known.events;
  for (const { writer, seq } of events.toSorted((a, b) => a.seq - b.seq)) {
    if (seq <= (counted.get(writer) ?? 0)) continue;
    counted.set(writer, seq);
    total += 1;
  }
  return { events: total, counted: Object.fromEntries(counted) };
}

export const uncounted: Pick<CondensedId, 'events' | 'counted'> = { events: 0, counted: {} };
