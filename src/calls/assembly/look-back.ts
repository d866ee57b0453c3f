import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import { column, text, timeMs } from '../../clickhouse/native-block.ts';
import { type EventKey, type EventsOfId, groupById, keyOf, type LoggedEvent, phases } from './merge.ts';
import { type HeardId, selectEventsOfIds, selectHeard, selectIds } from './sql.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * How far to look back for other events of the ids of a slice: most calls finish in minutes; an id may come back within
 * 48 hours (D4.2), and with a timestamp at any time.
 */
const lookBackMs = [10 * minuteMs, 6 * hourMs, 49 * hourMs, Number.POSITIVE_INFINITY];

/** An id of a slice, and when its first and last event of it was received, in milliseconds since 1970. */
interface SliceId extends EventKey {
  readonly firstMs: number;
  readonly lastMs: number;
}

const idColumns = [
  column('project', text, ({ projectId }: SliceId) => projectId),
  column('event_id', text, ({ eventId }: SliceId) => eventId),
  column('first_received_at', timeMs, ({ firstMs }: SliceId) => firstMs),
  column('last_received_at', timeMs, ({ lastMs }: SliceId) => lastMs),
];

export interface LookBackSources {
  readonly select: <Row>(statement: Clause) => Promise<Row[]>;
  readonly store: Pick<AnalyticStore, 'insertRows'>;
}

/** All events of the ids of a slice that calls are made of. */
export interface Companions {
  readonly ids: readonly EventsOfId[];
  /**
   * Done when the ids of the slice are noted, so that later events of theirs are merged with these: before a later slice is
   * looked up, and before a call of theirs is written.
   */
  readonly noted: Promise<void>;
}

/**
 * Most ids of a slice are new, and then it has all their events: an id is noted before its first event is in a call. Of the
 * others the log is read back to where they were first heard of.
 */
export async function readCompanions(
  { select, store }: LookBackSources,
  slice: readonly LoggedEvent[],
): Promise<Companions> {
  const groups = groupById(slice.filter(({ phase }) => phase !== phases.custom));
  if (groups.length === 0) return { ids: [], noted: Promise.resolve() };
  const ids = groups.map(toSliceId);
  // Before the ids are noted: then those that are found have events in an earlier batch.
  const heard = await select<HeardId>(selectHeard(ids));
  const noted = store.insertRows('event_ids', idColumns, ids);
  // Whoever takes it up sees the error; nobody may.
  noted.catch(() => undefined);
  if (heard.length === 0) return { ids: groups, noted };
  const keys = new Set(heard.map(keyOf));
  const earlier = await readFromFirst(select, heard, slice);
  return { ids: [...groups.filter(([event]) => !keys.has(keyOf(event))), ...groupById(earlier)], noted };
}

function toSliceId(events: EventsOfId): SliceId {
  const [{ projectId, eventId }] = events;
  let [{ receivedAtMs: firstMs, receivedAtMs: lastMs }] = events;
  for (const { receivedAtMs } of events) {
    firstMs = Math.min(firstMs, receivedAtMs);
    lastMs = Math.max(lastMs, receivedAtMs);
  }
  return { projectId, eventId, firstMs, lastMs };
}

/** All events of ids that were heard of before, also those of the slice. */
async function readFromFirst(
  select: LookBackSources['select'],
  heard: readonly HeardId[],
  slice: readonly LoggedEvent[],
): Promise<LoggedEvent[]> {
  const sliceMs = slice.reduce((first, { receivedAtMs }) => Math.min(first, receivedAtMs), Number.POSITIVE_INFINITY);
  const bySteps = Map.groupBy(heard, ({ firstReceivedAtMs }) =>
    lookBackMs.findIndex((ms) => firstReceivedAtMs >= sliceMs - ms),
  );
  const earlier: LoggedEvent[] = [];
  for (const ids of bySteps.values()) {
    const sinceMs = ids.reduce((first, { firstReceivedAtMs }) => Math.min(first, firstReceivedAtMs), sliceMs);
    const ofStep = await select<LoggedEvent>(selectEventsOfIds({ ids: selectIds(ids), sinceMs }));
    for (const event of ofStep) earlier.push(event);
  }
  return earlier;
}
