import type { Slices } from '../../lib/slices.ts';
import type { Said } from '../events/merge-tags.ts';
import type { PlainSpan } from '../events/plain-span.ts';
import {
  contains,
  Groups,
  groupBy,
  inOrder,
  isBeside,
  type JoinedBy,
  overlap,
  pairsOf,
  type ReportGroup,
  toleranceMs,
} from './groups.ts';
import { joinByLikeness } from './likeness.ts';
import { mayBeOneModel } from './model-family.ts';
import { hasUsage, isEstimateOf, type Report } from './report.ts';
import { insideMs, SpanTree } from './span-tree.ts';

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

/** An id of an answer that more reports have is a constant, and says nothing of requests. */
const maxSharing = 50;

/** How far apart in time reports of one process with one answer may be, in milliseconds: they share a clock. */
const oneClockMs = 2_000;

/** Which reports are of one request (D27.6): a pure function of their set. Spans, then answer ids, then likeness. */
export function* joinReports(
  reports: readonly Report[],
  plain: readonly PlainSpan[],
  { joinsAlike }: { readonly joinsAlike: boolean },
): Slices<Joined> {
  const sorted = reports.toSorted(inOrder);
  const tree = new SpanTree(sorted, plain);
  const groups = new Groups();
  yield;
  const sums = joinByAncestry(sorted, tree, groups);
  yield;
  yield* joinByAnswer(groups);
  joinFollowers(groups);
  if (joinsAlike) yield* joinByLikeness(groups);
  const requests = yield* toRequests(groups, tree);
  const found = {
    requests: [...new Set(requests.values())],
    sums: Array.from(sums, ([report, inner]) => ({ report, first: requests.get(inner)?.counts ?? inner })),
  };
  if (joinsAlike) return { ...found, doubles: new Set() };
  yield* joinByLikeness(groups);
  const alike = yield* toRequests(groups, tree);
  // What would count for the request, were they joined, is no double.
  const isDouble = ({ counts }: Request) => requests.get(alike.get(counts)?.counts ?? counts)?.counts !== counts;
  return { ...found, doubles: new Set(found.requests.filter(isDouble)) };
}

function* toRequests(groups: Groups, tree: SpanTree): Slices<ReadonlyMap<Report, Request>> {
  const requests = new Map<Report, Request>();
  for (const group of groups.all()) {
    const request = toRequest(group, tree);
    for (const report of group.members) requests.set(report, request);
    yield;
  }
  return requests;
}

/** Joins reports inside each other. Those that add up several requests are returned, each with a report of the first. */
function joinByAncestry(reports: readonly Report[], tree: SpanTree, groups: Groups): ReadonlyMap<Report, Report> {
  const sums = new Map<Report, Report>();
  const outermostFirst = reports.filter((report) => tree.outerOf(report) === undefined);
  // Those that it finds are walked too.
  for (const report of outermostFirst) for (const inner of tree.inside(report)) outermostFirst.push(inner);
  const requests = new Map<Report, ReportGroup[]>();
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
 * Joins a report to the requests inside it, of which those with usage count, if any has. Around one request it is another
 * report of it, around several their sum. A refused attempt inside an answered request is a request of its own.
 */
function joinInside(report: Report, all: ReportGroup[], groups: Groups, sums: Map<Report, Report>): ReportGroup[] {
  const again = all.length > 1 ? all.find(({ members }) => members.some((inner) => isAgain(inner, report))) : undefined;
  if (again !== undefined) {
    // A report that its emitter repeats inside it is no further request.
    const others = joinInside(
      report,
      all.filter((group) => group !== again),
      groups,
      sums,
    );
    const own = groups.of(report);
    const first = sums.get(report);
    if (own !== undefined) groups.join(report, firstOf(again), 'span');
    else if (first === undefined || !again.members.every(({ tells }) => tells)) return [...others, again];
    else for (const member of groups.takeOut(again)) sums.set(member, first);
    return others;
  }
  const inside = uniteByAnswer(all, groups);
  const used = inside.filter(groupHasUsage);
  const others = used.filter((group) => isOtherRequest(group, report));
  if (others.length > 0 && sumOutput(used) !== report.outputTokens) {
    const rest = inside.filter((group) => !others.includes(group));
    return [...joinInside(report, rest, groups, sums), ...others];
  }
  if (used.length === 0 && hasUsage(report)) {
    const own = groups.add(report);
    const isRefused = ({ members }: ReportGroup) => members.every(({ call }) => call.failed);
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

/** The requests inside a report, where those that share the id of an answer are one. */
function uniteByAnswer(inside: ReportGroup[], groups: Groups): ReportGroup[] {
  if (inside.length < 2) return inside;
  const members = inside.flatMap((group) => group.members);
  for (const [, sharing] of groupBy(members, ({ answers }) => answers)) uniteSharing(sharing, groups);
  return [...new Set(members.flatMap((member) => groups.of(member) ?? []))];
}

/** Whether a report inside another repeats it: of the same emitter, with the same counts. */
const isAgain = (inner: Report, report: Report): boolean =>
  inner.scope === report.scope &&
  inner.parent === report.span &&
  hasUsage(report) &&
  inner.inputTokens === report.inputTokens &&
  inner.outputTokens === report.outputTokens;

/** Whether a request inside a report is another one, by its model and all that it counts, such as an embedding for it. */
const isOtherRequest = ({ members }: ReportGroup, report: Report): boolean =>
  hasUsage(report) &&
  members.every(
    (inner) =>
      !mayBeOneModel(inner, report) &&
      inner.inputTokens !== report.inputTokens &&
      inner.outputTokens !== report.outputTokens &&
      !isEstimateOf(inner, report) &&
      !isEstimateOf(report, inner),
  );

const sumOutput = (requests: readonly ReportGroup[]): number =>
  requests.reduce((sum, { members }) => sum + Math.max(...members.map(({ outputTokens }) => outputTokens)), 0);

const groupHasUsage = ({ members }: ReportGroup): boolean => members.some(hasUsage);

const firstOf = ({ members }: ReportGroup): Report => {
  const [first] = members;
  if (first === undefined) throw new Error('A request has a report.');
  return first;
};

/** Joins reports with the id of one answer, the closest in time first. */
function* joinByAnswer(groups: Groups): Slices<void> {
  for (const [, sharing] of groupBy(groups.reports(), ({ answers }) => answers)) {
    yield;
    uniteSharing(sharing, groups);
  }
}

/** Joins reports with the id of one answer. */
function uniteSharing(sharing: readonly Report[], groups: Groups): void {
  if (sharing.length > maxSharing) return;
  // An id that an emitter has thrice, or in three processes, is a constant.
  const ofEmitters = Map.groupBy(sharing, ({ scope, process, span }) => JSON.stringify([scope, process, span === '']));
  const ofScopes = Map.groupBy(
    Array.from(ofEmitters.values(), ([report]) => report),
    (report) => report?.scope,
  );
  const mayBeTwice = [...ofEmitters.values(), ...ofScopes.values()].every(({ length }) => length <= 2);
  const pairs = pairsOf(sharing).filter(([a, b]) => mayShareAnswer(a, b));
  for (const [a, b] of pairs.sort((one, other) => gapOf(one) - gapOf(other)))
    groups.unite(a, b, 'answer_id', mayBeTwice);
}

function mayShareAnswer(a: Report, b: Report): boolean {
  if (!mayBeOneModel(a, b) || Math.abs(a.endMs - b.endMs) > joinWithinMs) return false;
  const isOneClock = a.process !== '' && a.process === b.process;
  return !isOneClock || overlap(a, b, oneClockMs);
}

/** How far apart two reports are, in milliseconds: less than 0 when they overlap. */
const gapOf = ([a, b]: readonly [Report, Report]): number =>
  Math.max(a.startMs, b.startMs) - Math.min(a.endMs, b.endMs);

/**
 * Joins usage of streams to the spans of their requests, one to one in the order of their start. What says how long the
 * stream took is of the last request before that: those before it may have been left.
 */
function joinFollowers(groups: Groups): void {
  const isOpen = (report: Report) =>
    !groups.of(report)?.members.some(({ scope, follows }) => scope === report.scope && follows !== report.follows);
  for (const [, ofStreams] of groupBy(groups.reports().sort(inOrder), (report) => streamOf(report) ?? [])) {
    const open = ofStreams.filter(isOpen);
    const begun = open.filter(({ follows }) => !follows);
    for (const follower of open.filter(({ follows }) => follows)) {
      const isOf = (start: Report) =>
        start.endMs <= follower.startMs + toleranceMs &&
        start.endMs >= beganAfterMs(follower) &&
        isBeside(start, follower) &&
        groups.mayBeOne(start, follower);
      const at = follower.startMs < follower.endMs ? begun.findLastIndex(isOf) : begun.findIndex(isOf);
      const [start] = at < 0 ? [] : begun.splice(at, 1);
      if (start !== undefined) groups.unite(start, follower, 'span');
    }
  }
}

/** The longest stream whose length is not told, in milliseconds. */
const streamMs = 30 * 60_000;

/** The earliest time at which the span of a stream's request may have ended, by what follows it. */
export const beganAfterMs = ({ startMs, endMs }: Report): number =>
  startMs < endMs ? startMs - insideMs : endMs - streamMs;

/** The text that the span of a stream's request and what follows it share; undefined for any other report. */
export function streamOf(report: Report): [string] | undefined {
  const { begins, follows, scope, process, family, span, call } = report;
  if (span === '' || (!follows && (!begins || hasUsage(report) || call.failed))) return undefined;
  return [JSON.stringify([process, scope, family])];
}

/** The most reports of a request around which the spans are looked at. */
const maxAround = 64;

function toRequest(group: ReportGroup, tree: SpanTree): Request {
  const outermostFirst = group.members.toSorted((a, b) => tree.depthOf(a) - tree.depthOf(b) || inOrder(a, b));
  const [first, ...rest] = outermostFirst;
  if (first === undefined) throw new Error('A request has a report.');
  // Of two that know as much, the one of the provider's client; then the one with more output, since streams are told in
  // parts; then the innermost.
  const counts = rest.reduce((best, report) => (isFuller(report, best, tree) ? report : best), first);
  const by = joinedTo(counts, group);
  const others = outermostFirst
    .filter((report) => report !== counts)
    .map((report) => ({ report, by: by.get(report) ?? 'span' }));
  const nearest = [counts, ...others.map(({ report }) => report)].slice(0, maxAround);
  const around = nearest.flatMap((report) => tree.saidAround(report));
  return { counts, others, around };
}

/** What joins the members of a group to one of them: of several links between two, the weakest. */
function joinedTo(counts: Report, { links }: ReportGroup): ReadonlyMap<Report, JoinedBy> {
  const ways = links.flatMap(({ pair: [one, other], by }) => [
    { from: one, to: other, by },
    { from: other, to: one, by },
  ]);
  const waysOf = Map.groupBy(ways, ({ from }) => from);
  const found = new Map<Report, JoinedBy>([[counts, 'span']]);
  // Reports that are found are walked too.
  for (const [at, before] of found) {
    for (const { to, by } of waysOf.get(at) ?? []) if (!found.has(to)) found.set(to, weakerOf(before, by));
  }
  return found;
}

const fromStrong: readonly JoinedBy[] = ['span', 'answer_id', 'likeness'];

const weakerOf = (a: JoinedBy, b: JoinedBy): JoinedBy => (fromStrong.indexOf(a) > fromStrong.indexOf(b) ? a : b);

function isFuller(report: Report, best: Report, tree: SpanTree): boolean {
  if (isEstimateOf(best, report)) return true;
  if (isEstimateOf(report, best)) return false;
  const more =
    report.knownCounts - best.knownCounts ||
    Number(report.client) - Number(best.client) ||
    report.outputTokens - best.outputTokens;
  if (more !== 0) return more > 0;
  const deeper = tree.depthOf(report) - tree.depthOf(best);
  if (deeper !== 0) return deeper > 0;
  const inTime = Number(contains(best, report)) - Number(contains(report, best));
  if (inTime !== 0) return inTime > 0;
  return report.inputTokens > best.inputTokens;
}
