import { inTurns } from '../../lib/in-turns.ts';
import { areFew, type Condensed, condense, PossibleStarts } from './condense.ts';
import { type CondensedId, countOn, uncounted } from './condensed-ids.ts';
import { isBecauseOfEvents } from './event-faults.ts';
import { type EventKey, isOutcome, keyOf, type LoggedEvent, type MergedCall, mergeEvents } from './merge.ts';
import { type Select, selectEventsInOrder } from './sql.ts';

export interface MergeSources {
  readonly select: Select;
  /** Attaches the later contents of events of one id. */
  readonly attach: (events: readonly LoggedEvent[]) => Promise<readonly LoggedEvent[]>;
}

export interface IdInHand {
  /** All of them; or those kept of earlier ones, and later ones. Empty if they must be read from the log. */
  readonly events: readonly LoggedEvent[];
  /** The id as its earlier events have made it; undefined unless it is condensed. */
  readonly condensed?: CondensedId | undefined;
}

export interface MergedIds {
  readonly calls: readonly MergedCall[];
  /** The ids that are condensed from now on, or that have new events. */
  readonly condensed: readonly CondensedId[];
}

/** Merges ids into calls. An id with many events is condensed: of those in hand, or else of the log. */
export async function mergeIds(sources: MergeSources, ids: readonly (EventKey & IdInHand)[]): Promise<MergedIds> {
  const calls: MergedCall[] = [];
  const many: (EventKey & IdInHand)[] = [];
  await inTurns(ids, (id) => {
    const [first, ...others] = id.events;
    if (id.condensed || first === undefined) many.push(id);
    else if (areFew([first, ...others])) calls.push(...mergeEvents([first, ...others]));
    else many.push(id);
  });
  const condensed: CondensedId[] = [];
  for (const { projectId, eventId, ...id } of many) {
    const done = (await condenseInHand(id)) ?? (await condenseFromLog(sources, { projectId, eventId }));
    const [first, ...others] = done.kept;
    calls.push(...done.calls);
    if (first) condensed.push({ projectId, eventId, ...done, kept: [first, ...others] });
  }
  return { calls, condensed };
}

type Done = Condensed & Pick<CondensedId, 'events' | 'counted'>;

async function condenseInHand({ events, condensed }: IdInHand): Promise<Done | undefined> {
  const done = events.length > 0 ? condense(events) : undefined;
  if (done === undefined) return undefined;
  const fresh = events.filter(({ part }) => part === undefined);
  const hasCutTags = done.hasCutTags || condensed?.hasCutTags === true;
  return { ...done, ...countOn(condensed ?? uncounted, fresh), hasCutTags };
}

/** The most events that are read at once. */
const mostRead = 5_000;

/** Condenses all events of an id in the log, in the order of their receipt. */
async function condenseFromLog({ select, attach }: MergeSources, key: EventKey): Promise<Done> {
  let done: Condensed = { kept: [], calls: [], hasCutTags: false };
  let count = uncounted;
  let after: LoggedEvent | undefined;
  let most = mostRead;
  const starts = new PossibleStarts();
  for (;;) {
    const read = await select<LoggedEvent>(selectEventsInOrder(key, after, most)).catch((error: unknown) => {
      if (most === 1 || !isBecauseOfEvents(error)) throw error;
      return undefined;
    });
    if (read === undefined) {
      most = Math.ceil(most / 8);
      continue;
    }
    const events = await attach(read);
    for (const event of events) if (isOutcome(event)) starts.add(event);
    const next = condense([...done.kept, ...events]);
    if (next === undefined) throw new Error(`Events of ${keyOf(key)} are not in the order of their receipt`);
    done = { ...next, hasCutTags: done.hasCutTags || next.hasCutTags };
    count = countOn(count, events);
    after = read.at(-1) ?? after;
    if (read.length < most) break;
  }
  // Rows of earlier calls may be on other days, and none is known to be written.
  const outcomeTimesMs = starts.list();
  return { ...done, ...count, calls: done.calls.map((call) => ({ ...call, outcomeTimesMs, isWritten: false })) };
}
