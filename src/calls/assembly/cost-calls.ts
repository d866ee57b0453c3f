import { usageColumns } from '../../clickhouse/schema.ts';
import { type Day, dayOf } from '../../lib/days.ts';
import { formatMoney, parseMoney } from '../../lib/money.ts';
import { type Usage, usageBuckets } from '../../lib/usage-buckets.ts';
import { type CallCost, calcCost } from '../../pricing/cost.ts';
import type { CallTimes } from '../../pricing/price-book.ts';
import type { BookInForce } from '../../pricing/price-books.ts';
import { type Dimensions, resolveDimensions, resolveRun } from '../attribution.ts';
import type { MergedCall } from './merge.ts';

/** What of its project a call is costed and placed by. */
export interface CallContext {
  /** The timezone of the days. */
  readonly timezone: string;
  readonly bookOf: (call: CallTimes) => BookInForce;
  /** The generation that rows of a day are written to; undefined for a day that gets none. */
  readonly generationOf: (day: Day) => number | undefined;
  /** Whether answers read what is written by it. */
  readonly isInForce: boolean;
  /** The base generation that the runs of the calls are noted for; undefined where they are noted already. */
  readonly runsOf: number | undefined;
}

/** A row of `calls` as a line of its columns, and what must be told before it is written. */
export interface CallRow {
  readonly projectId: string;
  readonly day: Day;
  readonly line: string;
  readonly isInForce: boolean;
  /** The run of a call, to be noted; absent for a row that says that a call is not on a day. */
  readonly sighting?: { readonly baseGeneration: number; readonly run: string; readonly customer: string };
}

/** A merged call with its cost and what that was reached from. */
export interface CostedMerge {
  readonly dimensions: Dimensions;
  readonly usage: Usage | null;
  readonly cost: CallCost;
}

/** Costs one merged call by a price book (D4.4, D5). */
export function costMergedCall(call: MergedCall, priceBook: BookInForce): CostedMerge {
  const timeMs = Number(call.time);
  const dimensions = resolveDimensions(call);
  const usage = call.usage.length === 0 ? null : toUsage(call.usage);
  const cost = calcCost(
    {
      provider: dimensions.provider,
      model: dimensions.model,
      serviceTier: call.fields.service_tier ?? '',
      time: timeMs,
      day: dayOf(priceBook.timezone, timeMs),
      usage,
      reportedCost: call.cost === null ? null : parseMoney(call.cost),
    },
    priceBook.opened,
  );
  return { dimensions, usage, cost };
}

/** The rows of one merged call: the call, costed, and its absence from every other day that it has an outcome on (D4.3). */
export function costCall(call: MergedCall, version: number, context: CallContext): CallRow[] {
  const { timezone, bookOf, generationOf, isInForce, runsOf } = context;
  const timeMs = Number(call.time);
  const day = dayOf(timezone, timeMs);
  const priceBook = bookOf({ firstReceivedAt: Number(call.first_received_at), time: timeMs });
  const { dimensions, usage, cost } = costMergedCall(call, priceBook);
  const { elapsed_ms: elapsed } = call.fields;
  const generation = generationOf(day);
  const rows: CallRow[] = [];
  const key = (onDay: Day, inGeneration: number) => [
    call.project,
    onDay,
    inGeneration,
    call.event_id,
    call.ordinal,
    version,
  ];
  const { project: projectId } = call;
  if (generation !== undefined) {
    const run = resolveRun(call, { eventId: call.event_id, ordinal: call.ordinal });
    const line = JSON.stringify([
      ...key(day, generation),
      0,
      new Date(timeMs).toISOString(),
      new Date(Number(call.first_received_at)).toISOString(),
      dimensions.customer,
      dimensions.user,
      dimensions.feature,
      run,
      dimensions.model,
      cost.provider,
      call.tags,
      call.failed,
      elapsed === undefined ? null : Number(elapsed),
      formatMoney(cost.cost),
      cost.source,
      cost.unpricedReason ?? '',
      priceBook.id,
      ...usageBuckets.map((bucket) => usage?.[bucket] ?? 0),
    ]);
    const sighting = runsOf !== undefined && { baseGeneration: runsOf, run, customer: dimensions.customer };
    rows.push({ projectId, day, line, isInForce, ...(sighting && { sighting }) });
  }
  for (const other of new Set(call.outcome_times.map((time) => dayOf(timezone, Number(time))))) {
    const ofOther = other === day ? undefined : generationOf(other);
    if (ofOther === undefined) continue;
    rows.push({ projectId, day: other, line: absenceLine(key(other, ofOther)), isInForce });
  }
  return rows;
}

const epoch = new Date(0).toISOString();

/** A row that says that the call is not on this day (any more). */
const absenceLine = (key: readonly unknown[]): string =>
  JSON.stringify([
    ...key,
    1,
    epoch,
    epoch,
    ...['', '', '', '', '', ''],
    {},
    false,
    null,
    '0',
    ...['', '', ''],
    ...usageColumns.map(() => 0),
  ]);

const toUsage = (counts: readonly string[]): Usage =>
  Object.fromEntries(usageBuckets.map((bucket, index) => [bucket, Number(counts[index] ?? 0)])) as Usage;
