import { withoutDetails, withoutPath } from '../../usage/model-geo.ts';
import { otherUsageField } from '../../usage/other-usage.ts';
import { dimensionTags } from '../attribution.ts';

export interface EventKey {
  readonly projectId: string;
  readonly eventId: string;
}

/** A key for maps: unique per project and event id. */
export const keyOf = ({ projectId, eventId }: EventKey): string => `${projectId} ${eventId}`;

/** Counts by unit (D26.1), as decimal text. */
export type UnitCounts = Readonly<Record<string, string>>;

/** The values read from the text of an event, which a later release may read differently. */
export interface EventContent {
  readonly fields: Readonly<Record<string, string>>;
  /** Token counts in the order of `usageBuckets`; empty when the event reports no usage. */
  readonly usage: readonly number[];
  /** From the same event as `usage`. */
  readonly units: UnitCounts;
  /** Decimal text, in dollars. */
  readonly cost: string | null;
}

/** The values that a reread has read from the text of an event (docs/decisions/0019). */
export interface LaterContent extends EventContent {
  readonly generation: number;
  /** of two that are in force, the one with the higher version counts. */
  readonly version: number;
  readonly ignored: readonly string[];
}

/** The columns of a logged event that calls are made from. Times are in milliseconds since 1970. */
export interface LoggedEvent extends EventKey, EventContent {
  readonly writer: string;
  readonly seq: number;
  readonly receivedAtMs: number;
  readonly timeMs: number;
  readonly hasTimestamp: boolean;
  /** One of `phases`; a higher one wins. */
  readonly phase: number;
  readonly tags: Readonly<Record<string, string>>;
  /** The part of its id that it was condensed in (condense.ts); absent when it is as the log has it. */
  readonly part?: number;
  /** The later contents of its text, also those that are not in force; absent when there are none. */
  readonly laterContents?: readonly LaterContent[];
}

/** The place of an event in the log, as a key for maps. */
export const placeOf = ({ writer, seq }: Pick<LoggedEvent, 'writer' | 'seq'>): string => `${writer} ${seq}`;

/** The numbers of the phases in the log. An outcome is an error or an after. */
export const phases = { custom: 0, before: 1, error: 2, after: 3 } as const;

/** A call merged from its events, not yet costed. Times are in milliseconds since 1970. */
export interface MergedCall extends EventKey, EventContent {
  /** 0, or higher when an id was used again (D4.2). */
  readonly ordinal: number;
  readonly firstReceivedAtMs: number;
  readonly timeMs: number;
  /** The distinct times of the outcomes of its id with which it may have begun before. */
  readonly outcomeTimesMs: readonly number[];
  /** Whether nothing of it is new, so that its row is there already; absent if it must be written. */
  readonly isWritten?: boolean;
  readonly tags: Readonly<Record<string, string>>;
  readonly failed: boolean;
  /** The events it is merged from, in order of receipt. */
  readonly events: readonly LoggedEvent[];
  /** The other reports of its request (D27.6); absent where there are none. */
  readonly reports?: readonly OtherReport[];
}

/** Another report of a call's request, and what joined the two. */
export interface OtherReport {
  readonly eventId: string;
  readonly ordinal: number;
  /** The name of its instrumentation scope or gateway; '' where none is known. */
  readonly emitter: string;
  readonly by: (typeof joinedBy)[number];
}

/** What joins reports of one request: the same id of the answer, spans inside each other, likeness. */
export const joinedBy = ['answer_id', 'span', 'likeness'] as const;

/** How long after its first outcome a call accepts events, in milliseconds (D4.2). */
export const callMs = 48 * 3_600_000;

/** The events of one id, at least one, in any order. */
export type EventsOfId = readonly [LoggedEvent, ...LoggedEvent[]];

export function groupById(events: Iterable<LoggedEvent>): EventsOfId[] {
  const groups: [LoggedEvent, ...LoggedEvent[]][] = [];
  // Nested maps spare a combined key for every event.
  const projects = new Map<string, Map<string, LoggedEvent[]>>();
  for (const event of events) {
    let ids = projects.get(event.projectId);
    if (!ids) {
      ids = new Map();
      projects.set(event.projectId, ids);
    }
    const known = ids.get(event.eventId);
    if (known) known.push(event);
    else {
      const group: [LoggedEvent] = [event];
      groups.push(group);
      ids.set(event.eventId, group);
    }
  }
  return groups;
}

/**
 * Merges all events of one id into its calls (D4.1, D4.2).
 *
 * - A call begins at the first outcome of the id. Another one begins at an outcome without timestamp that is received
 *   more than 48 hours after the call before it began.
 * - An outcome belongs to the latest call that had begun when it was received. A `.before` belongs to the first call
 *   whose 48 hours were not over when it was received.
 * - Fields and tags merge in the order (phase, receipt), and later values win. Usage with units, and cost, are taken
 *   whole from the last event in that order that reports them.
 *
 * The result never depends on the current time, so the same events always give the same calls.
 */
export function mergeEvents(events: EventsOfId): MergedCall[] {
  const split = splitIntoCalls(events);
  const outcomeTimesMs = [...new Set(split.outcomes.map(({ timeMs }) => timeMs))];
  return toCalls(split, () => ({ outcomeTimesMs }));
}

/** The events of one id, by the calls that they belong to. */
export interface SplitId {
  /** In order of receipt, as all others. */
  readonly outcomes: readonly LoggedEvent[];
  /** The outcome with which each call begins, and all its events, in any order. */
  readonly calls: readonly { readonly start: LoggedEvent; readonly events: LoggedEvent[] }[];
  /** Each `.before` that came too late for all calls, or before any: they belong to the next one. */
  readonly waiting: readonly LoggedEvent[];
}

/** Splits the events of one id as `mergeEvents` says. */
export function splitIntoCalls(events: readonly LoggedEvent[]): SplitId {
  const received = events.toSorted(byReceipt);
  const outcomes = received.filter(isOutcome);
  const calls: { start: LoggedEvent; events: LoggedEvent[] }[] = [];
  for (const outcome of outcomes) {
    const start = calls.at(-1)?.start;
    if (!start || (!outcome.hasTimestamp && outcome.receivedAtMs > start.receivedAtMs + callMs)) {
      calls.push({ start: outcome, events: [] });
    }
    calls.at(-1)?.events.push(outcome);
  }
  const waiting: LoggedEvent[] = [];
  for (const event of received) {
    if (isOutcome(event)) continue;
    (calls.find(({ start }) => event.receivedAtMs <= start.receivedAtMs + callMs)?.events ?? waiting).push(event);
  }
  return { outcomes, calls, waiting };
}

/** The calls of an id. `more` gives the times at which one may have begun before, and whether it is written already. */
export const toCalls = (
  { calls }: SplitId,
  more: (ordinal: number) => Pick<MergedCall, 'outcomeTimesMs' | 'isWritten'>,
): MergedCall[] =>
  calls.map(({ start, events }, ordinal) => {
    const { projectId, eventId, receivedAtMs: firstReceivedAtMs, timeMs } = start;
    const all = events.toSorted(byReceipt);
    const key = { projectId, eventId, ordinal, firstReceivedAtMs, timeMs };
    return { ...key, ...more(ordinal), ...mergeContents(all), events: all };
  });

/** Sequences order what one writer received in a millisecond; between writers any stable order will do. */
export function byReceipt(a: LoggedEvent, b: LoggedEvent): number {
  if (a.receivedAtMs !== b.receivedAtMs) return a.receivedAtMs - b.receivedAtMs;
  if (a.writer !== b.writer) return a.writer < b.writer ? -1 : 1;
  return a.seq - b.seq;
}

export const isOutcome = ({ phase }: LoggedEvent): boolean => phase >= phases.error;

/** The merged fields of events, which are in order of receipt. */
function mergeContents(events: readonly LoggedEvent[]): EventContent & Pick<MergedCall, 'tags' | 'failed'> {
  const ranked = rank(events);
  const reporting = ranked.findLast(reportsUsage);
  const { usage = [], units = {} } = reporting ?? {};
  return {
    tags: limitTags(mergeTexts(ranked.map(({ tags }) => tags))),
    fields: mergeFields(ranked, reporting),
    failed:
      ranked.at(-1)?.phase === phases.error ||
      ranked.some(({ phase, fields }) => phase === phases.after && Object.hasOwn(fields, 'error_type')),
    usage,
    units,
    cost: ranked.findLast(({ cost }) => cost !== null)?.cost ?? null,
  };
}

/** Events in order of receipt, in the order in which they win. The sort is stable. */
export const rank = (events: readonly LoggedEvent[]): LoggedEvent[] => events.toSorted((a, b) => a.phase - b.phase);

/**
 * Merges fields; later ones win. The usage of other models is that of the event whose usage counts, and a model's name
 * never replaces the same one with more detail.
 */
function mergeFields(ranked: readonly LoggedEvent[], reporting: LoggedEvent | undefined): Texts {
  const fields = mergeTexts(ranked.map((event) => event.fields));
  if (ranked.length === 1) return fields;
  const { model } = fields;
  const fuller = model === undefined ? undefined : findFuller(ranked, model);
  const { [otherUsageField]: merged, ...others } = fields;
  const own = reporting?.fields[otherUsageField];
  if (merged === own && fuller === undefined) return fields;
  return {
    ...others,
    ...(own !== undefined && { [otherUsageField]: own }),
    ...(fuller !== undefined && { model: fuller }),
  };
}

/** The last name that is `model` of any seller with more detail, as `gpt-4o-2024-08-06` is `gpt-4o`; undefined if there is none. */
function findFuller(ranked: readonly LoggedEvent[], model: string): string | undefined {
  const isLonger = ({ fields }: LoggedEvent) => (fields.model?.length ?? 0) > withoutPath(model).length;
  if (!ranked.some((event) => event.fields.model !== model && isLonger(event))) return undefined;
  const name = namedModels(ranked).get(withoutPath(model))?.fuller?.fields.model;
  return name?.includes(withoutPath(model)) ? name : undefined;
}

/** The most models among whose names one with more detail is looked for: those that were named last. */
const mostModels = 8;

/** The models that events name, without details, the last named first: the last event with each, and with its details. */
export function namedModels(
  ranked: readonly LoggedEvent[],
): ReadonlyMap<string, { readonly last: LoggedEvent; fuller?: LoggedEvent }> {
  const models = new Map<string, { readonly last: LoggedEvent; fuller?: LoggedEvent }>();
  for (const event of ranked.toReversed()) {
    const name = event.fields.model;
    if (name === undefined) continue;
    const bare = withoutDetails(name);
    if (!models.has(bare) && models.size === mostModels) continue;
    const known = models.get(bare) ?? { last: event };
    if (withoutPath(name).length > bare.length) known.fuller ??= event;
    models.set(bare, known);
  }
  return models;
}

/** Whether an event reports usage: that of a call is taken whole from one event (D3.10). */
export function reportsUsage({ usage, units, fields }: EventContent): boolean {
  if (usage.length > 0 || fields[otherUsageField] !== undefined) return true;
  for (const _unit in units) return true;
  return false;
}

/** The call as these rereads have read its events; which events it has, and its time, never change. */
export function readAs(call: MergedCall, rereads: ReadonlySet<number>): MergedCall {
  if (rereads.size === 0 || call.events.every(({ laterContents }) => laterContents === undefined)) return call;
  return { ...call, ...mergeContents(call.events.map((event) => ({ ...event, ...laterContentOf(event, rereads) }))) };
}

/** The later contents of an event that counts when these rereads are in force; undefined if none does. */
export function laterContentOf(
  { laterContents = [] }: LoggedEvent,
  rereads: ReadonlySet<number>,
): LaterContent | undefined {
  let latest: LaterContent | undefined;
  for (const content of laterContents) {
    if (rereads.has(content.generation) && content.version >= (latest?.version ?? 0)) latest = content;
  }
  return latest;
}

type Texts = Readonly<Record<string, string>>;

/** Merges texts by name; later ones win. Every name becomes an own property, also `__proto__`. */
function mergeTexts(all: readonly Texts[]): Texts {
  const [first = {}, second, ...others] = all;
  if (second === undefined) return first;
  if (others.length === 0) return { ...first, ...second };
  const merged = new Map<string, string>();
  for (const texts of all) for (const name in texts) merged.set(name, texts[name] ?? '');
  return Object.fromEntries(merged);
}

/** The most tags of one call: those that name a dimension or a run, then the first ones by the order of their keys. */
export const maxCallTags = 256;

/** The tags that a call keeps, which depend on its events alone, whatever their order. */
export function limitTags(tags: Texts): Texts {
  let count = 0;
  for (const _key in tags) count += 1;
  if (count <= maxCallTags) return tags;
  return Object.fromEntries(Object.entries(tags).sort(byImportance).slice(0, maxCallTags));
}

const byImportance = ([a]: [string, string], [b]: [string, string]): number => {
  const [isFirst, isSecond] = [dimensionTags.has(a), dimensionTags.has(b)];
  if (isFirst !== isSecond) return isFirst ? -1 : 1;
  return a < b ? -1 : 1;
};
