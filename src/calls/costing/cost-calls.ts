import { byName } from '../../lib/by-name.ts';
import { type Day, dayOf } from '../../lib/days.ts';
import { parseMoney } from '../../lib/money.ts';
import { noUnits, readTerms, type Units } from '../../lib/units.ts';
import { type Usage, usageBuckets } from '../../lib/usage-buckets.ts';
import type { BookInForce } from '../../pricing/books/price-books.ts';
import { type CallCost, type CostedCall, calcCost, costOfWrapper } from '../../pricing/cost.ts';
import type { CallTimes } from '../../pricing/price-book.ts';
import { otherUsageField, parseOtherUsage } from '../../usage/other-usage.ts';
import { type Dimensions, resolveDimensions, resolveRun } from '../attribution.ts';
import { type Alike, alikeOf, type JoinSettings } from '../joins/join-calls.ts';
import { isWithdrawn, wrappedCallOf } from '../joins/wrapper.ts';
import { type MergedCall, reportsUsage, type UnitCounts } from '../merging/merge.ts';

/** What a call's cost and row depend on besides its events. */
export interface CallContext extends JoinSettings {
  readonly timezone: string;
  readonly bookOf: (call: CallTimes) => BookInForce;
  /** The generation to write a day's rows to; undefined for a day whose rows must not be written. */
  readonly generationOf: (day: Day) => number | undefined;
  /** Whether answers read the rows written in this context. */
  readonly isInForce: boolean;
  /** Closes may pin the generations of days up to this one; undefined without closes. */
  readonly closedThrough: Day | undefined;
  /** The base generation to record the runs of the calls for; undefined when they are recorded already. */
  readonly runsOf: number | undefined;
}

/** A row of `calls`, and the facts that must be recorded before it is written. */
export interface CallRow {
  readonly projectId: string;
  readonly day: Day;
  readonly generation: number;
  readonly eventId: string;
  readonly ordinal: number;
  readonly version: number;
  /** The call; null in a row that removes the call from this day (D4.3). */
  readonly call: StoredCall | null;
  readonly isInForce: boolean;
  /** Whether a close may pin the day in this generation. */
  readonly isClosed: boolean;
  /** The base generation to record the call's run for; undefined when it is recorded already. */
  readonly runsOf: number | undefined;
}

/** The columns of `calls` that are not its key. */
export interface StoredCall {
  /** Milliseconds since 1970, like `firstReceivedAtMs`. */
  readonly timeMs: number;
  readonly firstReceivedAtMs: number;
  readonly dimensions: Dimensions;
  readonly run: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly failed: boolean;
  /** Whether the client stopped reading the answer before its end (D15.3). */
  readonly aborted: boolean;
  readonly elapsedMs: number | null;
  /** What likeness made of it (D27.6). */
  readonly alike: Alike;
  /** What its price depends on (docs/decisions/0047). */
  readonly costed: CostedCall;
  readonly cost: CallCost;
  readonly priceBookId: string;
}

/** The cost of a merged call, and its inputs. */
export interface CostedMerge {
  readonly dimensions: Dimensions;
  readonly costed: CostedCall;
  readonly cost: CallCost;
  readonly priceBookId: string;
}

/** Costs a call (D4.4, D5). A wrapper has no usage of its own (D14.3). */
export function costMergedCall(call: MergedCall, priceBook: BookInForce): CostedMerge {
  const priceBookId = priceBook.id;
  const dimensions = resolveDimensions(call);
  const costed: CostedCall = {
    provider: dimensions.provider,
    model: dimensions.model,
    terms: readTerms(call.fields),
    time: call.timeMs,
    day: dayOf(priceBook.timezone, call.timeMs),
    usage: call.usage.length === 0 ? null : toUsage(call.usage),
    units: toUnits(call.units),
    others: parseOtherUsage(call.fields[otherUsageField]),
    hasUnknownUsage: call.fields.unknown_usage === 'true',
    isUsageMissing: isUsageMissing(call),
    reportedCost: call.cost === null ? null : parseMoney(call.cost),
    costElsewhere: readCostElsewhere(call.fields),
    isFromGatewayCache: call.fields.gateway_cache === 'true',
    mayBeSum: call.fields.may_be_sum === 'true',
    requests: call.fields.num_requests === undefined ? undefined : Number(call.fields.num_requests),
  };
  if (wrappedCallOf(call) !== undefined || isWithdrawn(call)) {
    const provider = dimensions.provider || priceBook.opened.catalogue.deriveProvider(dimensions.model);
    const own = { ...costed, usage: null, units: noUnits, others: undefined };
    return { dimensions, costed: own, cost: costOfWrapper(provider), priceBookId };
  }
  return { dimensions, costed, cost: calcCost(costed, priceBook.opened), priceBookId };
}

/**
 * Whether an answered call has no usage, or only zeros: agents report 0 for a stream without usage. The provider charged
 * something for it, unless its report says that the zeros are right (`usage_not_reported: false`).
 */
function isUsageMissing(call: MergedCall): boolean {
  const { failed, fields, usage, cost } = call;
  if (failed || fields.usage_not_reported === 'false') return false;
  if (fields.usage_not_reported === 'true') return true;
  return usage.length > 0 ? usage.every((tokens) => tokens === 0) : cost === null && !reportsUsage(call);
}

/** The reported cost that replaces an unknown price (D16.1). Estimates of coding agents and libraries don't (D14.6). */
const readCostElsewhere = ({ reported_cost: reported = '', reported_cost_counts: counts }: MergedCall['fields']) =>
  counts === 'false' ? undefined : (parseMoney(reported) ?? undefined);

/**
 * The rows of one call, joined to the other reports of its request: the costed call on its day, and for every other day
 * with an outcome of its id a row that removes it there (D4.3). A wrapper is in no list, count or sum (D14.3). It is
 * removed from its own day too, because its row may have been written before the call that counts arrived.
 */
export function costCall(call: MergedCall, version: number, context: CallContext): CallRow[] {
  const { timezone, bookOf, generationOf, isInForce, closedThrough, runsOf } = context;
  const { projectId, eventId, ordinal, timeMs, firstReceivedAtMs } = call;
  const day = dayOf(timezone, timeMs);
  const priceBook = bookOf({ firstReceivedAt: firstReceivedAtMs, time: timeMs });
  const { dimensions, costed, cost, priceBookId } = costMergedCall(call, priceBook);
  const { elapsed_ms: elapsed } = call.fields;
  const isWrapper = cost.source === 'wrapper';
  const key = { projectId, eventId, ordinal, version, isInForce };
  const isClosed = (one: Day) => closedThrough !== undefined && one <= closedThrough;
  const generation = generationOf(day);
  const rows: CallRow[] = [];
  if (generation !== undefined && !isWrapper) {
    const stored: StoredCall = {
      timeMs,
      firstReceivedAtMs,
      dimensions,
      run: resolveRun(call, { eventId, ordinal }),
      tags: call.tags,
      failed: call.failed,
      aborted: call.fields.aborted === 'true',
      elapsedMs: elapsed === undefined ? null : Number(elapsed),
      alike: alikeOf(call),
      costed,
      cost,
      priceBookId,
    };
    rows.push({ ...key, day, generation, isClosed: isClosed(day), call: stored, runsOf });
  }
  for (const other of new Set(call.outcomeTimesMs.map((time) => dayOf(timezone, time)))) {
    const ofOther = other === day && !isWrapper ? undefined : generationOf(other);
    if (ofOther === undefined) continue;
    rows.push({ ...key, day: other, generation: ofOther, isClosed: isClosed(other), call: null, runsOf: undefined });
  }
  return rows;
}

const noUsage: Usage = byName(usageBuckets, () => 0);

function toUsage(counts: readonly number[]): Usage {
  const usage = { ...noUsage };
  for (const [index, bucket] of usageBuckets.entries()) usage[bucket] = counts[index] ?? 0;
  return usage;
}

/** Converts decimal text to counts, in units of 1e-12. */
export function toUnits(counts: UnitCounts): Units {
  let units: Record<string, bigint> | undefined;
  for (const name in counts) {
    units ??= {};
    units[name] = parseMoney(counts[name] ?? '') ?? 0n;
  }
  return units ?? noUnits;
}
