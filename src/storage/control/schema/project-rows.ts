import type { TaggedDimension } from '../../../lib/dimensions.ts';
import { audited, column, type RowsOf } from './audited.ts';

export const projectTables = {
  projects: audited('project', {
    id: column<string>('key'),
    name: column<string>('text'),
    type: column<'revenue' | 'internal'>('text'),
    timezone: column<string>('text'),
    /** The new timezone while the project's days are being rebuilt for it; null otherwise. */
    pending_timezone: column<string | null>('hidden'),
    /** The generation of every day that has no row in `days`. */
    base_generation: column<number>('hidden'),
    at_risk_below_pct: column<number | null>('text'),
    /** How many days before today events and calls are kept; null for ever. */
    retention_days: column<number | null>('text'),
    /** 1 if prompts and answers that spans carry are stored, else 0. */
    keep_content: column<number>('flag'),
    /** 1 if reports that share no id are joined where they are alike, else 0. */
    join_alike: column<number>('flag'),
    /** The tags of calls that are rolled up as dimensions, as JSON in order. */
    tag_dimensions: column<string>('json'),
    /** Days before this one are frozen: only their rollups count. It never moves back. */
    frozen_before: column<string | null>('hidden'),
    /** When `frozen_before` last changed. */
    frozen_at: column<number | null>('hidden'),
    /** Events and calls of days before this one are deleted. */
    cleared_before: column<string | null>('hidden'),
    /** Events and calls before this day are being deleted; null while none are. */
    clearing_before: column<string | null>('hidden'),
    /** How many of the deletions up to `clearing_before` have begun. */
    clearing_step: column<number>('hidden'),
    /** The last day of the latest close; null without closes. */
    closed_through: column<string | null>('hidden'),
    created_at: column<number>('hidden'),
    /** Set when the project is deleted. The row stays, so that the id is never reused. */
    deleted_at: column<number | null>('end'),
    /** Set when no data of the deleted project is left in either store. */
    purged_at: column<number | null>('hidden'),
  }),

  dimension_tags: audited(
    { of: 'dimension', kinds: { customer: 'customer_tags', user: 'user_tags' } },
    {
      project_id: column<string>('project'),
      dimension: column<TaggedDimension>('hidden'),
      name: column<string>('key'),
      key: column<string>('pair_name'),
      value: column<string>('pair_value'),
    },
  ),

  /** A free credit grant (D7.1). */
  credit_grants: audited('credit_grant', {
    id: column<string>('key'),
    project_id: column<string>('project'),
    name: column<string | null>('text'),
    provider: column<string>('text'),
    /** JSON array of model names that may end in `*`; null for all. */
    models: column<string | null>('json'),
    /** Decimal USD. */
    amount: column<string>('amount'),
    starts_on: column<string>('text'),
    expires_on: column<string | null>('text'),
    priority: column<number>('text'),
    created_at: column<number>('hidden'),
  }),

  /** A measure of a project's output (D9.1). */
  key_metrics: audited('key_metric', {
    project_id: column<string>('project'),
    name: column<string>('key'),
    event_type: column<string>('text'),
    aggregation: column<'count' | 'sum' | 'unique'>('text'),
    /** JSON Pointer into the event, for `sum` and `unique`. */
    field: column<string | null>('text'),
    /** JSON array of the features whose cost is counted; null for all. */
    features: column<string | null>('json'),
    unit: column<string | null>('text'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
  }),

  /** A simulation of plans that is saved under a name (D29.2). */
  plan_simulations: audited('plan_simulation', {
    project_id: column<string>('project'),
    name: column<string>('key'),
    /** JSON: the question, with amounts as decimal text. */
    question: column<string>('json'),
    created_at: column<number>('hidden'),
    updated_at: column<number>('hidden'),
  }),
};

type Rows = RowsOf<typeof projectTables>;

export type ProjectRow = Rows['projects'];
export type DimensionTagRow = Rows['dimension_tags'];
export type CreditGrantRow = Rows['credit_grants'];
export type KeyMetricRow = Rows['key_metrics'];
export type PlanSimulationRow = Rows['plan_simulations'];

/** The frozen days that have a stored reading of key metrics. Counts of events are stored for all days. */
export interface KeptReadingRow {
  project_id: string;
  /** `identifyReading` */
  reading: string;
  kept_from: string;
  /** Exclusive. */
  kept_before: string;
}
