import type { Statement } from '../../calls/assembly/merge.ts';
import { usageColumns } from '../../clickhouse/schema.ts';
import type { Day } from '../../lib/days.ts';
import type { CostSource } from '../../pricing/cost.ts';
import type { CostBasis } from '../cost-basis.ts';
import type { Clause } from '../where.ts';
import { callOrder } from './position.ts';

/** A call as the store gives it: money as decimal text. */
export interface CallRecord {
  readonly id: string;
  readonly ordinal: number;
  readonly on_day: string;
  /** Milliseconds since 1970. */
  readonly time_ms: string;
  readonly customer: string;
  readonly user: string;
  readonly feature: string;
  readonly run: string;
  readonly model: string;
  readonly provider: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly failed: boolean;
  readonly elapsed_ms: number | null;
  readonly gross_cost: string;
  readonly net_cost: string;
  readonly cost_source: CostSource;
  readonly unpriced_reason: string;
  readonly price_book: string;
  /** Token counts in the order of `usageBuckets`. */
  readonly tokens: readonly string[];
}

const columns = (basis: CostBasis | undefined) => `
  toString(event_id) AS id, ordinal, toString(day) AS on_day, toUnixTimestamp64Milli(time) AS time_ms,
  customer, user, feature, run, model, provider, tags, failed, elapsed_ms,
  cost AS gross_cost, ${basis?.expression ?? 'cost'} AS net_cost, cost_source, unpriced_reason, price_book, [${usageColumns.join(', ')}] AS tokens`;

/** Which calls are read: where they are, and what credits leave of their cost, if that is asked for. */
export interface CallSelection {
  /** Names the project in its parameter `project`. */
  readonly where: Clause;
  readonly basis: CostBasis | undefined;
  readonly limit: number;
}

/**
 * Calls in order, at most `limit`. Their keys are found first, so that the wide columns are read of these calls only.
 */
export function selectCalls({ where, basis, limit }: CallSelection): Statement {
  return {
    sql: `
      SELECT ${columns(basis)}
      FROM calls FINAL ${basis?.join ?? ''}
      WHERE project = {project:String} AND (day, generation, event_id, ordinal) IN (
        SELECT day, generation, event_id, ordinal FROM calls FINAL WHERE ${where.sql} ORDER BY ${callOrder} LIMIT {limit:UInt32}
      )
      ORDER BY ${callOrder}`,
    parameters: { ...where.parameters, ...basis?.parameters, limit },
  };
}

/** The key of a stored call. */
export interface CallKey {
  readonly project: string;
  readonly day: Day;
  readonly generation: number;
  readonly eventId: string;
  readonly ordinal: number;
}

/** One call by its key. */
export const selectCall = ({ project, day, generation, eventId, ordinal }: CallKey): Statement => ({
  sql: `
    SELECT ${columns(undefined)}
    FROM calls FINAL
    WHERE project = {project:String} AND day = {day:Date} AND generation = {generation:UInt64}
      AND event_id = {event_id:UUID} AND ordinal = {ordinal:UInt16}`,
  parameters: { project, day, generation, event_id: eventId, ordinal },
});
