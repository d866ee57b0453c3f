// The answers of the API, in the API's names. /openapi.json describes them.

import type { RevenueWithoutRate, UnmappedRevenue } from './stripe-types.ts';

export type Dimension = 'customer' | 'feature' | 'model' | 'provider';
export type Granularity = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'all';
export type Scope = 'read' | 'write';
export type RiskStatus = 'healthy' | 'at_risk' | 'unprofitable';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly type: 'revenue' | 'internal';
  readonly timezone: string;
  readonly pending_timezone: string | null;
  readonly at_risk_below_pct: number | null;
  readonly retention_days: number | null;
  readonly keep_content: boolean;
  readonly join_alike: boolean;
  /** The first day whose events and calls are kept; null when all are. */
  readonly kept_from: string | null;
  readonly created_at: string;
}

export interface Session {
  readonly kind: 'key' | 'admin';
  readonly project?: Project;
  readonly scopes?: readonly Scope[];
  readonly expires_at: string;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

interface Periodic {
  readonly date_from: string;
  readonly date_to: string;
}

export type Grouped = Periodic & Partial<Record<Dimension, string>>;

export interface CostRow extends Grouped {
  readonly cost: number;
  readonly avg_feature_run_cost: number;
  readonly max_feature_run_cost: number;
}

export interface UsageRow extends Grouped {
  readonly calls: number;
  readonly errors: number;
  readonly unpriced_calls: number;
  readonly partly_priced_calls: number;
  readonly tokens: Readonly<Record<string, number>>;
  readonly units: Readonly<Record<string, number>>;
  readonly elapsed_ms_sum: number;
  readonly elapsed_ms_max: number;
}

export type Cause =
  | 'calls'
  | 'mix'
  | 'failures'
  | 'tokens_per_call'
  | 'cached_share'
  | 'prices'
  | 'new_customers'
  | 'vanished_customers';
export type ChangedDimension = 'customer' | 'feature' | 'model';

/** Costs in two ranges, and their difference by cause. */
export interface ChangedAmounts {
  readonly cost_before: number;
  readonly cost: number;
  readonly difference: number;
  readonly parts: Readonly<Record<Cause, number>>;
}

/** The name of a row, under the name of its dimension. */
type ChangedName = Readonly<Partial<Record<ChangedDimension, string>>>;

/** What changed for each value of a dimension, the largest first. */
export interface RankedChanges {
  readonly rows: readonly (ChangedName & ChangedAmounts)[];
  readonly others: ChangedAmounts & { readonly count: number };
  readonly causes: readonly {
    readonly cause: Cause;
    readonly amount: number;
    readonly rows: readonly (ChangedName & { readonly amount: number })[];
    readonly others: { readonly count: number; readonly amount: number };
  }[];
}

export interface Changes extends ChangedAmounts {
  readonly by_customer: RankedChanges;
  readonly by_model: RankedChanges;
  readonly by_feature: RankedChanges;
}

export interface MarginRow extends Periodic {
  readonly customer?: string;
  readonly revenue: number;
  readonly cost: number;
  readonly margin: number;
  readonly margin_pct: number;
  readonly risk_status: RiskStatus;
}

export interface KeyMetricEntry {
  readonly value: number;
  readonly total_cost: number;
  readonly cost_per_unit: number;
}

export interface PerformanceRow extends Periodic {
  readonly user?: string;
  readonly cost: number;
  readonly key_metrics: Readonly<Record<string, KeyMetricEntry>>;
}

export interface KeyMetric {
  readonly name: string;
  readonly event_type: string;
  readonly aggregation: 'count' | 'sum' | 'unique';
  readonly field: string | null;
  readonly features: readonly string[] | null;
  readonly unit: string | null;
}

export interface ListRow {
  readonly name: string;
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly calls: number;
  /** Only of customers and users. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Only of models. */
  readonly has_price?: boolean;
}

export interface Coverage extends Periodic {
  readonly calls: number;
  readonly priced_share: number;
  readonly unpriced_calls: number;
  readonly partly_priced_calls: number;
  readonly cost: number;
  readonly customer_attributed_cost: number;
  readonly customer_attributed_share: number;
  readonly feature_attributed_cost: number;
  readonly feature_attributed_share: number;
  readonly user_attributed_cost: number;
  readonly user_attributed_share: number;
  readonly unpriced: readonly { model: string; provider: string; reason: string; calls: number }[];
  /** Units and terms without a known price. */
  readonly partly_priced: readonly { name: string; model: string; provider: string; calls: number }[];
  /** Calls that a public list priced, which nobody reviewed. */
  readonly further_prices: {
    readonly calls: number;
    readonly cost: number;
    readonly lists: readonly { list: string; calls: number; cost: number }[];
    readonly models: readonly {
      provider: string;
      model: string;
      list: string;
      disagreeing: readonly { list: string }[];
    }[];
  };
  readonly joined_alike: { readonly calls: number; readonly cost: number };
  readonly possible_doubles: { readonly calls: number; readonly cost: number };
  readonly open_calls: number;
  readonly beyond_retention: number;
  readonly ignored: readonly { field: string; events: number }[];
  /** Only of projects with revenue. */
  readonly unmapped_revenue?: readonly UnmappedRevenue[];
  readonly revenue_without_rate?: readonly RevenueWithoutRate[];
}

export interface Call {
  readonly event_id: string;
  readonly ordinal: number;
  readonly day: string;
  readonly time: string;
  readonly customer: string;
  readonly user: string;
  readonly feature: string;
  readonly run: string;
  readonly model: string;
  readonly provider: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly failed: boolean;
  readonly elapsed_ms: number | null;
  readonly cost: number;
  readonly net_cost?: number;
  readonly cost_source:
    | 'reported'
    | 'override'
    | 'catalogue'
    | 'further_list'
    | 'gateway_cache'
    | 'wrapper'
    | 'none'
    | 'unpriced';
  readonly unpriced_reason: string | null;
  /** Units and terms without a known price. */
  readonly partly_priced: readonly string[];
  readonly tokens: Readonly<Record<string, number>>;
  readonly units: Readonly<Record<string, number>>;
  readonly terms: Readonly<Record<string, string>>;
}

/** Where a unit price comes from (D5.6). */
export interface PriceSource {
  readonly kind: string;
  readonly [field: string]: string | null;
}

/** A term that changed a rate; the factor is null if it has rates of its own. */
export interface TermOfLine {
  readonly name: string;
  readonly value: string;
  readonly factor: number | null;
  readonly source: PriceSource;
}

interface PricedLine {
  readonly amount: number;
  readonly source: PriceSource;
}

export type ExplanationLine = PricedLine &
  (
    | {
        readonly bucket: string;
        readonly tokens: number;
        readonly rate_per_mtok: number;
        readonly terms?: readonly TermOfLine[];
      }
    | { readonly bucket: 'request'; readonly requests: number; readonly rate_per_request: number }
    | { readonly unit: string; readonly count: number; readonly rate_per_unit: number }
  );

export interface EventRow {
  readonly received_at: string;
  readonly client_id: string;
  readonly event: Readonly<Record<string, unknown>>;
}

export interface ExplainedCall extends Call {
  readonly open: false;
  readonly calls: number;
  readonly explanation: {
    readonly reproduced: boolean;
    readonly note: string | null;
    readonly reported_cost: number | null;
    readonly lines: readonly ExplanationLine[];
    readonly price_book: { readonly id: string; readonly activated_at: string };
    readonly reports: readonly {
      readonly event_id: string;
      readonly emitter: string | null;
      readonly joined_by: 'span' | 'answer_id' | 'likeness';
    }[];
    readonly credit: { readonly covered_fraction: number; readonly net_cost: number };
  };
  readonly events: readonly EventRow[];
  readonly events_total: number;
}

export interface OpenCall {
  readonly event_id: string;
  readonly open: true;
  readonly events: readonly EventRow[];
  readonly events_total: number;
}

export interface Run extends Page<Call> {
  readonly run: string;
  readonly first_time: string;
  readonly last_time: string;
  readonly calls: number;
  readonly failed_calls: number;
  readonly cost: number;
  readonly features: readonly string[];
  readonly customers: readonly string[];
}

/** The age of a list of prices. */
export interface ListAge {
  readonly list: string;
  readonly age_days: number;
  readonly is_old: boolean;
}

export interface PriceOverride {
  readonly id: string;
  readonly provider: string | null;
  readonly model: string;
  readonly service_tier: string | null;
  readonly effective_from: string | null;
  readonly effective_to: string | null;
  readonly input_per_mtok: number;
  readonly output_per_mtok: number;
  readonly cache_read_per_mtok: number | null;
  readonly per_request: number | null;
  readonly created_at: string;
}

export interface ModelPrice {
  readonly model: string;
  readonly provider: string;
  /** Null when only units have a price. */
  readonly source: PriceSource | null;
  readonly rates: { readonly per_mtok: Readonly<Record<string, number | null>>; readonly per_request: number | null };
}

export interface Reprice {
  readonly id: string;
  /** Whether it is a what-if. */
  readonly what_if: boolean;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  readonly dry_run: boolean;
  readonly date_from: string;
  readonly date_to: string;
  readonly requested_by: string;
  readonly created_at: string;
  readonly failure: string | null;
  readonly before: number | null;
  readonly after: number | null;
}

/** A price that a dry run assumes. The API has further fields, and answers with those that the question has. */
export interface AssumedPrice {
  readonly model: string;
  readonly [field: string]: unknown;
}

/** What a dry run assumes of past calls. */
export interface Assumption {
  readonly models?: Readonly<Record<string, string>>;
  readonly overrides?: readonly AssumedPrice[];
  /** The share of the input that is read from the cache, from 0 to 1. */
  readonly cached_share?: number;
  readonly service_tier?: string;
}

export interface RepriceDetail extends Reprice {
  readonly progress: number;
  /** What was assumed; null for a reprice by prices alone. */
  readonly assume: Assumption | null;
  /** Of projects with revenue. */
  readonly revenue?: number | null;
  readonly by_day: readonly { date: string; before: number; after: number }[];
  /** The largest differences. Revenue and margins are those of projects with revenue. */
  readonly by_customer: readonly {
    customer: string;
    before: number;
    after: number;
    revenue?: number | null;
    margin_before?: number | null;
    margin_after?: number | null;
  }[];
  readonly by_model: readonly { model: string; before: number; after: number }[];
}

export interface RevenueEntry {
  readonly external_id: string;
  readonly customer: string;
  /** USD; null while its currency has no exchange rate: then it does not count. */
  readonly amount: number | null;
  readonly currency: string;
  readonly original_amount: number;
  readonly source: 'api' | 'stripe';
  readonly date_from: string;
  readonly date_to: string;
}

export interface CreditGrant {
  readonly id: string;
  readonly name: string | null;
  readonly provider: string;
  readonly models: readonly string[] | null;
  readonly amount: number;
  readonly starts_on: string;
  readonly expires_on: string | null;
  readonly used: number;
  readonly remaining: number;
  readonly runs_out_on: string | null;
}

interface Dated {
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface ClientSecret extends Dated {
  readonly id: string;
}

export interface Client {
  readonly client_id: string;
  readonly name: string | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
  readonly secrets: readonly ClientSecret[];
}

export interface ApiKey extends Dated {
  readonly id: string;
  readonly name: string | null;
  readonly scopes: readonly Scope[];
}
