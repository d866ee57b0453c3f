import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { column, text, timeMs, uint32 } from '../../storage/analytic/native-block.ts';
import { byKey, type CondensedId, type StoredCondensed, selectCondensed, toCondensedId } from './condensed-ids.ts';
import { isBecauseOfEvents } from './event-faults.ts';
import { type EventKey, type EventsOfId, groupById, keyOf, type LoggedEvent, phases, placeOf } from './merge.ts';
import type { IdInHand } from './merge-ids.ts';
import { openStateOf } from './open-state.ts';
import { type KnownId, type Select, selectEventsOfIds, selectIds, selectKnown, withinBytes } from './sql.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** In milliseconds. Most calls finish in minutes; an id may be used again in 48 hours or, with a time, ever (D4.2). */
const lookBackMs = [10 * minuteMs, 6 * hourMs, 49 * hourMs, Number.POSITIVE_INFINITY];

/** An id of a slice, when its events there were received, and whether they leave it open. */
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
  readonly select: Select;
  readonly store: Pick<AnalyticStore, 'insertRows'>;
}

/** The result of a look-back: the events of a slice's ids. */
export interface LookBack {
  readonly ids: readonly (EventKey & IdInHand)[];
  /** Resolves when `event_ids` has the slice's ids; before, no later slice may be looked up or calls written. */
  readonly whenNoted: Promise<void>;
}

/**
 * Completes the events of a slice's ids. Most ids are new. An id is recorded before its first event is in a call, so
 * the slice has all events of a new id. Of condensed ids, the events that decide are known; `condensedBefore` has those that
 * the previous batch may not have stored yet. For the other ids, the log is read from their first event on.
 */
export async function lookBack(
  { select, store }: LookBackSources,
  slice: readonly LoggedEvent[],
  condensedBefore: readonly CondensedId[] = [],
): Promise<LookBack> {
  const groups = groupById(slice.filter(({ phase }) => phase !== phases.custom));
  if (groups.length === 0) return { ids: [], whenNoted: Promise.resolve() };
  const ids = groups.map(toSliceId);
  // Look up the ids before they are recorded: an id that is found then has events in an earlier batch.
  const rows = await findKnown(select, ids);
  const whenNoted = store.insertRows('event_ids', idColumns, ids);
  // The error is thrown where `whenNoted` is awaited, which may never happen.
  whenNoted.catch(() => undefined);
  if (rows.length === 0) return { ids: groups.map((group) => inHand(group)), whenNoted };
  const condensed = byKey(await readCondensed(select, rows));
  for (const id of condensedBefore) condensed.set(keyOf(id), id);
  const known = rows.filter((row) => !condensed.has(keyOf(row)));
  const keys = new Set(known.map(keyOf));
  const sliceMs = slice.reduce((first, { receivedAtMs }) => Math.min(first, receivedAtMs), Number.POSITIVE_INFINITY);
  const earlier = await readFromFirst(select, known, sliceMs);
  return {
    ids: [
      ...groups.flatMap((group) => {
        const key = keyOf(group[0]);
        return keys.has(key) ? [] : [inHand(group, condensed.get(key))];
      }),
      ...earlier,
    ],
    whenNoted,
  };
}

/** The events of an id that are in a slice, with those kept of earlier ones. An event that is both is taken once. */
function inHand(events: EventsOfId, condensed?: CondensedId): EventKey & IdInHand {
  const [{ projectId, eventId }] = events;
  if (!condensed) return { projectId, eventId, events };
  const parts = new Map(condensed.kept.map((event) => [placeOf(event), event.part]));
  const places = new Set(events.map(placeOf));
  const fresh = events.map((event) => {
    const part = parts.get(placeOf(event));
    return part === undefined ? event : { ...event, part };
  });
  const kept = condensed.kept.filter((event) => !places.has(placeOf(event)));
  return { projectId, eventId, events: [...kept, ...fresh], condensed };
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

/** All events of these ids, none of which is condensed. `aboutMs`: when most of them were received. */
export async function readIds(
  select: LookBackSources['select'],
  keys: readonly EventKey[],
  aboutMs: number,
): Promise<(EventKey & IdInHand)[]> {
  const known = await findKnown(select, keys);
  if (known.length === 0) return [];
  const condensed = byKey(await readCondensed(select, known));
  const whole = known.filter((row) => !condensed.has(keyOf(row)));
  return whole.length === 0 ? [] : await readFromFirst(select, whole, aboutMs);
}

/** Those of these ids that have events in earlier batches. */
async function findKnown(select: LookBackSources['select'], keys: readonly EventKey[]): Promise<KnownId[]> {
  const rows = await select<KnownId>(selectKnown(keys));
  if (rows.length === 0) return rows;
  const sought = new Set(keys.map(keyOf));
  return rows.filter((row) => sought.has(keyOf(row)));
}

/** Those of known ids that are condensed: an id is known before it is condensed. */
const readCondensed = async (select: LookBackSources['select'], known: readonly KnownId[]): Promise<CondensedId[]> =>
  (await select<StoredCondensed>(selectCondensed(selectIds(known), withinBytes))).map(toCondensedId);

/** All events of known ids, those of the slice included. A single id may have too many for one statement. */
async function readFromFirst(
  select: LookBackSources['select'],
  known: readonly KnownId[],
  sliceMs: number,
): Promise<(EventKey & IdInHand)[]> {
  const bySteps = Map.groupBy(known, ({ firstReceivedAtMs }) =>
    lookBackMs.findIndex((ms) => firstReceivedAtMs >= sliceMs - ms),
  );
  const earlier: LoggedEvent[] = [];
  for (const ids of bySteps.values()) {
    const sinceMs = ids.reduce((first, { firstReceivedAtMs }) => Math.min(first, firstReceivedAtMs), sliceMs);
    const ofStep = await select<LoggedEvent>(selectEventsOfIds({ ids: selectIds(ids), sinceMs })).catch(
      (error: unknown) => {
        if (known.length > 1 || !isBecauseOfEvents(error)) throw error;
        return undefined;
      },
    );
    if (ofStep === undefined) return known.map(({ projectId, eventId }) => ({ projectId, eventId, events: [] }));
    for (const event of ofStep) earlier.push(event);
  }
  return groupById(earlier).map((events) => inHand(events));
}
