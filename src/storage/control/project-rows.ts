import type { TaggedDimension } from '../../lib/dimensions.ts';

export interface ProjectRow {
  id: string;
  name: string;
  type: 'revenue' | 'internal';
  timezone: string;
  /** The new timezone while the project's days are being rebuilt for it; null otherwise. */
  pending_timezone: string | null;
  /** The generation of every day that has no row in `days`. */
  base_generation: number;
  at_risk_below_pct: number | null;
  /** How many days before today events and calls are kept; null for ever. */
  retention_days: number | null;
  /** 1 if prompts and answers that spans carry are stored, else 0. */
  keep_content: number;
  /** 1 if reports that share no id are joined where they are alike, else 0. */
  join_alike: number;
  /** The tags of calls that are rolled up as dimensions, as JSON in order. */
  tag_dimensions: string;
  /** Days before this one are frozen: only their rollups count. It never moves back. */
  frozen_before: string | null;
  /** When `frozen_before` last changed. */
  frozen_at: number | null;
  /** Events and calls of days before this one are deleted. */
  cleared_before: string | null;
  /** Events and calls before this day are being deleted; null while none are. */
  clearing_before: string | null;
  /** How many of the deletions up to `clearing_before` have begun. */
  clearing_step: number;
  /** The last day of the latest close; null without closes. */
  closed_through: string | null;
  created_at: number;
  /** Set when the project is deleted. The row stays, so that the id is never reused. */
  deleted_at: number | null;
  /** Set when no data of the deleted project is left in either store. */
  purged_at: number | null;
}

export interface DimensionTagRow {
  project_id: string;
  dimension: TaggedDimension;
  name: string;
  key: string;
  value: string;
}

/** A free credit grant (D7.1). */
export interface CreditGrantRow {
  id: string;
  project_id: string;
  name: string | null;
  provider: string;
  /** JSON array of model names that may end in `*`; null for all. */
  models: string | null;
  /** Decimal USD. */
  amount: string;
  starts_on: string;
  expires_on: string | null;
  priority: number;
  created_at: number;
}

/** A measure of a project's output (D9.1). */
export interface KeyMetricRow {
  project_id: string;
  name: string;
  event_type: string;
  aggregation: 'count' | 'sum' | 'unique';
  /** JSON Pointer into the event, for `sum` and `unique`. */
  field: string | null;
  /** JSON array of the features whose cost is counted; null for all. */
  features: string | null;
  unit: string | null;
  created_at: number;
  updated_at: number;
}

/** The frozen days that have a stored reading of key metrics. Counts of events are stored for all days. */
export interface KeptReadingRow {
  project_id: string;
  /** `identifyReading` */
  reading: string;
  kept_from: string;
  /** Exclusive. */
  kept_before: string;
}

/** A simulation of plans that is saved under a name (D29.2). */
export interface PlanSimulationRow {
  project_id: string;
  name: string;
  /** JSON: the question, with amounts as decimal text. */
  question: string;
  created_at: number;
  updated_at: number;
}
