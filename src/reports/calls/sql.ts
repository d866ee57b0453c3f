import { callTags } from '../../calls/costing/call-tags.ts';
import type { Day } from '../../lib/days.ts';
import { type Dimension, dimensionNames } from '../../lib/dimensions.ts';
import type { CostSource } from '../../pricing/cost.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { UnitCounts } from '../asking/usage-fields.ts';
import { amountOf, type CallOrder, type CallPosition, toOrderClause } from './position.ts';

/** A call as the store returns it: money as decimal text. */
export interface CallRecord extends Readonly<Record<Dimension, string>> {
  readonly id: string;
  readonly ordinal: number;
  readonly on_day: string;
  /** Milliseconds since 1970. */
  readonly time_ms: string;
  readonly run: string;
  readonly call_tags: Readonly<Record<string, string>>;
  readonly failed: boolean;
  readonly aborted: boolean;
  readonly elapsed_ms: number | null;
  readonly gross_cost: string;
  readonly net_cost: string;
  readonly cost_source: CostSource;
  readonly unpriced_reason: string;
  readonly price_book: string;
  /** Token counts in the order of `usageBuckets`. */
  readonly tokens: readonly string[];
  readonly units: UnitCounts;
  readonly terms: Readonly<Record<string, string>>;
  readonly partly_priced: string[];
}

export interface CallKey {
  readonly day: Day;
  readonly generation: number;
  readonly eventId: string;
  readonly ordinal: number;
}

/** The key of a call as the store returns it, with the time by which calls are ordered. */
interface KeyRecord {
  readonly on_day: Day;
  readonly generation: string;
  readonly id: string;
  readonly ordinal: number;
  readonly time_ms: string;
  readonly amount?: string;
}

export type PlacedKey = CallKey & CallPosition;

/** Reads the keys of calls in order, at most `limit`. Wide columns are read later, only for the calls of the page. */
export async function readCallKeys(
  store: AnalyticStore,
  where: Clause,
  { limit, order }: { readonly limit: number; readonly order: CallOrder },
): Promise<PlacedKey[]> {
  const amount = amountOf(order);
  const records = await store.select<KeyRecord>(
    `SELECT ${amount === undefined ? '' : `toString(${amount}) AS amount, `}toString(day) AS on_day, generation, toString(event_id) AS id, ordinal, toUnixTimestamp64Milli(time) AS time_ms
     FROM calls FINAL WHERE ${where.sql} ORDER BY ${toOrderClause(order)} LIMIT {limit:UInt32}`,
    { ...where.parameters, limit },
  );
  return records.map(({ on_day: day, generation, id: eventId, ordinal, time_ms: timeMs, amount: its }) => ({
    day,
    generation: Number(generation),
    eventId,
    ordinal,
    timeMs: Number(timeMs),
    ...(its !== undefined && { amount: its }),
  }));
}

interface CallReading {
  readonly order?: CallOrder;
  /** How net costs are computed; without it, the net cost is the gross cost. */
  readonly basis?: CostBasis;
}

/** Reads these calls in order. Versions share a key, so PREWHERE is right under FINAL, in a third of the time. */
export async function readCallsByKey(
  store: AnalyticStore,
  project: string,
  keys: readonly CallKey[],
  { order = 'oldest', basis }: CallReading = {},
): Promise<CallRecord[]> {
  if (keys.length === 0) return [];
  return await store.select<CallRecord>(
    `SELECT toString(event_id) AS id, ordinal, toString(day) AS on_day, toUnixTimestamp64Milli(time) AS time_ms,
      ${dimensionNames.join(', ')}, run, ${callTags} AS call_tags, failed, aborted, elapsed_ms,
      cost AS gross_cost, ${basis?.expression ?? 'cost'} AS net_cost, cost_source, unpriced_reason, price_book,
      [${usageColumns.join(', ')}] AS tokens, units, terms, partly_priced
    FROM calls FINAL ${basis?.join ?? ''}
    PREWHERE project = {project:String} AND (day, generation, event_id, ordinal) IN (
      SELECT arrayJoin(arrayZip({days:Array(Date)}, {generations:Array(UInt64)}, {ids:Array(UUID)}, {ordinals:Array(UInt16)}))
    )
    ORDER BY ${toOrderClause(order)}`,
    {
      project,
      days: keys.map(({ day }) => day),
      generations: keys.map(({ generation }) => generation),
      ids: keys.map(({ eventId }) => eventId),
      ordinals: keys.map(({ ordinal }) => ordinal),
      ...basis?.parameters,
    },
  );
}
