import { otherUsageField } from '../../usage/other-usage.ts';
import {
  byReceipt,
  type EventsOfId,
  isOutcome,
  type LoggedEvent,
  limitTags,
  type MergedCall,
  maxCallTags,
  namedModels,
  phases,
  rank,
  reportsUsage,
  type SplitId,
  splitIntoCalls,
  toCalls,
} from './merge.ts';

/*
 * An id may have had any number of events. Of the events of each part of an id (a call, or what waits for the next one),
 * a few decide: those that a field, a tag, the usage or the cost comes from, and the first and last ones, which show
 * whether a later event changes what belongs to the part. The rest is not needed any more (docs/decisions/0033).
 */

/** Ids with more events, or with more bytes of them, are condensed, so that what a batch reads of an id is bounded. */
export const mostEventsOfId = 1_000;
const mostLength = 1_048_576;

/** Whether the events of an id are few and small, with few tags, so that they may be read from the log each time. */
export function areFew(events: EventsOfId): boolean {
  if (events.length <= 2) return true;
  if (events.length > mostEventsOfId) return false;
  // In UTF-16 units.
  let size = 0;
  let tagCount = 0;
  for (const { tags, fields } of events) {
    for (const key in tags) {
      size += key.length + (tags[key]?.length ?? 0);
      tagCount += 1;
    }
    for (const name in fields) size += fields[name]?.length ?? 0;
  }
  return size <= mostLength && tagCount <= maxCallTags;
}

/** The part of events that belong to no call: they wait for the next one. */
const waitingPart = -1;

/** What decides the calls of an id, and the calls. */
export interface Condensed {
  /** The events that decide, with what they decide alone, each with its part. */
  readonly kept: readonly LoggedEvent[];
  readonly calls: readonly MergedCall[];
  /** Whether a call has had more tags than it keeps. */
  readonly hasCutTags: boolean;
}

/**
 * Condenses events of one id: all of them, or those kept of earlier ones and all later ones. Undefined if a later event
 * was received so much earlier than others that they belong to other calls now: then all events are needed. Condensing in
 * steps gives the same as condensing at once, in any order.
 */
export function condense(events: readonly LoggedEvent[]): Condensed | undefined {
  const split = splitIntoCalls(events);
  const parts = new Map<number, readonly LoggedEvent[]>([
    ...split.calls.map(({ events: ofCall }, ordinal): [number, LoggedEvent[]] => [ordinal, ofCall]),
    [waitingPart, split.waiting],
  ]);
  if (!arePartsWhole(parts)) return undefined;
  const decided = Array.from(parts, ([part, ofPart]) => ({ part, ...keepDeciding(ofPart) }));
  return {
    kept: decided.flatMap(({ part, kept }) => kept.map((event) => ({ ...event, part }))),
    calls: toCalls(split, (ordinal) => progressOf(split, ordinal)),
    hasCutTags: decided.some(({ hasCutTags }) => hasCutTags),
  };
}

/**
 * Whether the kept events of each part are in one part still. Events are in calls by the order of their receipt, so all
 * that were dropped between the first and the last one are in it too. What waited may have become a part of a call.
 */
function arePartsWhole(parts: ReadonlyMap<number, readonly LoggedEvent[]>): boolean {
  const ofWaiting = new Set<number>();
  for (const [now, events] of parts) {
    for (const { part } of events) {
      if (part === waitingPart) ofWaiting.add(now);
      else if (part !== undefined && part !== now) return false;
    }
  }
  return ofWaiting.size <= 1;
}

/**
 * Whether a call has new events, and when it may have begun before. Its row may be on the day of any outcome with which
 * it began in an earlier batch: one that is kept, or, as far as events are new, one that came first of its writer or has
 * no timestamp.
 */
function progressOf({ outcomes, calls }: SplitId, ordinal: number): Pick<MergedCall, 'outcomeTimesMs' | 'isWritten'> {
  const events = calls[ordinal]?.events ?? [];
  const isNew = ({ part }: LoggedEvent) => part === undefined;
  const times = new PossibleStarts();
  for (const outcome of outcomes) if (isNew(outcome) || outcome.part === ordinal) times.add(outcome);
  return { outcomeTimesMs: times.list(), isWritten: !events.some(isNew) };
}

const halfDayMs = 12 * 3_600_000;

/**
 * The times at which calls of an id may have begun, of outcomes in order of receipt. A call begins with the first outcome
 * of all, which is the first of its writer, or with one without a timestamp. Of these, the first and the last of half a
 * day have all its days, in any timezone.
 */
export class PossibleStarts {
  readonly #writers = new Set<string>();
  readonly #times = new Set<number>();
  readonly #lastOf = new Map<number, number>();

  add({ writer, timeMs, hasTimestamp, part }: LoggedEvent): void {
    if (part !== undefined || !this.#writers.has(writer)) {
      if (part === undefined) this.#writers.add(writer);
      this.#times.add(timeMs);
    }
    if (hasTimestamp) return;
    const half = Math.floor(timeMs / halfDayMs);
    if (!this.#lastOf.has(half)) this.#times.add(timeMs);
    this.#lastOf.set(half, timeMs);
  }

  list(): number[] {
    return [...new Set([...this.#times, ...this.#lastOf.values()])];
  }
}

/** The events of a part that decide, each with the content that it decides. Events with later contents are kept whole. */
function keepDeciding(events: readonly LoggedEvent[]): { readonly kept: LoggedEvent[]; readonly hasCutTags: boolean } {
  if (events.length === 0) return { kept: [], hasCutTags: false };
  const ranked = rank(events.toSorted(byReceipt));
  const sentinels = findSentinels(ranked);
  const usage = ranked.findLast(reportsUsage);
  const cost = ranked.findLast((event) => event.cost !== null);
  const tags = new Map<string, LoggedEvent>();
  const fields = new Map<string, LoggedEvent>();
  for (const event of ranked) {
    for (const key in event.tags) tags.set(key, event);
    for (const name in event.fields) fields.set(name, event);
  }
  const models = new Set([...namedModels(ranked).values()].flatMap(({ last, fuller }) => [last, fuller]));
  const listed = Object.keys(limitTags(Object.fromEntries([...tags.keys()].map((key) => [key, '']))));
  const tagsOf = Map.groupBy(listed, (key) => tags.get(key));
  const fieldsOf = Map.groupBy(fields.keys(), (name) => fields.get(name));
  const kept = ranked.flatMap((event) => {
    const [ownTags, ownFields] = [tagsOf.get(event) ?? [], fieldsOf.get(event) ?? []];
    if (event === usage && otherUsageField in event.fields) ownFields.push(otherUsageField);
    if (models.has(event)) ownFields.push('model');
    const decides = ownTags.length > 0 || ownFields.length > 0 || event === usage || event === cost;
    if (!decides && !sentinels.has(event) && event.laterContents === undefined) return [];
    return [
      {
        ...withoutLaterContents(event),
        tags: pick(event.tags, ownTags),
        fields: pick(event.fields, ownFields),
        usage: event === usage ? event.usage : [],
        units: event === usage ? event.units : {},
        cost: event === cost ? event.cost : null,
      },
    ];
  });
  return { kept, hasCutTags: tags.size > listed.length };
}

/** Later contents are stored apart, and attached again whenever events are read. */
function withoutLaterContents({ laterContents: _laterContents, ...event }: LoggedEvent): LoggedEvent {
  return event;
}

const pick = (texts: LoggedEvent['tags'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, texts[name] ?? '']));

/** The first and the last event of each kind that decides to which call others belong, and the one that ranks highest. */
function findSentinels(ranked: readonly LoggedEvent[]): ReadonlySet<LoggedEvent | undefined> {
  const received = ranked.toSorted(byReceipt);
  const kinds = [
    received.filter(isOutcome),
    received.filter((event) => isOutcome(event) && !event.hasTimestamp),
    received.filter(({ phase }) => phase === phases.before),
  ];
  return new Set([...kinds.flatMap((events) => [events[0], events.at(-1)]), ranked.at(-1)]);
}
