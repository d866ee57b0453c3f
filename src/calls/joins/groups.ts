import { compareCodePoints } from '../../lib/code-points.ts';
import { resolveDimensions } from '../attribution.ts';
import { saidBy } from '../events/merge-tags.ts';
import type { OtherReport } from '../merging/merge.ts';
import { hasUsage, isCounted, type Report } from './report.ts';

export type JoinedBy = OtherReport['by'];

/** Times are whole milliseconds, and a span around another may read the clock in between. */
export const toleranceMs = 5;

/** By start; what starts first and ends last is outermost. Nothing depends on the order in which reports arrive. */
export function inOrder(a: Report, b: Report): number {
  return (
    a.startMs - b.startMs ||
    b.endMs - a.endMs ||
    compareCodePoints(a.scope, b.scope) ||
    compareCodePoints(a.call.eventId, b.call.eventId) ||
    a.call.ordinal - b.call.ordinal
  );
}

export interface ReportGroup {
  readonly members: Report[];
  /** Pairs of members, each with what joined it: they form a tree. */
  readonly links: { readonly pair: readonly [Report, Report]; readonly by: JoinedBy }[];
}

/** The requests found so far. */
export class Groups {
  readonly #of = new Map<Report, ReportGroup>();
  readonly #customers = new Map<Report, readonly string[]>();

  add(report: Report): ReportGroup {
    const group: ReportGroup = { members: [report], links: [] };
    this.#of.set(report, group);
    return group;
  }

  of(report: Report): ReportGroup | undefined {
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

  /** Removes a group that is no request, and returns its reports. */
  takeOut({ members }: ReportGroup): readonly Report[] {
    for (const report of members) this.#of.delete(report);
    return members;
  }

  /** Whether two reports that are alike may be of one request: neither an emitter nor what they say tells theirs apart. */
  mayBeAlike(one: Report, other: Report, ofAnyCustomer = false): boolean {
    const [some, others] = [this.#of.get(one)?.members ?? [], this.#of.get(other)?.members ?? []];
    if (some === others || some.some((a) => others.some((b) => isOfOneEmitter(a, b)))) return false;
    return this.mayBeOne(one, other, ofAnyCustomer);
  }

  /** Whether neither the ids of answers nor the customers that the reports of two requests name tell them apart. */
  mayBeOne(one: Report, other: Report, ofAnyCustomer = false): boolean {
    const [some, others] = [this.#of.get(one)?.members ?? [], this.#of.get(other)?.members ?? []];
    const areApart = (namesOf: (report: Report) => readonly string[]): boolean => {
      const [names, otherNames] = [some.flatMap(namesOf), others.flatMap(namesOf)];
      return names.length > 0 && otherNames.length > 0 && !names.some((name) => otherNames.includes(name));
    };
    return (
      !areApart(({ answers, loose }) => (loose ? [] : answers)) &&
      (ofAnyCustomer || !areApart((report) => this.#customersOf(report)))
    );
  }

  /** The customer that a report names itself, if any: what holds for a process says nothing. */
  #customersOf(report: Report): readonly string[] {
    let customers = this.#customers.get(report);
    if (customers === undefined) {
      const { customer } = resolveDimensions({ tags: saidBy(report.call).own, fields: {} });
      customers = customer === '' ? [] : [customer];
      this.#customers.set(report, customers);
    }
    return customers;
  }

  all(): ReportGroup[] {
    return [...new Set(this.#of.values())];
  }

  reports(): Report[] {
    return [...this.#of.keys()];
  }
}

const isOfOneScope = (a: Report, b: Report): boolean => a.scope === b.scope && (a.span === '') === (b.span === '');

const isOfOneEmitter = (a: Report, b: Report): boolean => isOfOneScope(a, b) && a.process === b.process;

export const overlap = (a: Report, b: Report, slackMs: number): boolean =>
  a.startMs <= b.endMs + slackMs && b.startMs <= a.endMs + slackMs;

/**
 * An emitter reports two requests apart: one it reports once, or, wrapped twice, at one time with equal usage. In another
 * process, such as a proxy, it counts a request the same.
 */
function areOfTwoRequests(a: Report, b: Report, mayBeTwice: boolean): boolean {
  if (!isOfOneScope(a, b) || a.follows !== b.follows) return false;
  const isEqual = a.outputTokens === b.outputTokens && a.inputTokens === b.inputTokens;
  const isAtOnce = overlap(a, b, toleranceMs);
  if (a.process !== b.process) return (!isEqual && hasUsage(a) && hasUsage(b)) || (!mayBeTwice && !isAtOnce);
  return !mayBeTwice || !isEqual || !isAtOnce;
}

/** Whether two spans have the same span around them, or none. */
export const isBeside = (a: Report, b: Report): boolean =>
  a.parent === b.parent && (a.parent === '' || a.trace === b.trace);

export const contains = (outer: Report, inner: Report): boolean =>
  outer.startMs <= inner.startMs + toleranceMs && inner.endMs <= outer.endMs + toleranceMs;

/**
 * Whether two reports may be of one request by their time: one is within the other. Two with equal counts may also share
 * most of it, or nearly all where their traces differ: what is told of a request after another has begun is told of its
 * end after it, too.
 */
export function areOfOneTime(a: Report, b: Report): boolean {
  if (contains(a, b) || contains(b, a)) return true;
  const sharedMs = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs);
  const areEqual =
    (a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens) || !(isCounted(a) || isCounted(b));
  const share = a.trace === b.trace || a.trace === '' || b.trace === '' ? 1 / 2 : 4 / 5;
  return areEqual && sharedMs > Math.max(a.endMs - a.startMs, b.endMs - b.startMs) * share;
}

/** Groups by each key of an item, in the order of the items. */
export function groupBy<Item>(items: readonly Item[], keysOf: (item: Item) => readonly string[]): Map<string, Item[]> {
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

export const pairsOf = <Item>(items: readonly Item[]): (readonly [Item, Item])[] =>
  items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const));
