import { compareCodePoints } from '../../lib/code-points.ts';
import type { Slices } from '../../lib/slices.ts';
import { areOfOneTime, type Groups, groupBy, inOrder, isBeside, pairsOf, toleranceMs } from './groups.ts';
import { mayBeOneFamily } from './model-family.ts';
import { hasUsage, isAborted, isCounted, isEstimateOf, type Report } from './report.ts';

type AreAlike = (one: Report, other: Report) => boolean;

/**
 * Joins reports that share no id: of different emitters, one within the time of the other, one to one in the order of
 * their start. First events and spans within one span; then, of one process, those of the same model and output; then
 * those of one trace of which one has no output to compare, such as a stream that was not asked for its usage, or its
 * emitter's own count of it; then those of other traces without output, such as refused requests, embeddings, and streams
 * that the application left; last what ended before its request began, and the span of that by a client. What knows the
 * counts of such a request is joined before that.
 */
export function* joinByLikeness(groups: Groups): Slices<void> {
  const reports = groups.reports().sort(inOrder);
  const areBeside: AreAlike = (one, other) => groups.mayBeAlike(one, other) && mayBeBeside(one, other, groups);
  const areSiblings: AreAlike = (one, other) => mayBeSiblings(one, other, groups);
  for (const [, siblings] of groupBy(reports, ({ span, trace, parent }) =>
    span === '' ? [] : [`${trace} ${parent}`],
  )) {
    if (siblings.some(isEvent)) yield* matchEmitters(siblings, groups, areSiblings);
  }
  const likeEachOther = [...groupBy(reports, (report) => likenessOf(report) ?? []).values()];
  const [withOutput, without] = [hasOutput, hasNone].map((is) => likeEachOther.filter(([first]) => first && is(first)));
  // Of several at once with one output, those whose input is equal too.
  const areEqual: AreAlike = (one, other) => one.inputTokens === other.inputTokens && groups.mayBeAlike(one, other);
  const areOfOneOutput: AreAlike = (one, other) => groups.mayBeAlike(one, other);
  const areEqualOfAny: AreAlike = (one, other) =>
    one.inputTokens === other.inputTokens && groups.mayBeAlike(one, other, true);
  for (const alike of withOutput ?? []) yield* matchEmitters(alike, groups, areEqual);
  for (const alike of withOutput ?? []) yield* joinBegun(alike, groups);
  for (const alike of withOutput ?? []) yield* matchEmitters(alike, groups, areOfOneOutput);
  // Emitters may have several names for a customer: what is left, with equal counts, is joined even if the names differ.
  for (const alike of withOutput ?? []) yield* matchEmitters(alike, groups, areEqualOfAny);
  for (const [, inTrace] of groupBy(reports, ({ span, process, trace }) =>
    span === '' || process === '' ? [] : [`${process} ${trace}`],
  )) {
    if (inTrace.some((report) => hasNone(report) || report.estimates)) yield* matchEmitters(inTrace, groups, areBeside);
  }
  const left = [...groupBy(reports, (report) => leftOf(report) ?? []).values()];
  for (const alike of [...(without ?? []), ...left]) yield* matchEmitters(alike, groups, areBeside);
  for (const [, sharing] of groupBy(reports, (report) => beginningOf(report) ?? [])) yield* joinBegun(sharing, groups);
}

/** Whether a report is an event of an application, which names the span around it. */
const isEvent = ({ scope, parent }: Report): boolean => scope === '' && parent !== '';

/** Whether an event and a span that stand within one span may be of one request. */
const mayBeSiblings = (one: Report, other: Report, groups: Groups): boolean =>
  isEvent(one) !== isEvent(other) &&
  groups.mayBeAlike(one, other) &&
  (mayBeBeside(one, other, groups) ||
    (hasOutput(one) && one.family === other.family && one.outputTokens === other.outputTokens));

const hasOutput = ({ outputTokens }: Report): boolean => outputTokens > 0;
const hasNone = (report: Report): boolean => !hasOutput(report);

function* matchEmitters(alike: readonly Report[], groups: Groups, areAlike: AreAlike): Slices<void> {
  const byScope = [...Map.groupBy(alike, ({ scope }) => scope)].sort(([a], [b]) => compareCodePoints(a, b));
  if (byScope.length > maxEmitters) return;
  for (const [[scope, some], [otherScope, others]] of pairsOf(byScope)) {
    yield;
    // What one of the others is joined to already needs no further one.
    const isOpen = (report: Report, to: string) => !groups.of(report)?.members.some((member) => member.scope === to);
    yield* matchInOrder(
      some.filter((report) => isOpen(report, otherScope)),
      others.filter((report) => isOpen(report, scope)),
      groups,
      areAlike,
    );
  }
}

/**
 * Whether two reports, of which at least one has no output or an estimated one, may be of one request: both were
 * refused or none was, and what they say of the model and the input does not differ.
 */
function mayBeBeside(one: Report, other: Report, groups: Groups): boolean {
  const [some = [], others = []] = [one, other].map((report) => groups.of(report)?.members ?? []);
  const isRefused = (members: readonly Report[]) => members.every(({ call }) => call.failed);
  // Some say that what the application left has failed.
  const areOfOneEnd = isRefused(some) === isRefused(others) || [...some, ...others].some(isAborted);
  if (!mayBeOneFamily(one.family, other.family) || !areOfOneEnd || !mayBeOneFault(one, other)) return false;
  const [used, usedByOthers] = [some.filter(isCounted), others.filter(isCounted)];
  if (used.length === 0 || usedByOthers.length === 0) return true;
  const isEqual = (a: Report, b: Report) => a.outputTokens + b.outputTokens === 0 && a.inputTokens === b.inputTokens;
  const mayBeOne = (a: Report, b: Report) => isEqual(a, b) || isEstimateOf(a, b) || isEstimateOf(b, a);
  return used.some((a) => usedByOthers.some((b) => mayBeOne(a, b)));
}

/** What emitters call the same fault: a status, a provider's type, or the class of an exception of some library. */
const faults: readonly RegExp[] = [
  /^400$|invalid_?request|bad_?request/i,
  /^40[13]$|auth|permission|forbidden/i,
  /^404$|not_?found/i,
  /^429$|rate_?limit|too_?many|resource_?exhausted/i,
  /^5\d\d$|overloaded|unavailable|internal|server_?error/i,
  /timeout|timed_?out|connection/i,
];

const faultOf = ({ call }: Report): number => faults.findIndex((name) => name.test(call.fields.error_type ?? ''));

/** Whether two reports name the same fault, or one of them none that is known. */
function mayBeOneFault(one: Report, other: Report): boolean {
  const [fault, otherFault] = [faultOf(one), faultOf(other)];
  return fault < 0 || otherFault < 0 || fault === otherFault;
}

/** A process with more emitters that are alike names them by chance. */
const maxEmitters = 20;

/** The text that reports which may be alike share; undefined for one that is like no other. */
export function likenessOf({ process, family, inputTokens, outputTokens, call }: Report): [string] | undefined {
  if (process === '') return undefined;
  if (outputTokens > 0) return [JSON.stringify([process, family, outputTokens])];
  if (family === '') return undefined;
  if (inputTokens > 0) return [JSON.stringify([process, family, 'input', inputTokens])];
  return call.failed ? [JSON.stringify([process, family, 'refused'])] : undefined;
}

/**
 * The text that the report of a stream which the application left, without usage, shares with the input that the
 * provider's client was told of; undefined for any other report.
 */
export function leftOf(report: Report): [string] | undefined {
  const { process, family, client, inputTokens, outputTokens, call } = report;
  const isTold = client && inputTokens > 0 && outputTokens === 0 && !call.failed;
  const isLeft = isAborted(report) && !isCounted(report);
  return process === '' || family === '' || (!isTold && !isLeft)
    ? undefined
    : [JSON.stringify([process, family, 'left'])];
}

/** How long after such a span has ended the request that it was made for may begin, in milliseconds. */
export const begunMs = 1_000;

/**
 * The text that a span without usage which may have ended before its request began shares with the spans of clients;
 * undefined for any other report.
 */
export function beginningOf(report: Report): [string] | undefined {
  const { process, family, span } = report;
  const isOne = isOfClient(report) || (isBegun(report) && !hasUsage(report));
  return process === '' || family === '' || span === '' || !isOne
    ? undefined
    : [JSON.stringify([process, family, 'begun'])];
}

const isOfClient = ({ client, served }: Report): boolean => client || served;

/** Whether it names no answer, as a span that ended before its request began. */
export const isBegun = (report: Report): boolean =>
  report.begins && !report.client && report.answers.length === 0 && !report.call.failed;

/** Whether a request may be that for which a span was made: what both count is equal. */
const mayBegin = (one: Report, request: Report): boolean =>
  hasUsage(one)
    ? one.inputTokens === request.inputTokens && one.outputTokens === request.outputTokens
    : isOfClient(request);

/** Joins spans that ended before their request began to the next one of a client, for no other customer, one to one. */
function* joinBegun(sharing: readonly Report[], groups: Groups): Slices<void> {
  const begun = sharing.filter(isBegun).sort((a, b) => a.endMs - b.endMs || inOrder(a, b));
  if (begun.length === 0) return;
  const requests = sharing.filter(({ begins, span }) => !begins && span !== '');
  const taken = new Set<Report>();
  let from = 0;
  for (const one of begun) {
    yield;
    for (let request = requests[from]; request && request.startMs < one.endMs - toleranceMs; request = requests[from])
      from += 1;
    for (let at = from; at < requests.length && at < from + maxLooks; at += 1) {
      const request = requests[at];
      if (request === undefined || request.startMs > one.endMs + begunMs) break;
      const mayTake = !taken.has(request) && mayBegin(one, request) && isBeside(one, request);
      if (!mayTake || !groups.mayBeAlike(one, request)) continue;
      taken.add(request);
      groups.join(one, request, 'likeness');
      break;
    }
  }
}

/** The most reports that are looked at for each that is alike, at once and on average. */
const maxLooks = 200;

/** As many others may change their partners so that one more report gets one. */
const maxChanges = 50;

/** Joins each report to the first other one that is free, unless more have one if others change theirs. */
function* matchInOrder(
  some: readonly Report[],
  others: readonly Report[],
  groups: Groups,
  areAlike: AreAlike,
): Slices<void> {
  const takers: (Report | undefined)[] = others.map(() => undefined);
  const inTime = findInTime(some, others);
  const firstFree = followFree(takers);
  let looksLeft = maxLooks * some.length;
  const mayTake = (one: Report, at: number): boolean => {
    looksLeft -= 1;
    const other = others[at];
    return other !== undefined && areOfOneTime(one, other) && areAlike(one, other);
  };
  const findPartner = (one: Report, tried: Set<number>): boolean => {
    const { from, to } = inTime.get(one) ?? { from: 0, to: 0 };
    for (let at = firstFree(from), looks = 0; at < to && looks < maxLooks; at = firstFree(at + 1), looks += 1) {
      if (!mayTake(one, at)) continue;
      takers[at] = one;
      return true;
    }
    for (let at = from; at < Math.min(to, from + maxLooks) && looksLeft > 0 && tried.size <= maxChanges; at += 1) {
      const taker = takers[at];
      if (taker === undefined || tried.has(at) || !mayTake(one, at)) continue;
      tried.add(at);
      if (!findPartner(taker, tried)) continue;
      takers[at] = one;
      return true;
    }
    return false;
  };
  for (const one of some) {
    findPartner(one, new Set());
    yield;
  }
  for (const [at, one] of takers.entries()) {
    const other = others[at];
    if (one && other && areAlike(one, other)) groups.join(one, other, 'likeness');
  }
}

/** Finds the first place from one on that nobody has taken; what is taken stays taken. */
function followFree(takers: readonly (Report | undefined)[]): (from: number) => number {
  const next = Array.from({ length: takers.length + 1 }, (_, at) => at);
  return (from) => {
    let free = next[from] ?? takers.length;
    while (free < takers.length && takers[free] !== undefined) free = Math.max(next[free] ?? 0, free + 1);
    for (let at = from; at < free; ) {
      const after = next[at] ?? free;
      next[at] = free;
      at = Math.max(after, at + 1);
    }
    return free;
  };
}

/** For each report, from which to before which place the others have begun, and not all have ended. */
function findInTime(
  some: readonly Report[],
  others: readonly Report[],
): ReadonlyMap<Report, { readonly from: number; readonly to: number }> {
  let [from, to] = [0, 0];
  return new Map(
    some.map((one) => {
      for (let at = others[to]; at && at.startMs <= one.endMs + toleranceMs; at = others[to]) to += 1;
      // Those that have ended before a report starts have ended for all after it, too.
      for (let at = others[from]; at && at.endMs + toleranceMs < one.startMs; at = others[from]) from += 1;
      return [one, { from, to }] as const;
    }),
  );
}
