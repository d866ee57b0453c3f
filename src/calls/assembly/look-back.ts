import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import { column, text, timeMs, uint32 } from '../../clickhouse/native-block.ts';
import { type EventKey, type EventsOfId, groupById, keyOf, type LoggedEvent, phases } from './merge.ts';
import { openStateOf } from './open-state.ts';
import { type KnownId, selectEventsOfIds, selectIds, selectKnown } from './sql.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * How far to look back for earlier events of a slice's ids, in milliseconds. Most calls finish in minutes. An id may
 * be used again within 48 hours (D4.2), and at any time with a timestamp.
 */
const lookBackMs = [10 * minuteMs, 6 * hourMs, 49 * hourMs, Number.POSITIVE_INFINITY];

/**
 * An id of a slice, when its first and last event in the slice were received, in milliseconds since 1970, and whether
 * they leave it open.
 */
interface SliceId extends EventKey {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly openState: number;
}

const idColumns = [
  column('project', text, ({ projectId }: SliceId) => projectId),
  column('event_id', text, ({ eventId }: SliceId) => eventId),
  column('first_received_at', timeMs, ({ firstMs }: SliceId) => firstMs),
  column('last_received_at', timeMs, ({ lastMs }: SliceId) => lastMs),
  column('open_state', uint32, ({ openState }: SliceId) => openState),
];

export interface LookBackSources {
  readonly select: <Row>(statement: Clause) => Promise<Row[]>;
  readonly store: Pick<AnalyticStore, 'insertRows'>;
}

/** The result of a look-back: all events of a slice's ids. */
export interface LookBack {
  readonly ids: readonly EventsOfId[];
  /**
   * Resolves when the slice's ids are recorded in `event_ids`, so that later batches find these events. Await it before
   * a later slice is looked up, and before calls of these ids are written.
   */
  readonly noted: Promise<void>;
}

/**
 * Completes the events of a slice's ids. Most ids are new. An id is recorded before its first event is in a call, so
 * the slice has all events of a new id. For the other ids, the log is read from their first event on.
 */
export async function lookBack({ select, store }: LookBackSources, slice: readonly LoggedEvent[]): Promise<LookBack> {
  const groups = groupById(slice.filter(({ phase }) => phase !== phases.custom));
  if (groups.length === 0) return { ids: [], noted: Promise.resolve() };
  const ids = groups.map(toSliceId);
  // Look up the ids before they are recorded: an id that is found then has events in an earlier batch.
  const known = await select<KnownId>(selectKnown(ids));
  const noted = store.insertRows('event_ids', idColumns, ids);
  // The error is thrown where `noted` is awaited, which may never happen.
  noted.catch(() => undefined);
  if (known.length === 0) return { ids: groups, noted };
  const keys = new Set(known.map(keyOf));
  const earlier = await readFromFirst(select, known, slice);
  return { ids: [...groups.filter(([event]) => !keys.has(keyOf(event))), ...groupById(earlier)], noted };
}

function toSliceId(events: EventsOfId): SliceId {
  const [{ projectId, eventId }] = events;
  let [{ receivedAtMs: firstMs, receivedAtMs: lastMs }] = events;
  for (const { receivedAtMs } of events) {
    firstMs = Math.min(firstMs, receivedAtMs);
    lastMs = Math.max(lastMs, receivedAtMs);
  }
  return { projectId, eventId, firstMs, lastMs, openState: openStateOf(events) };
}

/** All events of known ids, those of the slice included. */
async function readFromFirst(
  select: LookBackSources['select'],
  known: readonly KnownId[],
  slice: readonly LoggedEvent[],
): Promise<LoggedEvent[]> {
  const sliceMs = slice.reduce((first, { receivedAtMs }) => Math.min(first, receivedAtMs), Number.POSITIVE_INFINITY);
  const bySteps = Map.groupBy(known, ({ firstReceivedAtMs }) =>
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
