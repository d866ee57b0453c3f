import { compareCodePoints } from '../../lib/code-points.ts';
import type { OtherReport } from '../assembly/merge.ts';
import type { Said } from './merge-tags.ts';
import { mayBeOneFamily } from './model-family.ts';
import { hasUsage, type Report } from './report.ts';
import { type PlainSpan, SpanTree } from './span-tree.ts';

type JoinedBy = OtherReport['by'];

/** A request to a model, with all that report it. */
export interface Request {
  /** The report that counts: the one with the fuller usage. */
  readonly counts: Report;
  /** The others, the outermost first, each with what joined it. */
  readonly others: readonly { readonly report: Report; readonly by: JoinedBy }[];
  /** What the spans around the one that counts say, the nearest first, then those around the others. */
  readonly around: readonly Said[];
}

export interface Joined {
  readonly requests: readonly Request[];
  /** Reports that add up several requests, each with the first of them. */
  readonly sums: readonly { readonly report: Report; readonly first: Report }[];
  /** Those of the requests that may be others again, where likeness is not let join them. */
  readonly doubles: ReadonlySet<Request>;
}

/** Reports of one request are at most this far apart, in milliseconds. */
export const joinWithinMs = 48 * 3_600_000;

/** An id with more reports is a constant, and says nothing of requests. */
const maxSharing = 50;

/** Times are whole milliseconds, and a span around another may read the clock in between. */
export const toleranceMs = 5;

/** How far apart in time reports of one process with one answer may be, in milliseconds: they share a clock. */
const oneClockMs = 2_000;

/**
 * Finds which reports are of one request (D27.6): by spans inside each other, by the id of the answer, then by likeness.
 * A pure function of the set of reports: their order does not matter.
 */
export function joinReports(
  reports: readonly Report[],
  plain: readonly PlainSpan[],
  { joinsAlike }: { readonly joinsAlike: boolean },
): Joined {
  const sorted = reports.toSorted(inOrder);
  const tree = new SpanTree(sorted, plain);
  const groups = new Groups();
  const sums = joinByAncestry(sorted, tree, groups);
  joinByAnswer(groups);
  joinFollowers(groups);
  if (joinsAlike) joinByLikeness(groups);
  const requests = toRequests(groups, tree);
  const found = {
    requests: [...new Set(requests.values())],
    sums: Array.from(sums, ([report, inner]) => ({ report, first: requests.get(inner)?.counts ?? inner })),
  };
  if (joinsAlike) return { ...found, doubles: new Set() };
  joinByLikeness(groups);
  const alike = toRequests(groups, tree);
  // What would count for the request, were they joined, is no double.
  const isDouble = ({ counts }: Request) => requests.get(alike.get(counts)?.counts ?? counts)?.counts !== counts;
  return { ...found, doubles: new Set(found.requests.filter(isDouble)) };
}

/** The request of each report. */
const toRequests = (groups: Groups, tree: SpanTree): ReadonlyMap<Report, Request> =>
  new Map(
    groups.all().flatMap((group) => {
      const request = toRequest(group, tree);
      return group.members.map((report) => [report, request] as const);
    }),
  );

/** By start; what starts first and ends last is outermost. */
function inOrder(a: Report, b: Report): number {
  return (
    a.startMs - b.startMs ||
    b.endMs - a.endMs ||
    a.call.firstReceivedAtMs - b.call.firstReceivedAtMs ||
    compareCodePoints(a.call.eventId, b.call.eventId) ||
    a.call.ordinal - b.call.ordinal
  );
}

interface Group {
  readonly members: Report[];
  /** Pairs of members, each with what joined it: they form a tree. */
  readonly links: { readonly pair: readonly [Report, Report]; readonly by: JoinedBy }[];
}

/** The requests found so far. */
class Groups {
  readonly #of = new Map<Report, Group>();

  add(report: Report): Group {
    const group: Group = { members: [report], links: [] };
    this.#of.set(report, group);
    return group;
  }

  of(report: Report): Group | undefined {
    return this.#of.get(report);
  }

  /** Makes one request of two. */
  join(one: Report, other: Report, by: JoinedBy): void {
    const [into, from] = [this.#of.get(one), this.#of.get(other)];
    if (into === undefined || from === undefined || into === from) return;
    for (const report of from.members) this.#of.set(report, into);
    into.members.push(...from.members);
    into.links.push(...from.links, { pair: [one, other], by });
  }

  /** Makes one request of two, unless one emitter tells them apart. */
  unite(one: Report, other: Report, by: JoinedBy, mayBeTwice = false): void {
    const [some, others] = [this.#of.get(one)?.members ?? [], this.#of.get(other)?.members ?? []];
    const areApart = some.some((a) => others.some((b) => areOfTwoRequests(a, b, mayBeTwice)));
    if (!areApart) this.join(one, other, by);
  }

  /** Whether two reports that are alike may be of one request: no ids of answers, and no emitter, tell theirs apart. */
  mayBeAlike(one: Report, other: Report): boolean {
    const [some, others] = [this.#of.get(one)?.members ?? [], this.#of.get(other)?.members ?? []];
    if (some === others || some.some((a) => others.some((b) => isOfOneEmitter(a, b)))) return false;
    const [ids, otherIds] = [some, others].map((members) => members.flatMap(({ answers }) => answers));
    return !ids?.length || !otherIds?.length || ids.some((id) => otherIds.includes(id));
  }

  all(): Group[] {
    return [...new Set(this.#of.values())];
  }

  reports(): Report[] {
    return [...this.#of.keys()];
  }
}

const isOfOneEmitter = (a: Report, b: Report): boolean =>
  a.scope === b.scope && a.process === b.process && (a.span === '') === (b.span === '');

const overlap = (a: Report, b: Report, slackMs: number): boolean =>
  a.startMs <= b.endMs + slackMs && b.startMs <= a.endMs + slackMs;

/**
 * Whether one emitter tells two requests apart: it reports a request once. If it may report it twice, since a client can
 * be wrapped twice, then at the same time and with equal usage.
 */
function areOfTwoRequests(a: Report, b: Report, mayBeTwice: boolean): boolean {
  if (!isOfOneEmitter(a, b) || a.follows !== b.follows) return false;
  const isEqual = a.outputTokens === b.outputTokens && a.inputTokens === b.inputTokens;
  return !mayBeTwice || !isEqual || !overlap(a, b, toleranceMs);
}

/** Joins reports inside each other. Those that add up several requests are returned, each with a report of the first. */
function joinByAncestry(reports: readonly Report[], tree: SpanTree, groups: Groups): ReadonlyMap<Report, Report> {
  const sums = new Map<Report, Report>();
  const outermostFirst = reports.filter((report) => tree.outerOf(report) === undefined);
  // Those that it finds are walked too.
  for (const report of outermostFirst) for (const inner of tree.inside(report)) outermostFirst.push(inner);
  const requests = new Map<Report, Group[]>();
  for (const report of outermostFirst.reverse()) {
    const inside = tree.inside(report).flatMap((inner) => requests.get(inner) ?? []);
    for (const inner of tree.inside(report)) requests.delete(inner);
    requests.set(report, joinInside(report, inside, groups, sums));
  }
  // Of spans that name each other as parents, none is outermost.
  for (const report of reports) if (groups.of(report) === undefined && !sums.has(report)) groups.add(report);
  return sums;
}

/**
 * Joins a report to the requests inside it, and returns the requests of both. What is around one request reports it too;
 * what is around several adds them up. What reports no usage says nothing, and a refused attempt inside an answered
 * request is a request of its own.
 */
function joinInside(report: Report, inside: Group[], groups: Groups, sums: Map<Report, Report>): Group[] {
  const used = inside.filter(groupHasUsage);
  if (used.length === 0 && hasUsage(report)) {
    const own = groups.add(report);
    const isRefused = ({ members }: Group) => members.every(({ call }) => call.failed);
    for (const group of inside) if (!isRefused(group)) groups.join(report, firstOf(group), 'span');
    return [own, ...inside.filter(isRefused)];
  }
  const candidates = used.length > 0 ? used : inside;
  const [first, second] = candidates;
  if (first === undefined) return [groups.add(report)];
  if (second === undefined) {
    groups.add(report);
    groups.join(firstOf(first), report, 'span');
  } else sums.set(report, firstOf(first));
  return inside;
}

const groupHasUsage = ({ members }: Group): boolean => members.some(hasUsage);

const firstOf = ({ members }: Group): Report => {
  const [first] = members;
  if (first === undefined) throw new Error('A request has a report.');
  return first;
};

/** Joins reports with the id of one answer, the closest in time first. */
function joinByAnswer(groups: Groups): void {
  for (const [, sharing] of groupBy(groups.reports(), ({ answers }) => answers)) {
    if (sharing.length > maxSharing) continue;
    // An id that an emitter has thrice is a constant.
    const ofEmitters = Map.groupBy(sharing, ({ scope, process, span }) =>
      JSON.stringify([scope, process, span === '']),
    );
    const mayBeTwice = [...ofEmitters.values()].every(({ length }) => length <= 2);
    const pairs = pairsOf(sharing).filter(([a, b]) => mayShareAnswer(a, b));
    for (const [a, b] of pairs.sort((one, other) => gapOf(one) - gapOf(other)))
      groups.unite(a, b, 'answer_id', mayBeTwice);
  }
}

function mayShareAnswer(a: Report, b: Report): boolean {
  if (!mayBeOneFamily(a.family, b.family) || Math.abs(a.endMs - b.endMs) > joinWithinMs) return false;
  const isOneClock = a.process !== '' && a.process === b.process;
  return !isOneClock || overlap(a, b, oneClockMs);
}

/** How far apart two reports are, in milliseconds: less than 0 when they overlap. */
const gapOf = ([a, b]: readonly [Report, Report]): number =>
  Math.max(a.startMs, b.startMs) - Math.min(a.endMs, b.endMs);

/**
 * Joins what tells the usage of a stream to the span of its request, which ended when the stream began, one to one in
 * the order of their start.
 */
function joinFollowers(groups: Groups): void {
  const isAlone = (report: Report) => groups.of(report)?.members.length === 1;
  for (const [, ofStreams] of groupBy(groups.reports().sort(inOrder), (report) => streamOf(report) ?? [])) {
    const begun = ofStreams.filter((report) => !report.follows && isAlone(report));
    for (const follower of ofStreams.filter(({ follows }) => follows)) {
      const at = begun.findIndex(
        (start) =>
          start.endMs <= follower.endMs + toleranceMs &&
          follower.endMs - start.endMs <= streamMs &&
          isBeside(start, follower),
      );
      const [start] = at < 0 ? [] : begun.splice(at, 1);
      if (start !== undefined) groups.unite(start, follower, 'span');
    }
  }
}

/** The longest stream, in milliseconds. */
export const streamMs = 30 * 60_000;

/** The text that the span of a stream's request and what follows it share; undefined for any other report. */
export function streamOf(report: Report): [string] | undefined {
  const { begins, follows, scope, process, family, span, call } = report;
  if (span === '' || (!follows && (!begins || hasUsage(report) || call.failed))) return undefined;
  return [JSON.stringify([process, scope, family])];
}

/** Whether two spans have the same span around them, or none. */
const isBeside = (a: Report, b: Report): boolean => a.parent === b.parent && (a.parent === '' || a.trace === b.trace);

/**
 * Joins reports of one process that share no id: of different emitters, the same model and output, one within the time
 * of the other, one to one in the order of their start.
 */
function joinByLikeness(groups: Groups): void {
  for (const [, alike] of groupBy(groups.reports().sort(inOrder), (report) => likenessOf(report) ?? [])) {
    const byScope = [...Map.groupBy(alike, ({ scope }) => scope)].sort(([a], [b]) => compareCodePoints(a, b));
    if (byScope.length > maxEmitters) continue;
    for (const [[, some], [, others]] of pairsOf(byScope)) matchInOrder(some, others, groups);
  }
}

/** A process with more emitters that are alike names them by chance. */
const maxEmitters = 20;

/** The text that reports which may be alike share; undefined for one that is like no other. */
export function likenessOf({ process, family, outputTokens }: Report): [string] | undefined {
  return process === '' || outputTokens === 0 ? undefined : [JSON.stringify([process, family, outputTokens])];
}

/** The most reports at once that are looked at for each that is alike. */
const maxAlike = 500;

/** As many others may change their partners so that one more report gets one. */
const maxChanges = 50;

/** Finds a partner for each report: the first that is free, unless others can change theirs so that more have one. */
function matchInOrder(some: readonly Report[], others: readonly Report[], groups: Groups): void {
  const partners = new Map<Report, Report>();
  const candidates = toCandidates(some, others, groups);
  const findPartner = (one: Report, tried: Set<Report>): boolean => {
    const ofOne = candidates.get(one) ?? [];
    const free = ofOne.find((other) => !partners.has(other));
    if (free !== undefined) {
      partners.set(free, one);
      return true;
    }
    for (const other of ofOne) {
      if (tried.has(other) || tried.size > maxChanges) continue;
      tried.add(other);
      const taker = partners.get(other);
      if (taker === undefined || !findPartner(taker, tried)) continue;
      partners.set(other, one);
      return true;
    }
    return false;
  };
  for (const one of some) findPartner(one, new Set());
  for (const [other, one] of partners) if (groups.mayBeAlike(one, other)) groups.join(one, other, 'likeness');
}

/** The reports that each may be one with. Both lists are in the order of their start. */
function toCandidates(some: readonly Report[], others: readonly Report[], groups: Groups): Map<Report, Report[]> {
  const candidates = new Map<Report, Report[]>();
  // Those that have ended before a report starts have ended for all after it, too.
  let running = new Set<Report>();
  let next = 0;
  for (const one of some) {
    running = new Set([...running].filter(({ endMs }) => endMs + toleranceMs >= one.startMs));
    for (let other = others[next]; other && other.startMs <= one.endMs + toleranceMs; other = others[next]) {
      running.add(other);
      next += 1;
    }
    const atOnce = [...running].filter((other) => isWithin(one, other)).slice(0, maxAlike);
    candidates.set(
      one,
      atOnce.filter((other) => groups.mayBeAlike(one, other)),
    );
  }
  return candidates;
}

const contains = (outer: Report, inner: Report): boolean =>
  outer.startMs <= inner.startMs + toleranceMs && inner.endMs <= outer.endMs + toleranceMs;

const isWithin = (a: Report, b: Report): boolean => contains(a, b) || contains(b, a);

function toRequest(group: Group, tree: SpanTree): Request {
  const outermostFirst = group.members.toSorted((a, b) => tree.depthOf(a) - tree.depthOf(b) || inOrder(a, b));
  const [first, ...rest] = outermostFirst;
  if (first === undefined) throw new Error('A request has a report.');
  // Of two that know as much, the innermost; of two as deep, the one received first.
  const counts = rest.reduce((best, report) => (isFuller(report, best, tree) ? report : best), first);
  const by = joinedTo(counts, group);
  const others = outermostFirst
    .filter((report) => report !== counts)
    .map((report) => ({ report, by: by.get(report) ?? 'span' }));
  const around = [counts, ...others.map(({ report }) => report)].flatMap((report) => tree.saidAround(report));
  return { counts, others, around };
}

/** What joins the members of a group to one of them: of several links between two, the weakest. */
function joinedTo(counts: Report, { links }: Group): ReadonlyMap<Report, JoinedBy> {
  const found = new Map<Report, JoinedBy>([[counts, 'span']]);
  // Reports that are found are walked too.
  for (const [at, before] of found) {
    for (const { pair, by } of links) {
      const [one, other] = pair;
      const next = one === at ? other : one;
      if (pair.includes(at) && !found.has(next)) found.set(next, weakerOf(before, by));
    }
  }
  return found;
}

const fromStrong: readonly JoinedBy[] = ['span', 'answer_id', 'likeness'];

const weakerOf = (a: JoinedBy, b: JoinedBy): JoinedBy => (fromStrong.indexOf(a) > fromStrong.indexOf(b) ? a : b);

function isFuller(report: Report, best: Report, tree: SpanTree): boolean {
  const more = report.knownCounts - best.knownCounts;
  if (more !== 0) return more > 0;
  const deeper = tree.depthOf(report) - tree.depthOf(best);
  if (deeper !== 0) return deeper > 0;
  const inTime = Number(contains(best, report)) - Number(contains(report, best));
  if (inTime !== 0) return inTime > 0;
  return report.call.firstReceivedAtMs < best.call.firstReceivedAtMs;
}

/** Groups by each key of an item, in the order of the items. */
function groupBy<Item>(items: readonly Item[], keysOf: (item: Item) => readonly string[]): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const known = found.get(key);
      if (known === undefined) found.set(key, [item]);
      else known.push(item);
    }
  }
  return new Map([...found].sort(([a], [b]) => compareCodePoints(a, b)));
}

const pairsOf = <Item>(items: readonly Item[]): (readonly [Item, Item])[] =>
  items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const));
