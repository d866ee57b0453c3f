// Written by scripts/generate-sdk-api.ts from the OpenAPI document of the service; changes here are lost.

import { type AskOptions, Client, type Pages } from './client.ts';

export type Account = {
  id: string;
  kind: ProviderAccountsKind;
  /** `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too. */
  mode: Mode;
  /** The first day to read, in UTC as all days here. */
  since: string;
  names: ReadonlyArray<ProviderAccountsName>;
  created_at: string;
  /** The calls that its usage has become. */
  calls: number;
  last_success_at: string | null;
  /** The days that the last success read, what the provider reports for them, and how much of it was new. */
  last_read: LastRead | null;
  /** Why the last read failed; null after a success. */
  last_fault: LastFault | null;
  /** When it is read next. */
  next_at: string;
  /** What the last change of the mode did; `done` once a read has succeeded since. */
  switched: Switched | null;
};

export type Action = 'created' | 'changed' | 'deleted';

export type Actor = 'admin_token' | 'api_key' | 'member' | 'stripe' | 'job' | 'command' | 'service';

export type Aggregate = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'all';

export type Aggregation = 'count' | 'sum' | 'unique';

export type Alert =
  | 'budget'
  | 'runaway'
  | 'anomaly'
  | 'unprofitable_customer'
  | 'unpriced_model'
  | 'price_change'
  | 'coverage_drop'
  | 'credit_ending'
  | 'no_events';

export type Alerts = {
  open: number;
  /** At most five. */
  newest: ReadonlyArray<Newest>;
};

export type AlertsAnswer = {
  alerts: ReadonlyArray<
    | BudgetAlert
    | RunawayAlert
    | AnomalyAlert
    | UnprofitableCustomerAlert
    | UnpricedModelAlert
    | PriceChangeAlert
    | CoverageDropAlert
    | CreditEndingAlert
    | NoEventsAlert
  >;
};

export type AllocateBy = 'cost' | 'calls' | 'tokens' | 'output_tokens' | 'elapsed';

export type AnomalyAlert = {
  kind: 'anomaly';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** USD: a smaller difference from the expected cost is no anomaly. */
  least_amount: number;
};

export type AssumedRate =
  | 'cache_read'
  | 'cache_write'
  | 'cache_write_1h'
  | 'input_audio'
  | 'cache_read_audio'
  | 'input_image'
  | 'cache_read_image'
  | 'input_video'
  | 'output_audio'
  | 'output_image'
  | 'output_video';

export type Attempt = {
  id: string;
  /** The id of the delivery: the same for all its attempts. */
  webhook_id: string;
  notification: Notification;
  /** The state of the delivery now. */
  state: NotificationEndpointAttemptsState;
  at: string;
  /** The HTTP status, or the reply code of the SMTP server. */
  status: number | null;
  /** Why it failed; null when it was delivered. */
  error: string | null;
  duration_ms: number;
  /** Null when it was delivered or given up. */
  next_attempt_at: string | null;
};

export type AuditAnswer = {
  entries: ReadonlyArray<AuditEntry>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type AuditEntry = {
  id: string;
  at: string;
  /** Who made the change. `service`: the service itself, as at its first start. */
  actor: Actor;
  /** The id of the API key, member or Stripe webhook, or the name of the job. */
  actor_id: string | null;
  /** The name of the API key or member, as it was then. */
  actor_name: string | null;
  /** The address that the request came from. */
  address: string | null;
  /** The method and the path of the route. */
  request: string | null;
  action: Action;
  kind: AuditKind;
  /** The id or name of what was changed. Empty once it is erased. */
  subject: string;
  /** The e-mail address of the member that it is about, as it was then; null for every other subject, and for callers who are not owners. */
  subject_name: string | null;
  /** What was changed or deleted, as it was; null for what was created, or is erased. */
  before: Readonly<Record<string, unknown>> | null;
  /** The same fields as they are now; null for what was deleted, or is erased. */
  after: Readonly<Record<string, unknown>> | null;
};

export type AuditKind =
  | 'alert'
  | 'api_key'
  | 'backup'
  | 'budget'
  | 'client'
  | 'client_secret'
  | 'close'
  | 'copy'
  | 'credit_grant'
  | 'customer_tags'
  | 'erasure'
  | 'exchange_rate'
  | 'invitation'
  | 'invoice_entry'
  | 'key_metric'
  | 'member'
  | 'member_role'
  | 'notification_endpoint'
  | 'plan_simulation'
  | 'price'
  | 'price_list'
  | 'project'
  | 'provider_account'
  | 'rebuild'
  | 'reprice'
  | 'revenue_entry'
  | 'shared_cost'
  | 'stripe_customer'
  | 'stripe_webhook'
  | 'timezone_change'
  | 'user_tags';

export type Bound = 'exact' | 'upper';

export type Bucket =
  | 'input'
  | 'cache_read'
  | 'cache_write'
  | 'cache_write_1h'
  | 'input_audio'
  | 'cache_read_audio'
  | 'input_image'
  | 'cache_read_image'
  | 'input_video'
  | 'output'
  | 'reasoning'
  | 'output_audio'
  | 'output_image'
  | 'output_video';

export type Budget = {
  name: string;
  /** USD. */
  amount: number;
  /** The calendar period; null for a window. */
  period: Period | null;
  /** The last minutes, hours or days, such as `6h`; null for a calendar period. */
  window: string | null;
  /** The calls whose cost counts; empty for all. */
  scope: BudgetsScope;
  /** Every value of it has a budget of the amount; null for one budget. */
  each: Each | null;
  /** Percentages of the amount, ascending. */
  thresholds: ReadonlyArray<number>;
  apply_credits: boolean;
  created_at: string;
  updated_at: string;
};

export type BudgetAlert = {
  kind: 'budget';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** Also fires when the forecast for the end of the period is above the amount of the budget. */
  forecast: boolean;
};

export type BudgetAnswer = {
  name: string;
  /** USD. */
  amount: number;
  /** The calendar period; null for a window. */
  period: Period | null;
  /** The last minutes, hours or days, such as `6h`; null for a calendar period. */
  window: string | null;
  /** The calls whose cost counts; empty for all. */
  scope: BudgetsScope;
  /** Every value of it has a budget of the amount; null for one budget. */
  each: Each | null;
  /** Percentages of the amount, ascending. */
  thresholds: ReadonlyArray<number>;
  apply_credits: boolean;
  created_at: string;
  updated_at: string;
  /** First day of the current period, or of the window. */
  period_from: string;
  /** Last day of the current period, inclusive. */
  period_to: string;
  /** When the next period begins. For a used-up window: when enough spending will have left it; null while more may be spent. */
  resets_at: string | null;
  /** USD; the nearest double of the exact sum. */
  spent: number;
  /** USD; negative once more than the amount is spent. */
  remaining: number | null;
  /** Percent of the amount. */
  spent_pct: number | null;
  /** The thresholds that are reached, ascending. */
  thresholds_passed: ReadonlyArray<number>;
  /** USD; the expected spending at the end of the period. Null if it is not forecast. */
  forecast: number | null;
  /** The value of `each` that was asked for. */
  of?: string;
  /** The 1000 values of `each` with the most spent, largest first. */
  each_spent?: ReadonlyArray<EachSpent>;
};

export type BudgetCheckAnswer = {
  /** Whether less than the amount is spent. */
  allowed: boolean;
  /** USD; the nearest double of the exact sum. */
  spent: number;
  /** USD; negative once more than the amount is spent. */
  remaining: number;
  /** When the next period begins. For a used-up window: when enough spending will have left it; null while more may be spent. */
  resets_at: string | null;
  /** Everything that this instance acknowledged up to this instant is in `spent`. */
  as_of: string;
};

export type BudgetsAnswer = {
  budgets: ReadonlyArray<Budget>;
};

export type BudgetsScope = {
  customers?: ReadonlyArray<string>;
  users?: ReadonlyArray<string>;
  features?: ReadonlyArray<string>;
  models?: ReadonlyArray<string>;
  providers?: ReadonlyArray<string>;
  customer_tags?: Readonly<Record<string, ReadonlyArray<string>>>;
};

export type ByCause = {
  cause: GetProjectRebuildsCause;
  /** USD, gross. */
  before: number;
  /** USD, gross. */
  after: number;
};

export type ByCustomerCause = {
  cause: CauseCause;
  /** USD; the nearest double of the exact amount. */
  amount: number;
  /** The largest amounts first, at most `limit`. */
  rows: ReadonlyArray<ByCustomerCauseRow>;
  /** The sum of all others. */
  others: CauseOthers;
};

export type ByCustomerCauseRow = {
  customer: string;
  /** USD; the nearest double of the exact amount. */
  amount: number;
};

export type ByCustomerRow = {
  customer: string;
  /** USD; the nearest double of the exact amount. */
  cost_before: number;
  /** USD; the nearest double of the exact amount. */
  cost: number;
  /** USD: `cost` less `cost_before`. */
  difference: number;
  /** The difference by cause; the exact parts add up to it. */
  parts: Parts;
};

export type ByDay = {
  date: string;
  /** USD, gross. */
  before: number;
  /** USD, gross. */
  after: number;
};

export type ByFeature = {
  /** The largest differences first, at most `limit`. */
  rows: ReadonlyArray<ByFeatureRow>;
  /** The sum of all others. */
  others: ChangesOthers;
  /** Every cause, the largest amount first. */
  causes: ReadonlyArray<ByFeatureCause>;
};

export type ByFeatureCause = {
  cause: CauseCause;
  /** USD; the nearest double of the exact amount. */
  amount: number;
  /** The largest amounts first, at most `limit`. */
  rows: ReadonlyArray<ByFeatureCauseRow>;
  /** The sum of all others. */
  others: CauseOthers;
};

export type ByFeatureCauseRow = {
  feature: string;
  /** USD; the nearest double of the exact amount. */
  amount: number;
};

export type ByFeatureRow = {
  feature: string;
  /** USD; the nearest double of the exact amount. */
  cost_before: number;
  /** USD; the nearest double of the exact amount. */
  cost: number;
  /** USD: `cost` less `cost_before`. */
  difference: number;
  /** The difference by cause; the exact parts add up to it. */
  parts: Parts;
};

export type ByModelCause = {
  cause: CauseCause;
  /** USD; the nearest double of the exact amount. */
  amount: number;
  /** The largest amounts first, at most `limit`. */
  rows: ReadonlyArray<ByModelCauseRow>;
  /** The sum of all others. */
  others: CauseOthers;
};

export type ByModelCauseRow = {
  model: string;
  /** USD; the nearest double of the exact amount. */
  amount: number;
};

export type ByModelRow = {
  model: string;
  /** USD; the nearest double of the exact amount. */
  cost_before: number;
  /** USD; the nearest double of the exact amount. */
  cost: number;
  /** USD: `cost` less `cost_before`. */
  difference: number;
  /** The difference by cause; the exact parts add up to it. */
  parts: Parts;
};

export type ByTag = {
  /** The largest differences first, at most `limit`. */
  rows: ReadonlyArray<ByTagRow>;
  /** The sum of all others. */
  others: ChangesOthers;
  /** Every cause, the largest amount first. */
  causes: ReadonlyArray<ByTagCause>;
};

export type ByTagCause = {
  cause: CauseCause;
  /** USD; the nearest double of the exact amount. */
  amount: number;
  /** The largest amounts first, at most `limit`. */
  rows: ReadonlyArray<ByTagCauseRow>;
  /** The sum of all others. */
  others: CauseOthers;
};

export type ByTagCauseRow = {
  tag: string;
  /** USD; the nearest double of the exact amount. */
  amount: number;
};

export type ByTagRow = {
  tag: string;
  /** USD; the nearest double of the exact amount. */
  cost_before: number;
  /** USD; the nearest double of the exact amount. */
  cost: number;
  /** USD: `cost` less `cost_before`. */
  difference: number;
  /** The difference by cause; the exact parts add up to it. */
  parts: Parts;
};

export type CallCredit = {
  /** The share of the day's cost of the call's provider and model that free credits cover, from 0 to 1. */
  covered_fraction: number;
  /** USD, after free AI credits. */
  net_cost: number;
};

export type CallEvent = {
  received_at: string;
  /** The client that posted it. */
  client_id: string;
  /** The JSON that was posted, unchanged. */
  event: Readonly<Record<string, unknown>>;
};

export type CallPartlyPriced =
  | 'web_searches'
  | 'web_fetches'
  | 'x_searches'
  | 'file_searches'
  | 'attachment_searches'
  | 'code_sessions'
  | 'grounded_prompts'
  | 'grounded_queries'
  | 'maps_prompts'
  | 'searched_sources'
  | 'search_queries'
  | 'citation_tokens'
  | 'search_units'
  | 'classifications'
  | 'audio_seconds'
  | 'characters'
  | 'images'
  | 'video_seconds'
  | 'videos'
  | 'compute_seconds'
  | 'guardrail_topic_units'
  | 'guardrail_content_units'
  | 'guardrail_word_units'
  | 'guardrail_sensitive_units'
  | 'guardrail_grounding_units'
  | 'guardrail_image_units'
  | 'guardrail_reasoning_units'
  | 'pages'
  | 'annotated_pages'
  | 'requests'
  | 'service_tier'
  | 'speed'
  | 'geo'
  | 'cache_ttl'
  | 'size'
  | 'quality'
  | 'search_context_size'
  | 'other_models'
  | 'prompt_sizes'
  | 'cache_read'
  | 'cache_write'
  | 'cache_write_1h'
  | 'input_audio'
  | 'cache_read_audio'
  | 'input_image'
  | 'cache_read_image'
  | 'input_video'
  | 'output_audio'
  | 'output_image'
  | 'output_video';

export type CallPlain = {
  event_id: string;
  open: true;
  calls: 0;
  /** The first 100 events in the order of receipt, fewer if they are large; for an id with more than 1,000 events, those that decide the call. `GET /api/events/` has all. */
  events: ReadonlyArray<CallEvent>;
  /** How many events there are: of the call, or of its id if that has more than 1,000. */
  events_total: number;
};

export type CallsAnswer = {
  rows: ReadonlyArray<RunRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type CallsBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  /** Only the calls of this row: its days and, if the answer has groups, its value. Default: all calls. */
  row?: CallsFileRow | null | undefined;
  /** Only these customers. */
  customers?: ReadonlyArray<string> | null | undefined;
  /** Only these feature tags. */
  features?: ReadonlyArray<string> | null | undefined;
  /** Only these models. */
  models?: ReadonlyArray<string> | null | undefined;
  /** Only these providers. */
  providers?: ReadonlyArray<string> | null | undefined;
  /** Only customers with these tags now; "" for those without the tag. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** Only runs with these tags, with all their calls. */
  run_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** Only the calls with these ids, at most 1,000. */
  event_ids?: ReadonlyArray<string> | null | undefined;
  /** Only the calls that `POST /api/waste/` counts by one of these causes, judged over the dates of the body. */
  waste?: ReadonlyArray<Waste> | null | undefined;
  /** For each model, a cheaper one that might do, for the cause `dearer_model`. */
  alternatives?: Readonly<Record<string, string>> | null | undefined;
  /** Adds `net_cost`: the cost after free AI credits. */
  apply_credits?: boolean | null | undefined;
  /** Which calls come first: by time, by gross cost, by the sum of their tokens, or by duration. */
  order?: CallsOrder | null | undefined;
  /** Maximum rows of a page; default: 100. */
  limit?: number | null | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | null | undefined;
};

export type CallsFileRow = {
  /** First day of the row. */
  date_from: string;
  /** Last day of the row. */
  date_to: string;
  customer?: string | null | undefined;
  feature?: string | null | undefined;
  model?: string | null | undefined;
  provider?: string | null | undefined;
  /** The tag by which the answer is grouped. */
  group_by?: string | null | undefined;
  /** The value of the tag; "" for calls without it. */
  tag?: string | null | undefined;
};

export type CallsOrder = 'oldest' | 'newest' | 'dearest' | 'most_tokens' | 'slowest';

export type Catalogue = {
  version: string;
};

export type CatalogueSource = {
  kind: 'catalogue';
  /** The version of the catalogue package. */
  version: string;
  /** The catalogue's name of the provider that lists the model. */
  provider: string;
  /** The catalogue's name of the model's entry. */
  entry: string;
  /** The page that supports a correction of the entry; null when it is not corrected. */
  correction_source: string | null;
};

export type CauseCause =
  | 'calls'
  | 'mix'
  | 'failures'
  | 'tokens_per_call'
  | 'cached_share'
  | 'prices'
  | 'new_customers'
  | 'vanished_customers';

export type CauseOthers = {
  /** The number of further values. */
  count: number;
  /** USD; the nearest double of the exact amount. */
  amount: number;
};

export type ChangesAnswer = {
  date_from: string;
  date_to: string;
  before_from: string;
  before_to: string;
  /** Of the last day of both ranges, only calls in this many of its first hours are compared, because a range of up to 7 days ends with today; null where whole days are. */
  hours: number | null;
  /** USD; the nearest double of the exact amount. */
  cost_before: number;
  /** USD; the nearest double of the exact amount. */
  cost: number;
  /** USD: `cost` less `cost_before`. */
  difference: number;
  /** The difference by cause; the exact parts add up to it. */
  parts: Parts;
  by_customer: ChangesByCustomer;
  by_model: ChangesByModel;
  /** A separate split, by feature and model: it adds up to the same difference, but calls of new and vanished customers count as more or fewer calls. */
  by_feature: ByFeature;
  /** With `group_by`: by value, a tag of customers as `by_customer`, a tag of calls as `by_feature`. */
  by_tag?: ByTag;
};

export type ChangesBody = {
  /** First day of the range, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day of the range, inclusive. */
  date_to: string;
  /** First day to compare with; default: for as many days. */
  before_from?: string | null | undefined;
  /** Last day to compare with; default: the day before `date_from`. */
  before_to?: string | null | undefined;
  /** Adds `by_tag`: by a tag of calls (`tag:env`), or of customers (`customer_tag:plan`). */
  group_by?: string | null | undefined;
  /** Only these customers. */
  customers?: ReadonlyArray<string> | null | undefined;
  /** Only these feature tags. */
  features?: ReadonlyArray<string> | null | undefined;
  /** Only these models. */
  models?: ReadonlyArray<string> | null | undefined;
  /** Only these providers. */
  providers?: ReadonlyArray<string> | null | undefined;
  /** Only customers with these tags now; "" for those without the tag. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** Only runs with these tags, with all their calls. */
  run_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** Compares costs after free AI credits. */
  apply_credits?: boolean | null | undefined;
  /** Maximum number of rows in a list. */
  limit?: number | null | undefined;
};

export type ChangesByCustomer = {
  /** The largest differences first, at most `limit`. */
  rows: ReadonlyArray<ByCustomerRow>;
  /** The sum of all others. */
  others: ChangesOthers;
  /** Every cause, the largest amount first. */
  causes: ReadonlyArray<ByCustomerCause>;
};

export type ChangesByModel = {
  /** The largest differences first, at most `limit`. */
  rows: ReadonlyArray<ByModelRow>;
  /** The sum of all others. */
  others: ChangesOthers;
  /** Every cause, the largest amount first. */
  causes: ReadonlyArray<ByModelCause>;
};

export type ChangesOthers = {
  /** The number of further values. */
  count: number;
  /** USD; the nearest double of the exact amount. */
  cost_before: number;
  /** USD; the nearest double of the exact amount. */
  cost: number;
  /** USD: `cost` less `cost_before`. */
  difference: number;
  /** The difference by cause; the exact parts add up to it. */
  parts: Parts;
};

export type ChargeCategory = 'Usage' | 'Credit';

export type ChargeFrequency = 'Usage-Based' | 'Recurring';

export type Close = {
  id: string;
  through: string;
  /** When it was made; later changes are not in it. */
  created_at: string;
  note: string | null;
  /** The timezone of its days. */
  timezone: string;
  /** How many of its days have calls or readings of key metrics. */
  days: number;
};

export type CloseDriftAnswer = {
  rows: ReadonlyArray<CloseDriftRow>;
  /** USD: now minus the close, over all rows, also those of other pages. */
  totals: Totals;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type CloseDriftBody = {
  /** First day, inclusive; default: the first day of the close. */
  date_from?: string | null | undefined;
  /** Last day, inclusive; default: the last day of the close. */
  date_to?: string | null | undefined;
  /** Subtotals over all days instead of a row for each day. */
  group_by?: CloseDriftGroupBy | null | undefined;
  /** Adds `shared_cost`. */
  include_shared?: boolean | null | undefined;
  /** Maximum rows of a page; default: 100. */
  limit?: number | null | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | null | undefined;
};

export type CloseDriftCause =
  | 'late_events'
  | 'reprice'
  | 'timezone'
  | 'erasure'
  | 'revenue'
  | 'credits'
  | 'shared_costs';

export type CloseDriftGroupBy = 'cause' | 'customer';

export type CloseDriftRow = {
  day?: string;
  /** Empty for calls without a customer, and for what was erased. */
  customer?: string;
  cause?: CloseDriftCause;
  /** USD, before credits. Left out when it is 0. */
  cost?: number;
  /** USD. Left out when it is 0. */
  revenue?: number;
  /** USD of the cost that credits cover. Left out when it is 0. */
  credits?: number;
  /** USD of shared costs. Left out when it is 0. */
  shared_cost?: number;
};

export type ClosesAnswer = {
  closes: ReadonlyArray<Close>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type Completeness = {
  /** Of the calls; as in `GET /api/coverage/`. */
  priced_share: number;
  /** Of the cost. */
  customer_attributed_share: number;
  unpriced_calls: number;
};

export type ConsumedUnit = 'Tokens' | 'Days';

export type Cost = {
  now: number;
  before: number;
};

export type CostPerCustomer = {
  /** USD: the cost of the customer at this percentile (10), by nearest rank. */
  p10: number;
  /** USD: the cost of the customer at this percentile (50), by nearest rank. */
  p50: number;
  /** USD: the cost of the customer at this percentile (90), by nearest rank. */
  p90: number;
  /** USD: the cost of the customer at this percentile (99), by nearest rank. */
  p99: number;
  /** USD: the cost of the dearest customer. */
  most: number;
};

export type CostSource =
  | 'reported'
  | 'override'
  | 'catalogue'
  | 'further_list'
  | 'gateway_cache'
  | 'wrapper'
  | 'none'
  | 'unpriced';

export type CostsAnswer = {
  rows: ReadonlyArray<CostsRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type CostsBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: Aggregate | null | undefined;
  /** Rows by a dimension, or a tag of calls (`tag:env`), or a tag of customers (`customer_tag:plan`). */
  group_by?: CostsGroupBy | string | null | undefined;
  /** Only these customers. */
  customers?: ReadonlyArray<string> | null | undefined;
  /** Only these feature tags. */
  features?: ReadonlyArray<string> | null | undefined;
  /** Only these models. */
  models?: ReadonlyArray<string> | null | undefined;
  /** Only these providers. */
  providers?: ReadonlyArray<string> | null | undefined;
  /** Only customers with these tags now; "" for those without the tag. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** Only runs with these tags, with all their calls. */
  run_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** Applies free AI credits to `cost` only. */
  apply_credits?: boolean | null | undefined;
  /** Adds shared costs to `cost`. */
  include_shared?: boolean | null | undefined;
  /** The id of a close: answers as of then. */
  as_of?: string | null | undefined;
  /** Maximum rows of a page; default: 100. */
  limit?: number | null | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | null | undefined;
};

export type CostsGroupBy = 'customer' | 'feature' | 'model' | 'provider';

export type CostsRow = {
  date_from: string;
  date_to: string;
  customer?: string;
  feature?: string;
  model?: string;
  provider?: string;
  /** Empty where there is no such tag. */
  tag?: string;
  /** USD; the nearest double of the exact sum. */
  cost: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
  /** USD, gross: the average over the feature runs of the row. */
  avg_feature_run_cost: number;
  /** USD, gross: the largest of the feature runs of the row. */
  max_feature_run_cost: number;
};

export type CoverageAnswer = {
  date_from: string;
  date_to: string;
  calls: number;
  /** Calls that are not unpriced. A failed call that reports no usage costs nothing and is counted here. */
  priced_calls: number;
  /** From 0 to 1; 1 when the total is 0. */
  priced_share: number;
  unpriced_calls: number;
  /** Calls with a unit or term without a known price, which cost the sum of their other parts; and calls with a kind of token that is charged like a wider kind, because its own price is not known. They count as priced. */
  partly_priced_calls: number;
  /** USD; the nearest double of the exact sum. */
  cost: number;
  /** USD; the nearest double of the exact sum. */
  customer_attributed_cost: number;
  /** From 0 to 1; 1 when the total is 0. */
  customer_attributed_share: number;
  /** USD; the nearest double of the exact sum. */
  feature_attributed_cost: number;
  /** From 0 to 1; 1 when the total is 0. */
  feature_attributed_share: number;
  /** USD; the nearest double of the exact sum. */
  user_attributed_cost: number;
  /** From 0 to 1; 1 when the total is 0. */
  user_attributed_share: number;
  /** Models without a price and why, most calls first; the first 1,000. */
  unpriced: ReadonlyArray<Unpriced>;
  /** Units, terms and kinds of token without a known price, by model, most calls first; the first 1,000. */
  partly_priced: ReadonlyArray<CoveragePartlyPriced>;
  /** Calls that a further list priced, which nobody reviewed: by list, and by model with most calls first; the first 1,000. */
  further_prices: FurtherPrices;
  /** Calls whose reports were joined only because process, model, output and time are alike. Reports that share an id are joined by it. `join_alike: false` leaves them apart. */
  joined_alike: JoinedAlike;
  /** Calls that are alike and may be the same request. All count, because the project has set `join_alike: false`. */
  possible_doubles: JoinedAlike;
  /** Ids whose last `.before` was received on these days, and that have no `.after` or `.error` received later or up to 48 hours before it, to the hour. */
  open_calls: number;
  /** Fields in events received on these days that could not be used, most events first. */
  ignored: ReadonlyArray<Ignored>;
  /** Events received on these days for days that were already reduced to totals (`retention_days`). They are in the log, but in no total. */
  beyond_retention: number;
  /** For each key metric, the events of its type on these days that hold no value it can use: no number for `sum`, no value or null for `unique`. Only key metrics that skip events, most events first. */
  skipped_metric_values: ReadonlyArray<SkippedMetricValue>;
  /** Revenue on these days from Stripe customers that no call, metadata or pair maps to a customer, the most first; the first 1,000. */
  unmapped_revenue: ReadonlyArray<UnmappedRevenue>;
  /** Revenue on these days that does not count, because its currency has no exchange rate yet. */
  revenue_without_rate: ReadonlyArray<RevenueWithoutRate>;
  /** Ids whose last event was received on these days and that have had more than 1,000 events, or a call with more than 256 tags, most events first; the first 100. Only some of their events decide their calls; all are in the log. `tags_left_out`: a call keeps the tags that name a dimension or a run, and the first of the others by their keys. */
  overused_ids: ReadonlyArray<OverusedId>;
  /** Ids whose events cannot be made into calls, of all time, the newest first; the first 100. Their events are in the log, and the log of the service has the cause. */
  set_aside_ids: ReadonlyArray<SetAsideId>;
};

export type CoverageDropAlert = {
  kind: 'coverage_drop';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** Percentage points by which a share must be below its usual value. */
  drop_points: number;
  /** Days with fewer calls are not judged. */
  least_calls: number;
};

export type CoverageList = {
  list: string;
  calls: number;
  /** USD; the nearest double of the exact sum. */
  cost: number;
};

export type CoveragePartlyPriced = {
  name: string;
  model: string;
  provider: string;
  calls: number;
};

export type Credit = {
  name: string;
  /** USD. */
  remaining: number;
  ends_on: string;
};

export type CreditCliffAnswer = {
  /** The first of the days. */
  date_from: string;
  /** Last of them. */
  date_to: string;
  /** USD: what remains of the grants in use. */
  credits_left: number;
  /** The day on which the last grant in use runs out or expires; null when that is not known, or none is in use. */
  ends_on: string | null;
  /** With free credits. */
  now: CreditCliffNow;
  /** As it would be without credits. */
  after: CreditCliffNow;
  /** Customers that turn come first, then the smallest margin without credits; at most 100. */
  customers: ReadonlyArray<CreditCliffCustomer>;
  /** The sum of all others. */
  others: CreditCliffOthers;
};

export type CreditCliffCustomer = {
  customer: string;
  /** Whether its revenue covers its cost with credits, and not without them. */
  turns: boolean;
  /** If it turns: the end of the credits, by provider, without which its revenue no longer covers its cost. */
  turns_on: string | null;
  /** With free credits. */
  now: CreditCliffNow;
  /** As it would be without credits. */
  after: CreditCliffNow;
};

export type CreditCliffNow = {
  /** USD. */
  revenue: number;
  /** USD. */
  cost: number;
  /** USD. */
  margin: number;
  /** As in `POST /api/margin/`. */
  margin_pct: number;
};

export type CreditCliffOthers = {
  /** The number of further customers. */
  count: number;
  /** How many of them turn. */
  turns: number;
  /** With free credits. */
  now: CreditCliffNow;
  /** As it would be without credits. */
  after: CreditCliffNow;
};

export type CreditEndingAlert = {
  kind: 'credit_ending';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** Fires when a grant runs out or expires within this many days. */
  days: number;
};

export type CreditGrant = {
  id: string;
  name: string | null;
  provider: string;
  /** Null for every model of the provider. */
  models: ReadonlyArray<string> | null;
  /** USD. */
  amount: number;
  starts_on: string;
  expires_on: string | null;
  priority: number;
  created_at: string;
  /** USD; the exact sum of its discounts up to and including today. */
  used: number;
  /** USD; the amount less what was used. */
  remaining: number;
  /** The day on which nothing remains, predicted from the use of the last 30 days; for a grant that is used up, the day on which that happened. Null when it was not used on these days or expires before. */
  runs_out_on: string | null;
};

export type CreditGrantsAnswer = {
  credit_grants: ReadonlyArray<CreditGrant>;
};

export type Currency = {
  /** ISO 4217, such as EUR. */
  currency: string;
  /** The rate applies from this day on, until that of the next rate. */
  day: string;
  /** What one unit is worth in USD, with at most 12 fractional digits. */
  usd: number | string;
};

export type Customers = {
  /** Customers that carry these tags now. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  names?: ReadonlyArray<string> | null | undefined;
};

export type CustomersAnswer = {
  rows: ReadonlyArray<CustomersRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type CustomersRow = {
  /** The empty string stands for calls without one. */
  name: string;
  /** The time of the earliest call; null without calls. */
  first_seen: string | null;
  /** The time of the latest call; null without calls. */
  last_seen: string | null;
  calls: number;
  /** The tags it carries now. */
  tags: Readonly<Record<string, string>>;
};

export type DearestTenth = {
  customers: number;
  /** USD earned on the days of the row. */
  revenue: number;
  /** USD; less free AI credits when `apply_credits` is true. */
  cost: number;
  /** `revenue` − `cost`. */
  margin: number;
};

export type DeleteInvoicesAnswer = {
  deleted: number;
};

export type Disagreeing = {
  list: string;
  version: string;
  input_per_mtok: number | null;
  output_per_mtok: number | null;
  prices: ReadonlyArray<string>;
};

export type Each = 'customer' | 'user' | 'feature' | 'run';

export type EachSpent = {
  of: string;
  /** USD; the nearest double of the exact sum. */
  spent: number;
  /** USD; negative once more than the amount is spent. */
  remaining: number | null;
  /** Percent of the amount. */
  spent_pct: number | null;
  /** The thresholds that are reached, ascending. */
  thresholds_passed: ReadonlyArray<number>;
};

export type Endpoint = {
  id: string;
  kind: NotificationEndpointsKind;
  /** For Slack only the host is shown, because the path is a secret. */
  url: string | null;
  address: string | null;
  /** Null for all. */
  alerts: ReadonlyArray<Alert> | null;
  enabled: boolean;
  /** `gone`: it answered 410 and was disabled for it. */
  disabled_reason: 'gone' | null;
  /** How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`. */
  digest: NotificationEndpointsDigest | null;
  digest_day: number | null;
  digest_hour: number | null;
  /** Until when the secret before the last rotation signs too. */
  old_secret_until: string | null;
  /** How many deliveries wait for their first or next attempt. */
  waiting: number;
  created_at: string;
  updated_at: string;
};

export type EventsAnswer = {
  rows: ReadonlyArray<CallEvent>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type EventsOrder = 'newest' | 'oldest';

export type ExchangeRatesAnswer = {
  rates: ReadonlyArray<ExchangeRatesRate>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type ExchangeRatesRate = {
  currency: string;
  day: string;
  /** What one unit is worth in USD. */
  usd: number;
};

export type Explanation = {
  /** Whether the events and the price book still give the stored cost. False, without lines, when this version of Farthing reads them differently from the version that costed the call. The stored cost stays until its day is repriced or rebuilt. */
  reproduced: boolean;
  /** The products that add up to the cost; empty if the cost was reported or if there is none. */
  lines: ReadonlyArray<TokensLine | UnitLine | RequestLine>;
  /** The units and terms of the call without a known price, `other_models` for tokens of another model without one, `prompt_sizes` where a sum of requests may hold one with a higher price, and kinds of token without a rate of their own, which are charged like a wider kind (`rate_of`): the cost is that of all else. */
  partly_priced: ReadonlyArray<CallPartlyPriced>;
  /** The reason for a cost that no price explains. */
  note: string | null;
  /** USD: the cost that a gateway or another tool computed. It is the cost of the call if Farthing has no price. */
  reported_cost: number | null;
  /** The snapshot of prices that the cost was computed with. */
  price_book: PriceBook;
  /** The event id of the call that counts for this one: the same request, or the first of several that this one adds up. Only if `cost_source` is `wrapper`. */
  wraps?: string;
  /** The other reports of the same request, the outermost first. They are wrappers, and cost nothing. */
  reports: ReadonlyArray<Report>;
  /** The discount by free AI credits. */
  credit: CallCredit;
};

export type Feature = {
  feature: string;
  /** USD */
  cost: number;
};

export type FeaturesAnswer = {
  rows: ReadonlyArray<FeaturesRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type FeaturesRow = {
  /** The empty string stands for calls without one. */
  name: string;
  /** The time of the earliest call; null without calls. */
  first_seen: string | null;
  /** The time of the latest call; null without calls. */
  last_seen: string | null;
  calls: number;
};

export type Finding = 'disagrees' | 'missing' | 'changed';

export type Firing = {
  id: string;
  kind: Alert;
  /** What it is about, such as a customer, a model, or a threshold of a budget. */
  subject: Readonly<Record<string, string | number>>;
  started_at: string;
  /** Null while its cause lasts. */
  ended_at: string | null;
  /** The numbers that fired, as they were then. */
  numbers: Readonly<Record<string, unknown>>;
  title: string;
  text: string;
  /** The path of the page that shows the numbers. */
  path: string;
};

export type FiringsAnswer = {
  firings: ReadonlyArray<Firing>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type FiringsState = 'open' | 'ended';

export type FocusAnswer = {
  rows: ReadonlyArray<FocusRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type FocusRow = {
  /** USD; what the calls cost; below 0 for a credit. */
  BilledCost: number;
  /** The id of the project. */
  BillingAccountId: string;
  /** The name of the project. */
  BillingAccountName: string | null;
  BillingCurrency: 'USD';
  /** The end of the month in the timezone of the project, exclusive. */
  BillingPeriodEnd: string;
  /** The start of the month in the timezone of the project. */
  BillingPeriodStart: string;
  /** Calls and days of shared costs, or what free AI credits take off the cost of calls. */
  ChargeCategory: ChargeCategory;
  /** Null: the rows are of what is in force, now or at the close. */
  ChargeClass: 'Correction' | null;
  ChargeDescription: string | null;
  ChargeFrequency: ChargeFrequency;
  /** The end of the day in the timezone of the project, exclusive. */
  ChargePeriodEnd: string;
  /** The start of the day in the timezone of the project. */
  ChargePeriodStart: string;
  /** The tokens of all buckets, or a day; null for a credit. */
  ConsumedQuantity: number | null;
  ConsumedUnit: ConsumedUnit | null;
  /** USD; equal to `BilledCost`. */
  ContractedCost: number;
  /** USD; equal to `BilledCost`. */
  EffectiveCost: number;
  /** The provider of the calls. */
  HostProviderName?: string;
  /** Null: calls are not part of an invoice. */
  InvoiceId?: null;
  /** The provider of the calls. */
  InvoiceIssuerName: string;
  /** USD; equal to `BilledCost`. */
  ListCost: number;
  /** Null for a credit. */
  PricingCategory: 'Standard' | null;
  /** The tokens of all buckets, or a day; null for a credit. */
  PricingQuantity: number | null;
  PricingUnit: ConsumedUnit | null;
  /** The provider of the calls. */
  ProviderName?: string;
  /** The provider of the calls. */
  PublisherName?: string;
  ServiceCategory: 'AI and Machine Learning';
  /** The provider of the calls. */
  ServiceName: string;
  /** The provider of the calls. */
  ServiceProviderName?: string;
  ServiceSubcategory: 'Generative AI';
  /** The provider and the model, with a slash between them. */
  SkuId: string;
  /** The model. */
  SkuMeter: string;
  SkuPriceDetails: Readonly<Record<string, unknown>> | null;
  /** As `SkuId`; null for a credit. */
  SkuPriceId: string | null;
  /** The customer; null for calls without one. */
  SubAccountId: string | null;
  /** The customer; null for calls without one. */
  SubAccountName: string | null;
  /** The tags that the customer carries now, or carried at the close. */
  Tags: Readonly<Record<string, string>> | null;
  /** How many calls; null without any. */
  x_Calls: number | null;
  /** Tokens by bucket, without buckets of 0. */
  x_Tokens: Readonly<Record<string, number>> | null;
  /** What is charged for besides tokens, by unit. */
  x_Units: Readonly<Record<string, number>> | null;
};

export type FurtherListSource = {
  kind: 'further_list';
  /** A public price list that Farthing did not review: `llm-zoo`, `litellm` … */
  list: string;
  /** The version of the list. */
  version: string;
  /** The list's name of the provider. */
  provider: string;
  /** The list's name of the model. */
  entry: string;
};

export type FurtherPrices = {
  calls: number;
  /** USD; the nearest double of the exact sum. */
  cost: number;
  lists: ReadonlyArray<CoverageList>;
  models: ReadonlyArray<FurtherPricesModel>;
};

export type FurtherPricesModel = {
  provider: string;
  model: string;
  list: string;
  version: string;
  calls: number;
  /** USD; the nearest double of the exact sum. */
  cost: number;
  /** Other lists with a price that differs by more than 1 %. `prices` names which: `cache_read`, `input_above_32000`. */
  disagreeing: ReadonlyArray<Disagreeing>;
};

export type GetProjectRebuildsCause = 'reading' | 'price';

export type GetProjectRebuildsState = 'queued' | 'running' | 'done' | 'failed';

export type Hook = {
  id: string;
  /** The path to which Stripe posts, below the address of the service. */
  url_path: string;
  customer_key: string | null;
  created_at: string;
  /** Events that have changed something. */
  events: number;
  /** When Stripe made the newest event that was accepted. */
  last_event_at: string | null;
  /** Whether the secret before the last rotation is still valid. */
  has_old_secret: boolean;
  /** The last webhook that was refused; kept for at least five seconds. */
  last_refusal: LastFault | null;
};

export type Ignored = {
  field: string;
  events: number;
};

export type Included = {
  /** USD of cost, calls, all tokens, or a key metric. */
  unit: SimulateUnit | string;
  amount: number | string;
};

export type InvoicesAnswer = {
  rows: ReadonlyArray<InvoicesRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type InvoicesKind = 'usage' | 'discount' | 'credit' | 'tax' | 'other';

export type InvoicesRow = {
  external_id: string;
  provider: string;
  date_from: string;
  date_to: string;
  model: string | null;
  /** USD; negative for a discount or credit. */
  amount: number;
  kind: InvoicesKind;
  description: string | null;
  created_at: string;
  updated_at: string;
};

export type JoinedAlike = {
  calls: number;
  /** USD; the nearest double of the exact sum. */
  cost: number;
  /** Most calls first; the first 1,000. */
  models: ReadonlyArray<JoinedAlikeModel>;
};

export type JoinedAlikeModel = {
  model: string;
  provider: string;
  calls: number;
  /** USD; the nearest double of the exact sum. */
  cost: number;
};

export type JoinedBy = 'answer_id' | 'span' | 'likeness';

export type Keep = 'true' | 'false';

export type KeyMetric = {
  name: string;
  event_type: string;
  aggregation: Aggregation;
  field: string | null;
  features: ReadonlyArray<string> | null;
  unit: string | null;
  created_at: string;
  updated_at: string;
};

export type KeyMetricsAnswer = {
  key_metrics: ReadonlyArray<KeyMetric>;
};

export type LastFault = {
  at: string;
  reason: string;
};

export type LastRead = {
  date_from: string;
  date_to: string;
  entries: number;
  calls: number;
  entries_changed: number;
  calls_changed: number;
};

export type MarginAnswer = {
  rows: ReadonlyArray<MarginRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type MarginBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: Aggregate | null | undefined;
  /** Rows by a dimension, or a tag of customers (`customer_tag:plan`). */
  group_by?: 'customer' | string | null | undefined;
  /** Only these customers. */
  customers?: ReadonlyArray<string> | null | undefined;
  /** Keeps only customers with a call of one of these features in the row's period, with all their cost and revenue. */
  filter_customers_based_on_features?: ReadonlyArray<string> | null | undefined;
  /** Applies free AI credits to `cost`. */
  apply_credits?: boolean | null | undefined;
  /** Adds shared costs to `cost`. */
  include_shared?: boolean | null | undefined;
  /** The id of a close: answers as of then. */
  as_of?: string | null | undefined;
  /** Maximum rows of a page; default: 100. */
  limit?: number | null | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | null | undefined;
};

export type MarginRow = {
  date_from: string;
  date_to: string;
  customer?: string;
  /** Empty where there is no such tag. */
  tag?: string;
  /** USD earned on the days of the row. */
  revenue: number;
  /** USD; less free AI credits when `apply_credits` is true. */
  cost: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
  /** `revenue` − `cost`. */
  margin: number;
  /** 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100. */
  margin_pct: number;
  /** `unprofitable` below a margin of 0; `at_risk` below the project's `at_risk_below_pct`. */
  risk_status: RiskStatus;
};

export type Mode = 'reconcile' | 'meter';

export type Model = {
  /** `disagrees`: the second list has another price. `missing`: only the second list has a price. `changed`: the newer catalogue has another price. */
  finding: Finding;
  provider: string;
  model: string;
  /** Calls of the model on these days. */
  calls: number;
  /** Those of them that a price override of the project prices. */
  overridden_calls: number;
  /** The rates that differ. */
  rates: ReadonlyArray<PriceCheckRate>;
};

export type ModelPriceAnswer = {
  model: string;
  /** The provider of the request, or the maker of the model. */
  provider: string;
  service_tier: string | null;
  /** The time at which the price applies. */
  at: string;
  /** The snapshot of prices for new calls. */
  price_book: PriceBook;
  /** Of the rates of tokens. Null: the model has only prices of units. */
  source: (OverrideSource | CatalogueSource | FurtherListSource | SupplementSource) | null;
  /** Whether the list has other rates at other hours of a day; these are those of `at`. */
  by_hour: boolean;
  /** For prompts that exceed no bound of `tiers`. */
  rates: ModelPriceRates;
  /** Ascending. The last tier whose bound the whole prompt exceeds, cached tokens included, prices the whole call. */
  tiers: ReadonlyArray<Tier>;
  /** The terms of the request that changed the rates, which include them. */
  terms: ReadonlyArray<Term>;
  /** The terms of the request that may change the rates but have no known price. */
  partly_priced: ReadonlyArray<ModelPriceName>;
  /** The kinds of token that have the rate of a wider kind, because their own is not known. */
  assumed_rates: ReadonlyArray<AssumedRate>;
  /** What terms do to the rates; most specific first. Empty for an override, whose rates no term changes. */
  term_prices: ReadonlyArray<TermPrice>;
  /** The prices of units. The first price of a unit whose `when` fits a call is used. */
  units: ReadonlyArray<ModelPriceUnit>;
  /** The next smaller model of the same maker, family and version that the price list has; null: none. */
  smaller_model: string | null;
};

export type ModelPriceName =
  | 'service_tier'
  | 'speed'
  | 'geo'
  | 'cache_ttl'
  | 'size'
  | 'quality'
  | 'search_context_size';

export type ModelPriceRates = {
  /** USD per million tokens of each bucket. Null: no price, and a call that uses the bucket is unpriced. */
  per_mtok: PerMtok;
  /** USD per call. */
  per_request: number | null;
};

export type ModelPriceUnit = {
  unit: UnitUnit;
  /** The values of the terms to which it applies. */
  when: Readonly<Record<string, ReadonlyArray<string>>>;
  /** USD per one. */
  rate_per_unit: number;
  /** Where the unit price comes from. */
  source: OverrideSource | CatalogueSource | FurtherListSource | SupplementSource;
};

export type ModelsAnswer = {
  rows: ReadonlyArray<ModelsRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type ModelsRow = {
  /** The empty string stands for calls without one. */
  name: string;
  /** The time of the earliest call; null without calls. */
  first_seen: string | null;
  /** The time of the latest call; null without calls. */
  last_seen: string | null;
  calls: number;
  /** Whether `GET /api/models/{name}/price/` has a price for it now, from the provider that makes it. */
  has_price: boolean;
};

export type Newer = {
  version: string;
  fetched_at: string;
};

export type Newest = {
  title: string;
  path: string;
};

export type NextStepsAnswer = {
  /** The largest amount first, at most five. Wasted money and smaller models take only the places that others leave. */
  steps: ReadonlyArray<NextStepsStep>;
};

export type NextStepsKind =
  | 'unprofitable_customer'
  | 'unpriced_model'
  | 'late_price'
  | 'invoice_price'
  | 'credit_end'
  | 'waste'
  | 'model_swap';

export type NextStepsStep = {
  kind: NextStepsKind;
  /** The customer, the model, the cause of waste or the grant that it is about. */
  subject: string;
  /** USD on the days of the page that `link` leads to, as that page shows it. */
  amount: number;
  /** USD in 30 days, at the rate of the days that it is judged by, from the first call on. */
  amount_per_month: number;
  /** One sentence with the number in it. */
  reason: string;
  /** The path of the page that shows what makes up the number. */
  link: string;
};

export type NoEventsAlert = {
  kind: 'no_events';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** How many times the longest silence of the last 28 days a silence must last. */
  factor: number;
  /** A shorter silence never fires. */
  least_minutes: number;
};

export type NotChanged = {
  calls: number;
  /** USD, included in `after`. */
  cost: number;
  /** The 100 with most calls. */
  by_model: ReadonlyArray<NotChangedByModel>;
};

export type NotChangedByModel = {
  model: string;
  reason: RepriceReason;
  calls: number;
  cost: number;
};

export type Notification = {
  id: string;
  /** Null for a digest and a test. */
  alert: Alert | null;
  event: NotificationEndpointAttemptsEvent;
};

export type NotificationEndpointAttemptsAnswer = {
  attempts: ReadonlyArray<Attempt>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type NotificationEndpointAttemptsEvent = 'fired' | 'ended' | 'digest' | 'test';

export type NotificationEndpointAttemptsState = 'waiting' | 'delivered' | 'given_up';

export type NotificationEndpointsAnswer = {
  endpoints: ReadonlyArray<Endpoint>;
};

export type NotificationEndpointsDigest = 'weekly' | 'monthly';

export type NotificationEndpointsKind = 'webhook' | 'slack' | 'email';

export type Ordinal = {
  event_id: string;
  /** 0, or higher when the id was used again for another call. */
  ordinal: number;
  /** The day of the call in the timezone of the project. */
  day: string;
  /** The time of the first outcome received for the call. */
  time: string;
  customer: string;
  user: string;
  feature: string;
  /** The run that the call names; without one, the call is its own run. */
  run: string;
  model: string;
  provider: string;
  tags: Readonly<Record<string, string>>;
  failed: boolean;
  /** Whether its answer was not read to the end, according to an event. */
  aborted: boolean;
  elapsed_ms: number | null;
  /** USD, gross. */
  cost: number;
  /** USD, after free AI credits; only with `apply_credits`. */
  net_cost?: number;
  /** Where the cost comes from. `further_list`: a public price list that nobody reviewed; `none`: the call failed or is free, and reports no usage; `unpriced`: its model has no price, or nobody reports its usage; `wrapper`: another call within it has its usage and its cost; `gateway_cache`: a gateway answered from its own cache, and no provider was called. */
  cost_source: CostSource;
  /** Why the call has no price; null when it has one. */
  unpriced_reason: string | null;
  /** The units and terms without a known price: the cost is that of all else. Empty if there are none. */
  partly_priced: ReadonlyArray<string>;
  /** Token counts by bucket; each token is in exactly one. */
  tokens: Tokens;
  /** What the provider charges for besides tokens, by unit; only units that were used. */
  units: Readonly<Record<string, number>>;
  /** What changes the rates of the call; only terms that its events name. */
  terms: Readonly<Record<string, string>>;
  open: false;
  /** How many calls the id has: more than one when it was used again. */
  calls: number;
  explanation: Explanation;
  /** The first 100 events in the order of receipt, fewer if they are large; for an id with more than 1,000 events, those that decide the call. `GET /api/events/` has all. */
  events: ReadonlyArray<CallEvent>;
  /** How many events there are: of the call, or of its id if that has more than 1,000. */
  events_total: number;
};

export type OtherModels = {
  models: number;
  /** USD, gross. */
  before: number;
  /** USD, gross. */
  after: number;
};

export type Overage = {
  /** USD of cost, calls, all tokens, or a key metric. */
  unit: SimulateUnit | string;
  /** USD for one more. */
  price: number | string;
};

export type Override = {
  /** Matches without regard to case. Default: every provider. */
  provider?: string | null | undefined;
  /** The name of a model, or a prefix of names when it ends in *. */
  model: string;
  /** The same as `terms.service_tier`. */
  service_tier?: string | null | undefined;
  /** Only calls that name these terms, in upper or lower case. */
  terms?: Readonly<Record<string, string>> | null | undefined;
  /** First day, inclusive, in the timezone of the project. */
  effective_from?: string | null | undefined;
  /** Last day, inclusive. */
  effective_to?: string | null | undefined;
  /** USD per million tokens. */
  input_per_mtok: number | string;
  output_per_mtok: number | string;
  cache_read_per_mtok?: (number | string) | null | undefined;
  cache_write_per_mtok?: (number | string) | null | undefined;
  input_audio_per_mtok?: (number | string) | null | undefined;
  output_audio_per_mtok?: (number | string) | null | undefined;
  reasoning_per_mtok?: (number | string) | null | undefined;
  /** USD per call. */
  per_request?: (number | string) | null | undefined;
  /** USD per one of each unit. Default: the list price. The price of requests is `per_request`. */
  units?: Readonly<Record<string, number | string>> | null | undefined;
};

export type OverrideSource = {
  kind: 'override';
  override_id: string;
};

export type OverusedId = {
  event_id: string;
  events: number;
  tags_left_out: boolean;
};

export type Parts = {
  /** More or fewer calls. */
  calls: number;
  /** Another mix of models and providers. */
  mix: number;
  /** More or fewer failed calls, which cost nothing or less. */
  failures: number;
  /** Longer or shorter calls: tokens, and other units, of a call that succeeded. */
  tokens_per_call: number;
  /** Another share of the input was read from, or written to, the provider’s cache. */
  cached_share: number;
  /** Other prices of the same usage. */
  prices: number;
  /** Customers with calls in the range, and none before. */
  new_customers: number;
  /** Customers with calls before, and none in the range. */
  vanished_customers: number;
};

export type PatchNotificationEndpointBody = {
  /** For `webhook` and `slack`. Must start with https:// and have a public address, except on the hosts of `FARTHING_WEBHOOK_HOSTS`. */
  url?: string | null | undefined;
  /** For `email`. */
  address?: string | null | undefined;
  /** The kinds of alerts that it gets; null for all. Empty for digests alone. */
  alerts?: ReadonlyArray<Alert> | null | undefined;
  enabled?: boolean | null | undefined;
  /** How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`. */
  digest?: NotificationEndpointsDigest | null | undefined;
  /** The day on which it is sent: weekly 1 (Monday) to 7, monthly 1 to 28; default: 1. */
  digest_day?: number | null | undefined;
  /** The hour at which it is sent, in the timezone of the project; default: 8. */
  digest_hour?: number | null | undefined;
};

export type PatchProviderAccountBody = {
  /** An admin key of OpenAI or Anthropic, or a management key of OpenRouter. It is encrypted, only reads, and is never shown again. */
  key?: string | null | undefined;
  /** `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too. */
  mode?: Mode | null | undefined;
  /** Customers, users and features of keys, users and workspaces. A key takes precedence over a user, and both over a workspace. */
  names?: ReadonlyArray<PatchProviderAccountName> | null | undefined;
};

export type PatchProviderAccountName = {
  /** What the id belongs to. A project of OpenAI is a workspace. */
  by: PostProviderAccountsBy;
  /** The id at the provider, as on the calls. */
  id: string;
  customer?: string | null | undefined;
  user?: string | null | undefined;
  feature?: string | null | undefined;
};

export type PatchStripeBody = {
  /** The signing secret that Stripe shows for the endpoint. */
  signing_secret?: string | null | undefined;
  /** The metadata key in Stripe whose value names the customer, on the line, the invoice, the subscription or the customer; null for none. */
  customer_key?: string | null | undefined;
};

export type PerMtok = {
  input: number | null;
  cache_read: number | null;
  cache_write: number | null;
  cache_write_1h: number | null;
  input_audio: number | null;
  cache_read_audio: number | null;
  input_image: number | null;
  cache_read_image: number | null;
  input_video: number | null;
  output: number | null;
  reasoning: number | null;
  output_audio: number | null;
  output_image: number | null;
  output_video: number | null;
};

export type PerformanceAnswer = {
  rows: ReadonlyArray<PerformanceRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type PerformanceBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: Aggregate | null | undefined;
  /** Rows by a dimension, or a tag of users (`user_tag:team`). */
  group_by?: 'user' | string | null | undefined;
  /** Only these users. */
  users?: ReadonlyArray<string> | null | undefined;
  /** Keeps only users that used any of these feature tags in the period; rows of other users are removed. */
  filter_users_based_on_features?: ReadonlyArray<string> | null | undefined;
  /** Only users with these tags now. */
  user_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** Applies free AI credits to costs. */
  apply_credits?: boolean | null | undefined;
  /** Adds shared costs to `cost`. */
  include_shared?: boolean | null | undefined;
  /** The id of a close: answers as of then. */
  as_of?: string | null | undefined;
  /** Maximum rows of a page; default: 100. */
  limit?: number | null | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | null | undefined;
};

export type PerformanceKeyMetric = {
  /** The value of the key metric over the events of the row; never 0. */
  value: number;
  /** USD: the row's cost for the features of the key metric. */
  total_cost: number;
  /** USD: total_cost / value. */
  cost_per_unit: number;
};

export type PerformanceRow = {
  date_from: string;
  date_to: string;
  user?: string;
  /** Empty where there is no such tag. */
  tag?: string;
  /** USD; less free AI credits when `apply_credits` is true. */
  cost: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
  /** The key metrics that have data for the row, by name. */
  key_metrics: Readonly<Record<string, PerformanceKeyMetric>>;
};

export type Period = 'hour' | 'day' | 'week' | 'month' | 'quarter';

export type PlansAnswer = {
  rows: ReadonlyArray<PlansRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type PlansBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: Aggregate | null | undefined;
  /** The tag of customers whose values are the plans. */
  plan_tag?: string | null | undefined;
  /** Only these customers. */
  customers?: ReadonlyArray<string> | null | undefined;
  /** Only customers with a call of one of these features in the row's period. */
  filter_customers_based_on_features?: ReadonlyArray<string> | null | undefined;
  /** Applies free AI credits to costs. */
  apply_credits?: boolean | null | undefined;
  /** Adds shared costs to `cost`. */
  include_shared?: boolean | null | undefined;
  /** Percent of revenue to reach; default: `at_risk_below_pct` of the project. */
  target_margin_pct?: number | string | null | undefined;
  /** The id of a close: answers as of then. */
  as_of?: string | null | undefined;
  /** Maximum rows of a page; default: 100. */
  limit?: number | null | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | null | undefined;
};

export type PlansRow = {
  date_from: string;
  date_to: string;
  /** A value of the tag; "" for customers without it. */
  plan: string;
  /** Customers with a call or revenue in the period, without calls that name no customer. */
  customers: number;
  /** USD earned on the days of the row. */
  revenue: number;
  /** USD; less free AI credits when `apply_credits` is true. */
  cost: number;
  /** `revenue` − `cost`. */
  margin: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
  /** 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100. */
  margin_pct: number;
  /** The cost of single customers in the period; 0 without customers. */
  cost_per_customer: CostPerCustomer;
  /** Customers that cost more than they paid. */
  below_zero: number;
  /** Their share of the customers, from 0 to 1. */
  below_zero_share: number;
  /** Customers whose margin is below the target, or zero; null without a target. */
  below_target: number | null;
  /** Their share of the customers, from 0 to 1; null without a target. */
  below_target_share: number | null;
  /** The most expensive tenth of the customers, rounded up to whole customers. */
  dearest_tenth: DearestTenth;
  /** The features that cost most, at most 20, without shared costs; null after credits if calls of the days are deleted. */
  features: ReadonlyArray<Feature> | null;
  /** USD: the cost of all other features, without shared costs; null if `features` is. */
  other_features_cost: number | null;
};

export type PostBudgetsBody = {
  /** 1 to 128 characters, unique in the project. */
  name: string;
  /** USD, with at most 12 fractional digits. */
  amount: number | string;
  /** The calendar period that the amount is for, in the timezone of the project. Weeks begin on Monday. Set this or `window`. */
  period?: Period | null | undefined;
  /** Instead of a period, the time up to now that the amount is for: `10m` to `30d`. It moves in steps of a minute, or of an hour if it is longer than a day. */
  window?: string | null | undefined;
  /** The calls whose cost counts: AND between filters, OR within one. Left out: all calls. */
  scope?: PutBudgetScope | null | undefined;
  /** Every customer, user, feature or run has a budget of this amount. Left out: one budget for all calls. */
  each?: Each | null | undefined;
  /** Percentages of the amount at which alerts fire, whole numbers from 1 to 1000; default: 50, 80 and 100. */
  thresholds?: ReadonlyArray<number> | null | undefined;
  /** Counts what credits cover as not spent. */
  apply_credits?: boolean | null | undefined;
};

export type PostClosesBody = {
  /** The last day to close, before today in the timezone of the project and after the latest close. */
  through: string;
  /** For people: what it was closed for. */
  note?: string | null | undefined;
};

export type PostCreditGrantsAnswer = {
  id: string;
  name: string | null;
  provider: string;
  /** Null for every model of the provider. */
  models: ReadonlyArray<string> | null;
  /** USD. */
  amount: number;
  starts_on: string;
  expires_on: string | null;
  priority: number;
  created_at: string;
};

export type PostCreditGrantsBody = {
  /** Not case-sensitive. */
  provider: string;
  /** Names of models; one that ends in * matches every model that starts with it. Left out: every model of the provider. */
  models?: ReadonlyArray<string> | null | undefined;
  /** USD, with at most 12 fractional digits. */
  amount: number | string;
  /** First day, inclusive, in the timezone of the project. */
  starts_on: string;
  /** Last day, inclusive; left out: it never expires. */
  expires_on?: string | null | undefined;
  /** Of the grants that are valid on a day, the one with the lowest number is used first. */
  priority?: number | null | undefined;
  /** A label for people; it has no effect. */
  name?: string | null | undefined;
};

export type PostCustomerTagsAnswer = {
  ok: true;
  /** Distinct customers. */
  customers_updated: number;
};

export type PostCustomerTagsBody = {
  customers: ReadonlyArray<PostCustomerTagsCustomer>;
  /** True overwrites tags that exist; otherwise such a tag is a conflict (409). */
  upsert?: boolean | null | undefined;
};

export type PostCustomerTagsCustomer = {
  /** The name of the customer, as on its calls. */
  customer_name: string;
  /** A string sets the tag, null deletes it. */
  tags: Readonly<Record<string, string | null>>;
};

export type PostInvoicesAnswer = {
  stored: number;
};

export type PostInvoicesBody = {
  entries: ReadonlyArray<PostInvoicesEntry>;
};

export type PostInvoicesEntry = {
  /** Your own id of the entry: 1 to 256 characters, percent-encoded in paths; not . or .. alone. */
  external_id: string;
  /** The provider, as named on its calls; upper and lower case are the same. */
  provider: string;
  /** First day, inclusive, in UTC, as providers count days. */
  date_from: string;
  /** Last day, inclusive; default: date_from. */
  date_to?: string | null | undefined;
  /** The model, as the invoice names it. Leave it out if the invoice names none. */
  model?: string | null | undefined;
  /** USD, at most 12 fractional digits, as it changes the invoice: discounts and credits are negative. */
  amount: number | string;
  /** What the amount is for. */
  kind?: InvoicesKind | null | undefined;
  /** What the invoice calls it. */
  description?: string | null | undefined;
};

export type PostNotificationEndpointRotateSecretAnswer = {
  id: string;
  kind: NotificationEndpointsKind;
  /** For Slack only the host is shown, because the path is a secret. */
  url: string | null;
  address: string | null;
  /** Null for all. */
  alerts: ReadonlyArray<Alert> | null;
  enabled: boolean;
  /** `gone`: it answered 410 and was disabled for it. */
  disabled_reason: 'gone' | null;
  /** How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`. */
  digest: NotificationEndpointsDigest | null;
  digest_day: number | null;
  digest_hour: number | null;
  /** Until when the secret before the last rotation signs too. */
  old_secret_until: string | null;
  /** How many deliveries wait for their first or next attempt. */
  waiting: number;
  created_at: string;
  updated_at: string;
  /** Shown only once. */
  secret: string;
};

export type PostNotificationEndpointTestAnswer = {
  webhook_id: string;
  notification_id: string;
};

export type PostNotificationEndpointsAnswer = {
  id: string;
  kind: NotificationEndpointsKind;
  /** For Slack only the host is shown, because the path is a secret. */
  url: string | null;
  address: string | null;
  /** Null for all. */
  alerts: ReadonlyArray<Alert> | null;
  enabled: boolean;
  /** `gone`: it answered 410 and was disabled for it. */
  disabled_reason: 'gone' | null;
  /** How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`. */
  digest: NotificationEndpointsDigest | null;
  digest_day: number | null;
  digest_hour: number | null;
  /** Until when the secret before the last rotation signs too. */
  old_secret_until: string | null;
  /** How many deliveries wait for their first or next attempt. */
  waiting: number;
  created_at: string;
  updated_at: string;
  /** For `webhook`, shown only once; else null. */
  secret: string | null;
};

export type PostNotificationEndpointsBody = {
  /** `webhook` is signed by Standard Webhooks, `slack` is an incoming webhook of Slack. */
  kind: NotificationEndpointsKind;
  /** For `webhook` and `slack`. Must start with https:// and have a public address, except on the hosts of `FARTHING_WEBHOOK_HOSTS`. */
  url?: string | null | undefined;
  /** For `email`. */
  address?: string | null | undefined;
  /** The kinds of alerts that it gets; null for all. Empty for digests alone. */
  alerts?: ReadonlyArray<Alert> | null | undefined;
  enabled?: boolean | null | undefined;
  /** How often it gets a digest; null for never. It covers days that are over: seven for `weekly`, a calendar month for `monthly`. */
  digest?: NotificationEndpointsDigest | null | undefined;
  /** The day on which it is sent: weekly 1 (Monday) to 7, monthly 1 to 28; default: 1. */
  digest_day?: number | null | undefined;
  /** The hour at which it is sent, in the timezone of the project; default: 8. */
  digest_hour?: number | null | undefined;
};

export type PostProjectRebuildsAnswer = {
  id: string;
};

export type PostProviderAccountsBody = {
  kind: ProviderAccountsKind;
  /** An admin key of OpenAI or Anthropic, or a management key of OpenRouter. It is encrypted, only reads, and is never shown again. */
  key: string;
  /** The first day to read; default: 30 days ago. OpenRouter keeps 30 days. */
  since?: string | null | undefined;
  /** `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too. */
  mode?: Mode | null | undefined;
  /** Customers, users and features of keys, users and workspaces. A key takes precedence over a user, and both over a workspace. */
  names?: ReadonlyArray<PatchProviderAccountName> | null | undefined;
};

export type PostProviderAccountsBy = 'key' | 'user' | 'workspace';

export type PostRepriceAssume = {
  /** Prices the calls of each model, by its name in calls, as calls of the other model. All are replaced at once, none twice. */
  models?: Readonly<Record<string, string>> | null | undefined;
  /** Price overrides, as POST /api/prices/ takes them, as if they were in force; the last one is the newest. */
  overrides?: ReadonlyArray<Override> | null | undefined;
  /** The share of the text tokens of each prompt, without cache writes, that is read from the cache. Rounded down to whole tokens. */
  cached_share?: number | string | null | undefined;
  /** Prices the calls as if this service tier had served them, such as `batch` or `flex`. */
  service_tier?: string | null | undefined;
};

export type PostRepriceBody = {
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  /** If true, only the difference is reported; false puts the new numbers in force. */
  dry_run?: boolean | null | undefined;
  /** True also reads the stored text of the events of these days again, as this release understands usage, units and terms. */
  reread?: boolean | null | undefined;
  /** Makes it a what-if: what would these days have cost? Always a dry run, for which the scope `read` is enough. */
  assume?: PostRepriceAssume | null | undefined;
};

export type PostRevenueAnswer = {
  ok: true;
  entries_stored: number;
};

export type PostRevenueBody = {
  entries: ReadonlyArray<PostRevenueEntry>;
};

export type PostRevenueEntry = {
  /** Your own id of the entry: 1 to 256 characters, percent-encoded in paths; not . or .. alone. */
  external_id: string;
  /** The customer, as named on its calls. */
  customer: string;
  /** USD, at most 12 fractional digits; negative for a refund. */
  amount: number | string;
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: date_from. */
  date_to?: string | null | undefined;
};

export type PostSessionType = 'revenue' | 'internal';

export type PostSharedCostsBody = {
  entries: ReadonlyArray<PostSharedCostsEntry>;
};

export type PostSharedCostsEntry = {
  /** Your own id of the entry: 1 to 256 characters, percent-encoded in paths; not . or .. alone. */
  external_id: string;
  /** A name for people. */
  name: string;
  /** USD, at most 12 fractional digits; negative for money that comes back. */
  amount: number | string;
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: date_from. */
  date_to?: string | null | undefined;
  /** The number in proportion to which calls share the amount of a day. */
  allocate_by: AllocateBy;
  /** The calls that share the amount: AND between filters, OR within one. Left out: all calls. */
  scope?: PostSharedCostsScope | null | undefined;
};

export type PostSharedCostsScope = {
  /** Only calls of these providers. */
  providers?: ReadonlyArray<string> | null | undefined;
  /** Only calls of these models. */
  models?: ReadonlyArray<string> | null | undefined;
  /** Only calls of these feature tags. */
  features?: ReadonlyArray<string> | null | undefined;
  /** Only calls that carry these tags: AND across keys, OR within the values of one. */
  tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
};

export type PostStripeBody = {
  /** The signing secret that Stripe shows for the endpoint. */
  signing_secret: string;
  /** The metadata key in Stripe whose value names the customer, on the line, the invoice, the subscription or the customer; null for none. */
  customer_key?: string | null | undefined;
};

export type PostStripeObjectsAnswer = {
  ok: true;
  /** How many objects revenue depends on. */
  objects: number;
  /** How many of them brought something new. */
  changed: number;
  ignored: number;
};

export type PostStripeObjectsBody = {
  /** Objects of Stripe as its API returns them, such as invoices, or its events. */
  objects: ReadonlyArray<unknown>;
  /** When the objects were read, in seconds since 1970. States of them before that do not count. Default: the latest time that each object names. */
  read_at?: number | null | undefined;
};

export type PostUserTagsAnswer = {
  ok: true;
  /** Distinct users. */
  users_updated: number;
};

export type PostUserTagsBody = {
  users: ReadonlyArray<User>;
  /** True overwrites tags that exist; otherwise such a tag is a conflict (409). */
  upsert?: boolean | null | undefined;
};

export type PreviewAnswer = {
  /** What webhooks get, as `details`. */
  digest: PreviewDigest;
  subject: string;
  /** The mail as plain text. */
  text: string;
  /** The mail as HTML, without scripts and remote images. */
  html: string;
};

export type PreviewBody = {
  every: NotificationEndpointsDigest;
  /** The day on which it would be sent; default: today in the timezone of the project. */
  on?: string | null | undefined;
};

export type PreviewBudget = {
  name: string;
  of: string | null;
  /** USD. */
  spent: number;
  /** USD. */
  amount: number;
  date_to: string;
};

export type PreviewCause = {
  name: CauseCause;
  /** USD. */
  amount: number;
};

export type PreviewChange = {
  dimension: PreviewDimension;
  name: string;
  /** USD. */
  difference: number;
  /** The largest part of the difference in its direction, of `POST /api/changes/`. */
  cause: PreviewCause | null;
};

export type PreviewCustomer = {
  customer: string;
  /** USD. */
  margin: number;
};

export type PreviewDigest = {
  every: NotificationEndpointsDigest;
  date_from: string;
  date_to: string;
  before_from: string;
  before_to: string;
  cost: Cost;
  calls: Cost;
  /** USD, as in `POST /api/margin/`; null for internal projects. */
  revenue: Cost | null;
  /** USD; null for internal projects. */
  margin: Cost | null;
  /** Null for internal projects. */
  margin_pct: Cost | null;
  /** What changed the cost most: at most five rows of `POST /api/changes/`, the largest first. Empty if calls of the days are deleted. */
  changes: ReadonlyArray<PreviewChange>;
  unprofitable: Unprofitable;
  alerts: Alerts;
  /** At most three, of `GET /api/next-steps/`. */
  next_steps: ReadonlyArray<NextStepsStep>;
  /** Budgets that have passed a threshold in their period; at most five. */
  budgets: ReadonlyArray<PreviewBudget>;
  /** Free credits that end within 30 days. */
  credits: ReadonlyArray<Credit>;
  /** Null if calls of the days are deleted. */
  completeness: Completeness | null;
};

export type PreviewDimension = 'customer' | 'model' | 'feature';

export type Price = {
  id: string;
  provider: string | null;
  model: string;
  /** That of `terms`. */
  service_tier: string | null;
  terms: Readonly<Record<string, string>>;
  effective_from: string | null;
  effective_to: string | null;
  input_per_mtok: number;
  output_per_mtok: number;
  cache_read_per_mtok: number | null;
  cache_write_per_mtok: number | null;
  input_audio_per_mtok: number | null;
  output_audio_per_mtok: number | null;
  reasoning_per_mtok: number | null;
  per_request: number | null;
  /** USD per one. */
  units: Readonly<Record<string, number>>;
  created_at: string;
};

export type PriceBook = {
  id: string;
  activated_at: string;
};

export type PriceChangeAlert = {
  kind: 'price_change';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** How many days a change lasts, and on how many days, the last being today, a model must have calls. */
  days: number;
};

export type PriceCheckAnswer = {
  days: number;
  /** The catalogue in force. */
  catalogue: Catalogue;
  /** A fetched catalogue that is not in force; null if none is known. */
  newer: Newer | null;
  /** The second source: an installed package. */
  source: PriceCheckSource;
  /** Those with the most calls first. */
  models: ReadonlyArray<Model>;
};

export type PriceCheckRate = {
  /** A bucket of tokens, in USD per million, or `request`; `_above_…` is the price of larger prompts. */
  rate: string;
  /** In the catalogue in force; null for none. */
  listed: number | null;
  /** In the second source, or in the newer catalogue; null for none. */
  other: number | null;
  /** `other` divided by `listed`; null when either is missing, or `listed` is 0. */
  ratio: number | null;
};

export type PriceCheckSource = {
  name: string;
  version: string;
};

export type Prices = {
  /** For prompts that exceed no bound of `tiers`. */
  rates: ModelPriceRates;
  /** Ascending. The last tier whose bound the whole prompt exceeds, cached tokens included, prices the whole call. */
  tiers: ReadonlyArray<Tier>;
};

export type PricesAnswer = {
  prices: ReadonlyArray<Price>;
  lists: ReadonlyArray<PricesList>;
};

export type PricesList = {
  list: string;
  /** The days since its data was published, or fetched. */
  age_days: number;
  /** Whether these are more than 45. */
  is_old: boolean;
};

export type Project = {
  id: string;
  name: string;
  /** `revenue` projects have margin, `internal` ones performance. */
  type: PostSessionType;
  /** IANA name. Days and periods of the project are in this timezone. */
  timezone: string;
  /** The new timezone while the days are being rebuilt for it; otherwise null. */
  pending_timezone: string | null;
  /** Percent: a positive margin below it is at risk; null for never. */
  at_risk_below_pct: number | null;
  /** How many days before today events and calls are kept; null for ever. Totals are always kept. */
  retention_days: number | null;
  /** Whether the prompts and answers in OpenTelemetry spans and log records are stored. */
  keep_content: boolean;
  /** Whether reports of calls that share no id are joined where process, model, output and time are alike. */
  join_alike: boolean;
  /** Tags of calls whose sums are kept as those of features are, so that questions grouped by them are as fast. */
  tag_dimensions: ReadonlyArray<string>;
  /** The first day whose events and calls are kept, if earlier days have only totals; otherwise null. */
  kept_from: string | null;
  created_at: string;
};

export type ProviderAccountsAnswer = {
  accounts: ReadonlyArray<Account>;
};

export type ProviderAccountsKind = 'openai' | 'anthropic' | 'openrouter';

export type ProviderAccountsName = {
  by: string;
  id: string;
  customer?: string;
  user?: string;
  feature?: string;
};

export type PutAlertAnswer =
  | BudgetAlert
  | RunawayAlert
  | AnomalyAlert
  | UnprofitableCustomerAlert
  | UnpricedModelAlert
  | PriceChangeAlert
  | CoverageDropAlert
  | CreditEndingAlert
  | NoEventsAlert;

export type PutAlertBody = {
  enabled?: boolean | null | undefined;
  /** Also fires when the forecast for the end of the period is above the amount of the budget. */
  forecast?: boolean | null | undefined;
  /** How many minutes up to now are added up. */
  minutes?: number | null | undefined;
  /** USD: a smaller difference from the expected cost is no anomaly. */
  least_amount?: number | null | undefined;
  /** How many times the longest silence of the last 28 days a silence must last. */
  factor?: number | null | undefined;
  /** USD: this much in these minutes fires whatever is usual; 0 for none. */
  amount?: number | null | undefined;
  /** Percent: fires for customers with a lower margin. */
  margin_below_pct?: number | null | undefined;
  /** USD: customers that cost less are left out. */
  least_cost?: number | null | undefined;
  /** Uses the cost after free AI credits. */
  apply_credits?: boolean | null | undefined;
  /** Fires when a grant runs out or expires within this many days. */
  days?: number | null | undefined;
  /** Days with fewer calls are not judged. */
  least_calls?: number | null | undefined;
  /** Percentage points by which a share must be below its usual value. */
  drop_points?: number | null | undefined;
  /** A shorter silence never fires. */
  least_minutes?: number | null | undefined;
};

export type PutBudgetBody = {
  /** USD, with at most 12 fractional digits. */
  amount: number | string;
  /** The calendar period that the amount is for, in the timezone of the project. Weeks begin on Monday. Set this or `window`. */
  period?: Period | null | undefined;
  /** Instead of a period, the time up to now that the amount is for: `10m` to `30d`. It moves in steps of a minute, or of an hour if it is longer than a day. */
  window?: string | null | undefined;
  /** The calls whose cost counts: AND between filters, OR within one. Left out: all calls. */
  scope?: PutBudgetScope | null | undefined;
  /** Every customer, user, feature or run has a budget of this amount. Left out: one budget for all calls. */
  each?: Each | null | undefined;
  /** Percentages of the amount at which alerts fire, whole numbers from 1 to 1000; default: 50, 80 and 100. */
  thresholds?: ReadonlyArray<number> | null | undefined;
  /** Counts what credits cover as not spent. */
  apply_credits?: boolean | null | undefined;
};

export type PutBudgetScope = {
  /** Only calls of these customers. */
  customers?: ReadonlyArray<string> | null | undefined;
  /** Only calls of these users. */
  users?: ReadonlyArray<string> | null | undefined;
  /** Only calls with these feature tags. */
  features?: ReadonlyArray<string> | null | undefined;
  /** Only calls of these models. */
  models?: ReadonlyArray<string> | null | undefined;
  /** Only calls of these providers. */
  providers?: ReadonlyArray<string> | null | undefined;
  /** Only calls of customers that carry these tags now. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** The same as `customers` with one name. */
  customer?: string | null | undefined;
  /** The same as `users` with one name. */
  user?: string | null | undefined;
  /** The same as `features` with one name. */
  feature?: string | null | undefined;
  /** The same as `models` with one name. */
  model?: string | null | undefined;
  /** The same as `providers` with one name. */
  provider?: string | null | undefined;
};

export type PutExchangeRatesAnswer = {
  ok: true;
  rates_stored: number;
};

export type PutExchangeRatesBody = Currency | PutExchangeRatesRates;

export type PutExchangeRatesRates = {
  rates: ReadonlyArray<Currency>;
};

export type PutKeyMetricBody = {
  /** The type of the custom events that it reads. */
  event_type: string;
  /** Counts the events, sums the numbers at `field`, or counts the distinct values at `field`. */
  aggregation: Aggregation;
  /** JSON Pointer (RFC 6901) into the event; for `sum` and `unique`. */
  field?: string | null | undefined;
  /** The features whose cost counts, "" for calls without one; left out: all. */
  features?: ReadonlyArray<string> | null | undefined;
  unit?: string | null | undefined;
};

export type PutSimulationBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  plans: ReadonlyArray<PutSimulationPlan>;
  /** Percent of revenue to reach; default: `at_risk_below_pct` of the project. */
  target_margin_pct?: number | string | null | undefined;
  /** Applies free AI credits to costs. */
  apply_credits?: boolean | null | undefined;
  /** Adds shared costs to `cost`, also as a unit. */
  include_shared?: boolean | null | undefined;
};

export type PutSimulationPlan = {
  name: string;
  /** By tags or by names. The first plan that selects a customer has it. */
  customers: Customers;
  /** USD a month; a part of a month counts by its days. */
  base_per_month: number | string;
  /** The monthly amount that `overage` does not charge, nor `markup_pct` for `cost`. */
  included?: Included | null | undefined;
  overage?: Overage | null | undefined;
  /** Charges the cost plus this percentage. */
  markup_pct?: number | string | null | undefined;
};

export type PutStripeCustomersAnswer = {
  ok: true;
  pairs_stored: number;
};

export type PutStripeCustomersBody = {
  customers: ReadonlyArray<PutStripeCustomersCustomer>;
};

export type PutStripeCustomersCustomer = {
  /** The id of the customer in Stripe. */
  stripe_customer: string;
  /** The customer, as named on its calls. */
  customer: string;
};

export type Question = {
  date_from: string;
  date_to?: string;
  plans: ReadonlyArray<SimulationPlan>;
  target_margin_pct?: number;
  apply_credits: boolean;
  include_shared?: boolean;
};

export type ReconciliationAnswer = {
  rows: ReadonlyArray<ReconciliationRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type ReconciliationBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: Aggregate | null | undefined;
  /** One row per value and period. */
  group_by?: ReconciliationGroupBy | null | undefined;
  /** Maximum rows of a page; default: 100. */
  limit?: number | null | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | null | undefined;
  /** The id of a close: the computed costs are those of the close, for days up to its `through`. Invoices and prices are the current ones. */
  as_of?: string | null | undefined;
};

export type ReconciliationGroupBy = 'provider' | 'model';

export type ReconciliationKind =
  | 'timing'
  | 'unpriced'
  | 'not_seen'
  | 'not_invoiced'
  | 'price'
  | 'discount'
  | 'credit'
  | 'tax'
  | 'rest';

export type ReconciliationOverride = {
  provider?: string;
  model: string;
  /** The first day on which the invoice has this price. */
  effective_from: string;
  /** The last such day; absent while the price lasts. */
  effective_to?: string;
  /** USD per million tokens. */
  input_per_mtok: number;
  /** USD per million tokens. */
  output_per_mtok: number;
  /** USD per million tokens. */
  cache_read_per_mtok?: number;
  /** USD per million tokens. */
  cache_write_per_mtok?: number;
  /** USD per million tokens. */
  input_audio_per_mtok?: number;
  /** USD per million tokens. */
  output_audio_per_mtok?: number;
  /** USD per million tokens. */
  reasoning_per_mtok?: number;
  /** USD per call. */
  per_request?: number;
  /** USD per one of each unit. */
  units?: Readonly<Record<string, number>>;
};

export type ReconciliationPart = {
  kind: ReconciliationKind;
  /** USD; what this part adds to the difference. The exact parts add up to it. */
  amount: number;
  /** The number of its calls, if known. */
  calls?: number;
  /** What it is, in a sentence. */
  hint: string;
  /** For a part `price` that one override closes. */
  override?: ReconciliationOverride;
};

export type ReconciliationRow = {
  date_from: string;
  date_to: string;
  provider?: string;
  /** Empty for amounts without a model on the invoice. */
  model?: string;
  /** USD; the cost of the calls, before free AI credits. */
  computed: number;
  /** USD; the sum of the invoices’ entries. */
  invoiced: number;
  /** USD: `invoiced` less `computed`. Above 0, the invoice is higher. */
  difference: number;
  /** Percent of `computed`; null when that is 0. */
  difference_pct: number | null;
  /** The parts of the difference. Parts of 0 are left out; `price` has one for each model, every other kind has one. */
  parts: ReadonlyArray<ReconciliationPart>;
};

export type Report = {
  event_id: string;
  /** The name of its instrumentation scope or gateway; `null` for other events and names of several words. */
  emitter: string | null;
  /** The id of the provider's answer, spans inside each other, or likeness (process, model, output, time). */
  joined_by: JoinedBy;
};

export type Reprice = {
  id: string;
  /** A `done` reprice is in force, unless it is a dry run. */
  state: GetProjectRebuildsState;
  dry_run: boolean;
  /** Whether it reads the text of the events again. */
  reread: boolean;
  /** Whether it has assumptions. */
  what_if: boolean;
  date_from: string;
  date_to: string;
  /** `admin`, or the id of an API key or of a member. */
  requested_by: string;
  created_at: string;
  finished_at: string | null;
  failure: string | null;
  /** USD: the cost of the days by the old prices; null until `done`. */
  before: number | null;
  /** USD: the cost of the days by the new prices; null until `done`. */
  after: number | null;
};

export type RepriceAnswer = {
  id: string;
  /** A `done` reprice is in force, unless it is a dry run. */
  state: GetProjectRebuildsState;
  dry_run: boolean;
  /** Whether it reads the text of the events again. */
  reread: boolean;
  /** Whether it has assumptions. */
  what_if: boolean;
  date_from: string;
  date_to: string;
  /** `admin`, or the id of an API key or of a member. */
  requested_by: string;
  created_at: string;
  finished_at: string | null;
  failure: string | null;
  /** USD: the cost of the days by the old prices; null until `done`. */
  before: number | null;
  /** USD: the cost of the days by the new prices; null until `done`. */
  after: number | null;
  /** From 0 to 1. */
  progress: number;
  /** Its assumptions, as requested; null without any. */
  assume: RepriceAssume | null;
  /** The calls that would be changed, but keep their current price: an event reports their cost, or something that they used has no known price under the assumptions. Null without assumptions. */
  not_changed: NotChanged | null;
  /** Kinds of tokens, such as `cache_read`, that are priced like a wider kind under the assumptions, because their own price is not known: the 100 rows with the most calls, by the models of the calls. Null without assumptions. */
  widened: ReadonlyArray<Widened> | null;
  /** USD earned on these days, of all customers; null until `done`, and unless the project is of type revenue. */
  revenue: number | null;
  /** What changes the cost, step by step: the reading of events, then prices, assumed ones included. Empty until it is `done`. */
  by_cause: ReadonlyArray<ByCause>;
  by_day: ReadonlyArray<ByDay>;
  /** The 1,000 largest differences. */
  by_model: ReadonlyArray<RepriceByModel>;
  other_models: OtherModels;
  /** The 1,000 largest differences. */
  by_customer: ReadonlyArray<RepriceByCustomer>;
  /** The customers that are not listed. */
  others: RepriceOthers;
};

export type RepriceAssume = {
  models?: Readonly<Record<string, string>>;
  overrides?: ReadonlyArray<RepriceOverride>;
  cached_share?: number;
  service_tier?: string;
};

export type RepriceByCustomer = {
  customer: string;
  /** USD, gross. */
  before: number;
  /** USD, gross. */
  after: number;
  /** USD earned on these days; null unless the project is of type revenue. */
  revenue: number | null;
  /** `revenue` − `before`. */
  margin_before: number | null;
  /** `revenue` − `after`. */
  margin_after: number | null;
};

export type RepriceByModel = {
  model: string;
  /** USD, gross. */
  before: number;
  /** USD, gross. */
  after: number;
};

export type RepriceOthers = {
  customers: number;
  /** USD, gross. */
  before: number;
  /** USD, gross. */
  after: number;
};

export type RepriceOverride = {
  provider: string | null;
  model: string;
  /** That of `terms`. */
  service_tier: string | null;
  terms: Readonly<Record<string, string>>;
  effective_from: string | null;
  effective_to: string | null;
  input_per_mtok: number;
  output_per_mtok: number;
  cache_read_per_mtok: number | null;
  cache_write_per_mtok: number | null;
  input_audio_per_mtok: number | null;
  output_audio_per_mtok: number | null;
  reasoning_per_mtok: number | null;
  per_request: number | null;
  /** USD per one. */
  units: Readonly<Record<string, number>>;
};

export type RepriceReason = 'reported_cost' | 'no_price';

export type RepricesAnswer = {
  reprices: ReadonlyArray<Reprice>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type RequestLine = {
  bucket: 'request';
  requests: 1;
  /** USD per call. */
  rate_per_request: number;
  amount: number;
  /** Where the unit price comes from. */
  source: OverrideSource | CatalogueSource | FurtherListSource | SupplementSource;
};

export type RevenueAnswer = {
  rows: ReadonlyArray<RevenueRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type RevenueRow = {
  external_id: string;
  customer: string;
  /** USD; negative for a refund. Null while its currency has no exchange rate: then it does not count. */
  amount: number | null;
  /** Of `original_amount`; USD for what was posted. */
  currency: string;
  /** In `currency`. */
  original_amount: number;
  source: RevenueSource;
  date_from: string;
  date_to: string;
  created_at: string;
  updated_at: string;
};

export type RevenueSource = 'api' | 'stripe';

export type RevenueWithoutRate = {
  currency: string;
  /** In `currency`. */
  amount: number;
  entries: number;
};

export type RiskStatus = 'healthy' | 'at_risk' | 'unprofitable';

export type RunAnswer = {
  rows: ReadonlyArray<RunRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
  run: string;
  /** The time of its first call. */
  first_time: string;
  /** The time of its last call. */
  last_time: string;
  calls: number;
  failed_calls: number;
  /** USD, gross: the nearest double of the exact sum. */
  cost: number;
  /** In code-point order, the first 1000. */
  features: ReadonlyArray<string>;
  /** In code-point order, the first 1000. */
  customers: ReadonlyArray<string>;
};

export type RunRow = {
  event_id: string;
  /** 0, or higher when the id was used again for another call. */
  ordinal: number;
  /** The day of the call in the timezone of the project. */
  day: string;
  /** The time of the first outcome received for the call. */
  time: string;
  customer: string;
  user: string;
  feature: string;
  /** The run that the call names; without one, the call is its own run. */
  run: string;
  model: string;
  provider: string;
  tags: Readonly<Record<string, string>>;
  failed: boolean;
  /** Whether its answer was not read to the end, according to an event. */
  aborted: boolean;
  elapsed_ms: number | null;
  /** USD, gross. */
  cost: number;
  /** USD, after free AI credits; only with `apply_credits`. */
  net_cost?: number;
  /** Where the cost comes from. `further_list`: a public price list that nobody reviewed; `none`: the call failed or is free, and reports no usage; `unpriced`: its model has no price, or nobody reports its usage; `wrapper`: another call within it has its usage and its cost; `gateway_cache`: a gateway answered from its own cache, and no provider was called. */
  cost_source: CostSource;
  /** Why the call has no price; null when it has one. */
  unpriced_reason: string | null;
  /** The units and terms without a known price: the cost is that of all else. Empty if there are none. */
  partly_priced: ReadonlyArray<string>;
  /** Token counts by bucket; each token is in exactly one. */
  tokens: Tokens;
  /** What the provider charges for besides tokens, by unit; only units that were used. */
  units: Readonly<Record<string, number>>;
  /** What changes the rates of the call; only terms that its events name. */
  terms: Readonly<Record<string, string>>;
};

export type RunawayAlert = {
  kind: 'runaway';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** How many minutes up to now are added up. */
  minutes: number;
  /** USD: less in these minutes never fires. */
  least_amount: number;
  /** How many times the usual amount must be spent. */
  factor: number;
  /** USD: this much in these minutes fires whatever is usual; 0 for none. */
  amount: number;
};

export type SetAsideId = {
  event_id: string;
  since: string;
};

export type SharedCost = {
  external_id: string;
  name: string;
  /** USD: of its days in the range. */
  amount: number;
  /** USD: of the days without calls in its scope; null if only deleted calls could tell. */
  unallocated: number | null;
  unallocated_days: number | null;
};

export type SharedCostAllocationAnswer = {
  shared_costs: ReadonlyArray<SharedCost>;
};

export type SharedCostsAnswer = {
  rows: ReadonlyArray<SharedCostsRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type SharedCostsRow = {
  external_id: string;
  name: string;
  /** USD. */
  amount: number;
  date_from: string;
  date_to: string;
  allocate_by: AllocateBy;
  scope: SharedCostsScope;
  created_at: string;
  updated_at: string;
};

export type SharedCostsScope = {
  providers?: ReadonlyArray<string>;
  models?: ReadonlyArray<string>;
  features?: ReadonlyArray<string>;
  tags?: Readonly<Record<string, ReadonlyArray<string>>>;
};

export type SimulateAnswer = {
  date_from: string;
  date_to: string;
  target_margin_pct: number | null;
  /** In the order of the question. */
  plans: ReadonlyArray<SimulatePlan>;
  /** Customers that no plan selects, who pay what they paid. */
  others: SimulateOthers;
  /** All customers. */
  total: Total;
};

export type SimulateBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  plans: ReadonlyArray<PutSimulationPlan>;
  /** Percent of revenue to reach; default: `at_risk_below_pct` of the project. */
  target_margin_pct?: number | string | null | undefined;
  /** Applies free AI credits to costs. */
  apply_credits?: boolean | null | undefined;
  /** Adds shared costs to `cost`, also as a unit. */
  include_shared?: boolean | null | undefined;
  /** Maximum customers of each plan. */
  limit?: number | null | undefined;
};

export type SimulateOthers = {
  customers: number;
  /** USD: what was earned. */
  revenue: number;
  /** USD; less free AI credits when `apply_credits` is true. */
  cost: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
  /** USD: `revenue` − `cost`. */
  margin: number;
};

export type SimulatePlan = {
  name: string;
  /** Customers of the plan with a call or revenue in the range. */
  customers: number;
  /** USD: what was earned. */
  revenue: number;
  /** USD; less free AI credits when `apply_credits` is true. */
  cost: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
  /** USD: `revenue` − `cost`. */
  margin: number;
  /** USD: what the plan would have earned. */
  simulated_revenue: number;
  /** USD: `simulated_revenue` − `cost`. */
  simulated_margin: number;
  /** 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100. */
  margin_pct: number;
  /** The same of the simulated revenue and margin. */
  simulated_margin_pct: number;
  /** USD: the part of `simulated_revenue` that the base earns; usage earns the rest. */
  simulated_base: number;
  /** Customers that would pay more than they did. */
  pay_more: number;
  pay_less: number;
  /** Customers that cost more than they paid. */
  below_zero: number;
  /** Customers that would still cost more than they pay. */
  simulated_below_zero: number;
  /** The base at which the plan reaches the target margin, all else unchanged. */
  target_base: TargetBase;
  /** The included amount at which the plan reaches the target margin, all else unchanged. */
  target_included: TargetIncluded;
  /** The customers whose revenue would change most, at most `limit`. */
  rows: ReadonlyArray<SimulateRow>;
  /** How many customers `rows` leaves out. */
  other_customers: number;
};

export type SimulateRow = {
  customer: string;
  /** USD: what was earned. */
  revenue: number;
  /** USD; less free AI credits when `apply_credits` is true. */
  cost: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
  /** USD: `revenue` − `cost`. */
  margin: number;
  /** USD: what the plan would have earned. */
  simulated_revenue: number;
  /** USD: `simulated_revenue` − `cost`. */
  simulated_margin: number;
};

export type SimulateUnit = 'cost' | 'calls' | 'tokens';

export type Simulation = {
  name: string;
  created_at: string;
  updated_at: string;
};

export type SimulationAnswer = {
  name: string;
  /** A body of `POST /api/plans/simulate/`. */
  question: Question;
  created_at: string;
  updated_at: string;
};

export type SimulationCustomers = {
  customer_tags?: Readonly<Record<string, ReadonlyArray<string>>>;
  names?: ReadonlyArray<string>;
};

export type SimulationIncluded = {
  unit: string;
  amount: number;
};

export type SimulationOverage = {
  unit: string;
  price: number;
};

export type SimulationPlan = {
  name: string;
  customers: SimulationCustomers;
  base_per_month: number;
  included?: SimulationIncluded;
  overage?: SimulationOverage;
  markup_pct?: number;
};

export type SimulationsAnswer = {
  simulations: ReadonlyArray<Simulation>;
};

export type SkippedMetricValue = {
  key_metric: string;
  events: number;
};

export type StripeAnswer = {
  hooks: ReadonlyArray<Hook>;
  /** Credit notes and refunded charges without a known invoice, which do not count. */
  unlinked: Unlinked;
};

export type StripeCustomersAnswer = {
  customers: ReadonlyArray<StripeCustomersCustomer>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type StripeCustomersCustomer = {
  /** The id of the customer in Stripe. */
  stripe_customer: string;
  /** The customer, as named on its calls. */
  customer: string;
};

export type SupplementSource = {
  kind: 'supplement';
  /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
  page: string;
  /** The day on which the page was read. */
  checked_on: string;
};

export type Switched = {
  at: string;
  /** `reconcile`: costs become entries of invoices. `meter`: usage becomes calls, too. */
  to: Mode;
  calls_made: number;
  calls_withdrawn: number;
  done: boolean;
};

export type Tag = {
  key: string;
  /** How many calls, customers or users have the tag. */
  count: number;
  /** The most frequent first, at most 50. If calls have more than 10000 values of a key, the counts are estimates, and never too large. */
  values: ReadonlyArray<TagsValue>;
  has_more_values: boolean;
};

export type TagsAnswer = {
  tags: ReadonlyArray<Tag>;
};

export type TagsKind = 'call' | 'customer' | 'user';

export type TagsValue = {
  value: string;
  count: number;
};

export type TargetBase = {
  /** USD. */
  base_per_month: number | null;
  /** Why there is none. */
  reason: TargetBaseReason | null;
};

export type TargetBaseReason = 'no_target' | 'no_customers' | 'no_cost' | 'usage_reaches_it' | 'out_of_range';

export type TargetIncluded = {
  unit: string | null;
  amount: number | null;
  /** Why there is none. */
  reason: TargetIncludedReason | null;
};

export type TargetIncludedReason =
  | 'no_target'
  | 'no_customers'
  | 'no_cost'
  | 'no_charge'
  | 'base_reaches_it'
  | 'out_of_reach';

export type Term = {
  name: ModelPriceName;
  /** As the call names it. */
  value: string;
  /** The factor on the list price. Null: the term has its own price, or acts together with the term before it. */
  factor: number | null;
  /** Where the unit price comes from. */
  source: OverrideSource | CatalogueSource | FurtherListSource | SupplementSource;
};

export type TermPrice = {
  /** The values of the terms to which it applies. */
  when: Readonly<Record<string, ReadonlyArray<string>>>;
  /** The factor on the list price; null with `prices`. */
  factor: number | null;
  /** Rates that replace the list price. */
  prices: Prices | null;
  /** Where the unit price comes from. */
  source: OverrideSource | CatalogueSource | FurtherListSource | SupplementSource;
};

export type Tier = {
  above_input_tokens: number;
  rates: ModelPriceRates;
};

export type Tokens = {
  input: number;
  cache_read: number;
  cache_write: number;
  cache_write_1h: number;
  input_audio: number;
  cache_read_audio: number;
  input_image: number;
  cache_read_image: number;
  input_video: number;
  output: number;
  reasoning: number;
  output_audio: number;
  output_image: number;
  output_video: number;
};

export type TokensLine = {
  bucket: Bucket;
  tokens: number;
  /** USD per million tokens. */
  rate_per_mtok: number;
  /** USD: tokens × rate, rounded half-even at 12 digits. */
  amount: number;
  /** Where the unit price comes from. */
  source: OverrideSource | CatalogueSource | FurtherListSource | SupplementSource;
  /** The terms of the call that changed the rate; absent when none did. */
  terms?: ReadonlyArray<Term>;
  /** The kind of token whose rate this is, because its own is not known; absent where it is. */
  rate_of?: Bucket;
  /** The model that used the tokens, such as an advisor or a tool's; absent for the call's own model. */
  model?: string;
};

export type Total = {
  /** USD: what was earned. */
  revenue: number;
  /** USD; less free AI credits when `apply_credits` is true. */
  cost: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
  /** USD: `revenue` − `cost`. */
  margin: number;
  /** USD: what the plan would have earned. */
  simulated_revenue: number;
  /** USD: `simulated_revenue` − `cost`. */
  simulated_margin: number;
  /** 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100. */
  margin_pct: number;
  /** The same of the simulated revenue and margin. */
  simulated_margin_pct: number;
};

export type Totals = {
  cost: number;
  revenue: number;
  credits: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
};

export type UnitLine = {
  unit: UnitUnit;
  count: number;
  /** USD per one. */
  rate_per_unit: number;
  /** USD: count × rate, rounded half-even at 12 digits. */
  amount: number;
  /** Where the unit price comes from. */
  source: OverrideSource | CatalogueSource | FurtherListSource | SupplementSource;
};

export type UnitUnit =
  | 'web_searches'
  | 'web_fetches'
  | 'x_searches'
  | 'file_searches'
  | 'attachment_searches'
  | 'code_sessions'
  | 'grounded_prompts'
  | 'grounded_queries'
  | 'maps_prompts'
  | 'searched_sources'
  | 'search_queries'
  | 'citation_tokens'
  | 'search_units'
  | 'classifications'
  | 'audio_seconds'
  | 'characters'
  | 'images'
  | 'video_seconds'
  | 'videos'
  | 'compute_seconds'
  | 'guardrail_topic_units'
  | 'guardrail_content_units'
  | 'guardrail_word_units'
  | 'guardrail_sensitive_units'
  | 'guardrail_grounding_units'
  | 'guardrail_image_units'
  | 'guardrail_reasoning_units'
  | 'pages'
  | 'annotated_pages'
  | 'requests';

export type Unlinked = {
  credit_notes: number;
  refunds: number;
};

export type UnmappedRevenue = {
  stripe_customer: string;
  /** USD; the nearest double of the exact sum. */
  amount: number;
  entries: number;
};

export type Unpriced = {
  model: string;
  provider: string;
  reason: string;
  calls: number;
};

export type UnpricedModelAlert = {
  kind: 'unpriced_model';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** How many days to look at, the last being today. */
  days: number;
  /** Fires at this many calls without a price. */
  least_calls: number;
};

export type Unprofitable = {
  count: number;
  /** Customers with a margin below 0, the lowest first; at most five, and none without revenue. */
  customers: ReadonlyArray<PreviewCustomer>;
};

export type UnprofitableCustomerAlert = {
  kind: 'unprofitable_customer';
  enabled: boolean;
  /** Only causes from this time on fire. */
  since: string;
  /** The number of open firings. */
  open: number;
  /** Percent: fires for customers with a lower margin. */
  margin_below_pct: number;
  /** USD: customers that cost less are left out. */
  least_cost: number;
  /** Uses the cost after free AI credits. */
  apply_credits: boolean;
};

export type UsageAnswer = {
  rows: ReadonlyArray<UsageRow>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type UsageRow = {
  date_from: string;
  date_to: string;
  customer?: string;
  feature?: string;
  model?: string;
  provider?: string;
  /** Empty where there is no such tag. */
  tag?: string;
  calls: number;
  /** Calls that failed. */
  errors: number;
  /** Calls that cost 0 because they have no price or report no usage. */
  unpriced_calls: number;
  /** Calls with a unit or term without a known price. */
  partly_priced_calls: number;
  /** Tokens by bucket; each token is in exactly one. */
  tokens: Tokens;
  /** What the provider charges for besides tokens, by unit; only units that were used. */
  units: Readonly<Record<string, number>>;
  /** Total milliseconds of the calls that report their duration. */
  elapsed_ms_sum: number;
  /** The longest duration in milliseconds; 0 when no call reports one. */
  elapsed_ms_max: number;
  /** USD: what the row has of the shared costs. */
  shared_cost?: number;
};

export type User = {
  /** The name of the user, as on calls and events. */
  user_name: string;
  /** A string sets the tag, null deletes it. */
  tags: Readonly<Record<string, string | null>>;
};

export type Version = '1.4' | '1.2';

export type Waste = 'failed' | 'retried' | 'aborted' | 'uncached_input' | 'dearer_model';

export type WasteAnswer = {
  /** USD: the gross cost of the selected calls. */
  total_cost: number;
  /** The selected calls. */
  calls: number;
  /** USD: the sum of the exact amounts, without upper bounds. */
  wasted: number;
  /** USD: the sum of all amounts, upper bounds included; at most `total_cost`. */
  wasted_at_most: number;
  /** The share of `wasted` in `total_cost`, from 0 to 1; 0 when nothing was spent. */
  share: number;
  /** Every cause in a fixed order. A call counts under the first cause that applies. `dearer_model` only with `alternatives`. */
  rows: ReadonlyArray<WasteRow>;
};

export type WasteBody = {
  /** First day, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today. */
  date_to?: string | null | undefined;
  /** Only these customers. */
  customers?: ReadonlyArray<string> | null | undefined;
  /** Only these feature tags. */
  features?: ReadonlyArray<string> | null | undefined;
  /** Only these models. */
  models?: ReadonlyArray<string> | null | undefined;
  /** Only these providers. */
  providers?: ReadonlyArray<string> | null | undefined;
  /** Only customers with these tags now; "" for those without the tag. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** Only runs with these tags, with all their calls. */
  run_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | null | undefined;
  /** For each model, a cheaper one that might do, for the cause `dearer_model`. */
  alternatives?: Readonly<Record<string, string>> | null | undefined;
  /** The id of a close: answers as of then. */
  as_of?: string | null | undefined;
};

export type WasteRow = {
  cause: Waste;
  /** `upper`: what was wasted is at most the amount. */
  bound: Bound;
  /** The filter `waste` of `POST /api/calls/` lists them. */
  calls: number;
  /** USD; the nearest double of the exact sum. */
  amount: number;
  /** The share of `total_cost`, from 0 to 1; 0 when nothing was spent. */
  share: number;
  /** What the cause counts, in one sentence. */
  definition: string;
};

export type Widened = {
  model: string;
  kinds: ReadonlyArray<AssumedRate>;
  calls: number;
};

export type ProjectAnswer = Project;

export type AuditQuery = {
  actor?: Actor | undefined;
  actor_id?: string | undefined;
  who?: string | undefined;
  kind?: AuditKind | undefined;
  subject?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type PostPricesBody = Override;

export type PostPricesAnswer = Price;

export type ModelPriceQuery = {
  provider?: string | undefined;
  service_tier?: string | undefined;
  speed?: string | undefined;
  geo?: string | undefined;
  cache_ttl?: string | undefined;
  size?: string | undefined;
  quality?: string | undefined;
  search_context_size?: string | undefined;
  at?: string | undefined;
};

export type PostRepriceAnswer = PostProjectRebuildsAnswer;

export type RepricesQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type KeyMetricAnswer = KeyMetric;

export type PutKeyMetricAnswer = KeyMetric;

export type RevenueQuery = {
  customer?: string | undefined;
  date_from?: string | undefined;
  date_to?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type InvoicesQuery = {
  provider?: string | undefined;
  date_from?: string | undefined;
  date_to?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type DeleteInvoicesQuery = {
  provider: string;
  date_from: string;
  date_to: string;
};

export type SharedCostsQuery = {
  date_from?: string | undefined;
  date_to?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type PostSharedCostsAnswer = PostInvoicesAnswer;

export type PostProviderAccountsAnswer = Account;

export type PatchProviderAccountAnswer = Account;

export type DeleteProviderAccountQuery = {
  keep?: Keep | undefined;
};

export type PostProviderAccountReadAnswer = Account;

export type PostStripeAnswer = Hook;

export type PatchStripeAnswer = Hook;

export type StripeCustomersQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type ExchangeRatesQuery = {
  currency?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type NotificationEndpointAnswer = Endpoint;

export type PatchNotificationEndpointAnswer = Endpoint;

export type NotificationEndpointAttemptsQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type CallQuery = {
  ordinal?: number | undefined;
};

export type CallAnswer = Ordinal | CallPlain;

export type RunQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type PutSimulationAnswer = SimulationAnswer;

export type CreditCliffQuery = {
  date_from?: string | undefined;
  date_to?: string | undefined;
};

export type UsageBody = CostsBody;

export type CoverageQuery = {
  date_from?: string | undefined;
  date_to?: string | undefined;
};

export type CustomersQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type UsersQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type UsersAnswer = CustomersAnswer;

export type FeaturesQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type ModelsQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type ProvidersQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type ProvidersAnswer = FeaturesAnswer;

export type TagsQuery = {
  kind: TagsKind;
  date_from?: string | undefined;
  date_to?: string | undefined;
};

export type PriceCheckQuery = {
  days?: number | undefined;
};

export type EventsQuery = {
  event_id?: string | undefined;
  event_type?: string | undefined;
  customer?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  order?: EventsOrder | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type PostBudgetsAnswer = Budget;

export type PutBudgetAnswer = Budget;

export type BudgetQuery = {
  of?: string | undefined;
};

export type BudgetCheckQuery = {
  of?: string | undefined;
};

export type SharedCostAllocationQuery = {
  date_from: string;
  date_to?: string | undefined;
  as_of?: string | undefined;
};

export type FiringsQuery = {
  kind?: Alert | undefined;
  state?: FiringsState | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type ClosesQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type PostClosesAnswer = Close;

export type CloseAnswer = Close;

export type FocusQuery = {
  date_from: string;
  date_to?: string | undefined;
  as_of?: string | undefined;
  include_shared?: Keep | undefined;
  version?: Version | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** Typed questions to Farthing: a method for each route that takes an API key and answers JSON. */

export class FarthingApi extends Client {
  /** The project of the key: `GET /api/project/`. */
  project(options?: AskOptions): Promise<ProjectAnswer> {
    return this.ask('GET', '/api/project/', {}, options);
  }

  /** Who changed what, newest first: `GET /api/audit/`. */
  audit(query: AuditQuery = {}, options?: AskOptions): Promise<AuditAnswer> {
    return this.ask('GET', '/api/audit/', { query }, options);
  }

  /** The price overrides in force: `GET /api/prices/`. */
  prices(options?: AskOptions): Promise<PricesAnswer> {
    return this.ask('GET', '/api/prices/', {}, options);
  }

  /** Add a price override: `POST /api/prices/`. */
  postPrices(body: PostPricesBody, options?: AskOptions): Promise<PostPricesAnswer> {
    return this.ask('POST', '/api/prices/', { body }, options);
  }

  /** Delete a price override: `DELETE /api/prices/{id}/`. */
  deletePrice(id: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/prices/${encodeURIComponent(id)}/`, {}, options);
  }

  /** The price of a model, and where it comes from: `GET /api/models/{name}/price/`. */
  modelPrice(name: string, query: ModelPriceQuery = {}, options?: AskOptions): Promise<ModelPriceAnswer> {
    return this.ask('GET', `/api/models/${encodeURIComponent(name)}/price/`, { query }, options);
  }

  /** Price past days by current prices, or by assumed ones: `POST /api/prices/reprice/`. */
  postReprice(body: PostRepriceBody, options?: AskOptions): Promise<PostRepriceAnswer> {
    return this.ask('POST', '/api/prices/reprice/', { body }, options);
  }

  /** The log of reprices, newest first: `GET /api/prices/reprices/`. */
  reprices(query: RepricesQuery = {}, options?: AskOptions): Promise<RepricesAnswer> {
    return this.ask('GET', '/api/prices/reprices/', { query }, options);
  }

  /** A reprice: its progress, and what it changes by cause, day, model and customer: `GET /api/prices/reprices/{id}/`. */
  reprice(id: string, options?: AskOptions): Promise<RepriceAnswer> {
    return this.ask('GET', `/api/prices/reprices/${encodeURIComponent(id)}/`, {}, options);
  }

  /** Set and delete tags of customers: `POST /api/customer-tags/`. */
  postCustomerTags(body: PostCustomerTagsBody, options?: AskOptions): Promise<PostCustomerTagsAnswer> {
    return this.ask('POST', '/api/customer-tags/', { body }, options);
  }

  /** Set and delete tags of users: `POST /api/user-tags/`. */
  postUserTags(body: PostUserTagsBody, options?: AskOptions): Promise<PostUserTagsAnswer> {
    return this.ask('POST', '/api/user-tags/', { body }, options);
  }

  /** The key metrics of the project: `GET /api/key-metrics/`. */
  keyMetrics(options?: AskOptions): Promise<KeyMetricsAnswer> {
    return this.ask('GET', '/api/key-metrics/', {}, options);
  }

  /** One key metric: `GET /api/key-metrics/{name}/`. */
  keyMetric(name: string, options?: AskOptions): Promise<KeyMetricAnswer> {
    return this.ask('GET', `/api/key-metrics/${encodeURIComponent(name)}/`, {}, options);
  }

  /** Make or replace a key metric: `PUT /api/key-metrics/{name}/`. */
  putKeyMetric(name: string, body: PutKeyMetricBody, options?: AskOptions): Promise<PutKeyMetricAnswer> {
    return this.ask('PUT', `/api/key-metrics/${encodeURIComponent(name)}/`, { body }, options);
  }

  /** Delete a key metric: `DELETE /api/key-metrics/{name}/`. */
  deleteKeyMetric(name: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/key-metrics/${encodeURIComponent(name)}/`, {}, options);
  }

  /** The revenue entries: `GET /api/revenue/`. */
  revenue(query: RevenueQuery = {}, options?: AskOptions): Pages<RevenueAnswer> {
    return this.pages('GET', '/api/revenue/', { query }, options);
  }

  /** Add and replace revenue entries: `POST /api/revenue/`. */
  postRevenue(body: PostRevenueBody, options?: AskOptions): Promise<PostRevenueAnswer> {
    return this.ask('POST', '/api/revenue/', { body }, options);
  }

  /** Delete a revenue entry: `DELETE /api/revenue/{external_id}/`. */
  deleteRevenue(externalId: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/revenue/${encodeURIComponent(externalId)}/`, {}, options);
  }

  /** The entries of invoices: `GET /api/invoices/`. */
  invoices(query: InvoicesQuery = {}, options?: AskOptions): Pages<InvoicesAnswer> {
    return this.pages('GET', '/api/invoices/', { query }, options);
  }

  /** Add and replace entries of invoices: `POST /api/invoices/`. */
  postInvoices(body: PostInvoicesBody, options?: AskOptions): Promise<PostInvoicesAnswer> {
    return this.ask('POST', '/api/invoices/', { body }, options);
  }

  /** Delete the invoices of a provider in a range of days: `DELETE /api/invoices/`. */
  deleteInvoices(query: DeleteInvoicesQuery, options?: AskOptions): Promise<DeleteInvoicesAnswer> {
    return this.ask('DELETE', '/api/invoices/', { query }, options);
  }

  /** Delete an entry of an invoice: `DELETE /api/invoices/{external_id}/`. */
  deleteInvoice(externalId: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/invoices/${encodeURIComponent(externalId)}/`, {}, options);
  }

  /** The shared costs: `GET /api/shared-costs/`. */
  sharedCosts(query: SharedCostsQuery = {}, options?: AskOptions): Pages<SharedCostsAnswer> {
    return this.pages('GET', '/api/shared-costs/', { query }, options);
  }

  /** Add and replace shared costs: `POST /api/shared-costs/`. */
  postSharedCosts(body: PostSharedCostsBody, options?: AskOptions): Promise<PostSharedCostsAnswer> {
    return this.ask('POST', '/api/shared-costs/', { body }, options);
  }

  /** Delete a shared cost: `DELETE /api/shared-costs/{external_id}/`. */
  deleteSharedCost(externalId: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/shared-costs/${encodeURIComponent(externalId)}/`, {}, options);
  }

  /** The provider accounts: `GET /api/provider-accounts/`. */
  providerAccounts(options?: AskOptions): Promise<ProviderAccountsAnswer> {
    return this.ask('GET', '/api/provider-accounts/', {}, options);
  }

  /** Set up a provider account: `POST /api/provider-accounts/`. */
  postProviderAccounts(body: PostProviderAccountsBody, options?: AskOptions): Promise<PostProviderAccountsAnswer> {
    return this.ask('POST', '/api/provider-accounts/', { body }, options);
  }

  /** Change a provider account: `PATCH /api/provider-accounts/{id}/`. */
  patchProviderAccount(
    id: string,
    body: PatchProviderAccountBody,
    options?: AskOptions,
  ): Promise<PatchProviderAccountAnswer> {
    return this.ask('PATCH', `/api/provider-accounts/${encodeURIComponent(id)}/`, { body }, options);
  }

  /** Delete a provider account: `DELETE /api/provider-accounts/{id}/`. */
  deleteProviderAccount(id: string, query: DeleteProviderAccountQuery = {}, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/provider-accounts/${encodeURIComponent(id)}/`, { query }, options);
  }

  /** Read a provider account now: `POST /api/provider-accounts/{id}/read/`. */
  postProviderAccountRead(id: string, options?: AskOptions): Promise<PostProviderAccountReadAnswer> {
    return this.ask('POST', `/api/provider-accounts/${encodeURIComponent(id)}/read/`, {}, options);
  }

  /** The hooks of Stripe: `GET /api/stripe/`. */
  stripe(options?: AskOptions): Promise<StripeAnswer> {
    return this.ask('GET', '/api/stripe/', {}, options);
  }

  /** Make a hook for Stripe: `POST /api/stripe/`. */
  postStripe(body: PostStripeBody, options?: AskOptions): Promise<PostStripeAnswer> {
    return this.ask('POST', '/api/stripe/', { body }, options);
  }

  /** Change a hook of Stripe: `PATCH /api/stripe/{id}/`. */
  patchStripe(id: string, body: PatchStripeBody, options?: AskOptions): Promise<PatchStripeAnswer> {
    return this.ask('PATCH', `/api/stripe/${encodeURIComponent(id)}/`, { body }, options);
  }

  /** Delete a hook of Stripe: `DELETE /api/stripe/{id}/`. */
  deleteStripe(id: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/stripe/${encodeURIComponent(id)}/`, {}, options);
  }

  /** The customers of Stripe customers: `GET /api/stripe/customers/`. */
  stripeCustomers(query: StripeCustomersQuery = {}, options?: AskOptions): Promise<StripeCustomersAnswer> {
    return this.ask('GET', '/api/stripe/customers/', { query }, options);
  }

  /** Set the customers of Stripe customers: `PUT /api/stripe/customers/`. */
  putStripeCustomers(body: PutStripeCustomersBody, options?: AskOptions): Promise<PutStripeCustomersAnswer> {
    return this.ask('PUT', '/api/stripe/customers/', { body }, options);
  }

  /** Delete the customer of a Stripe customer: `DELETE /api/stripe/customers/{stripe_customer}/`. */
  deleteStripeCustomer(stripeCustomer: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/stripe/customers/${encodeURIComponent(stripeCustomer)}/`, {}, options);
  }

  /** Import objects of Stripe: `POST /api/stripe/objects/`. */
  postStripeObjects(body: PostStripeObjectsBody, options?: AskOptions): Promise<PostStripeObjectsAnswer> {
    return this.ask('POST', '/api/stripe/objects/', { body }, options);
  }

  /** The exchange rates: `GET /api/exchange-rates/`. */
  exchangeRates(query: ExchangeRatesQuery = {}, options?: AskOptions): Promise<ExchangeRatesAnswer> {
    return this.ask('GET', '/api/exchange-rates/', { query }, options);
  }

  /** Set exchange rates: `PUT /api/exchange-rates/`. */
  putExchangeRates(body: PutExchangeRatesBody, options?: AskOptions): Promise<PutExchangeRatesAnswer> {
    return this.ask('PUT', '/api/exchange-rates/', { body }, options);
  }

  /** Delete an exchange rate: `DELETE /api/exchange-rates/{currency}/{day}/`. */
  deleteExchangeRate(currency: string, day: string, options?: AskOptions): Promise<void> {
    return this.ask(
      'DELETE',
      `/api/exchange-rates/${encodeURIComponent(currency)}/${encodeURIComponent(day)}/`,
      {},
      options,
    );
  }

  /** The endpoints of notifications: `GET /api/notification-endpoints/`. */
  notificationEndpoints(options?: AskOptions): Promise<NotificationEndpointsAnswer> {
    return this.ask('GET', '/api/notification-endpoints/', {}, options);
  }

  /** Make an endpoint: `POST /api/notification-endpoints/`. */
  postNotificationEndpoints(
    body: PostNotificationEndpointsBody,
    options?: AskOptions,
  ): Promise<PostNotificationEndpointsAnswer> {
    return this.ask('POST', '/api/notification-endpoints/', { body }, options);
  }

  /** One endpoint: `GET /api/notification-endpoints/{id}/`. */
  notificationEndpoint(id: string, options?: AskOptions): Promise<NotificationEndpointAnswer> {
    return this.ask('GET', `/api/notification-endpoints/${encodeURIComponent(id)}/`, {}, options);
  }

  /** Change an endpoint: `PATCH /api/notification-endpoints/{id}/`. */
  patchNotificationEndpoint(
    id: string,
    body: PatchNotificationEndpointBody,
    options?: AskOptions,
  ): Promise<PatchNotificationEndpointAnswer> {
    return this.ask('PATCH', `/api/notification-endpoints/${encodeURIComponent(id)}/`, { body }, options);
  }

  /** Delete an endpoint: `DELETE /api/notification-endpoints/{id}/`. */
  deleteNotificationEndpoint(id: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/notification-endpoints/${encodeURIComponent(id)}/`, {}, options);
  }

  /** The attempts to send to an endpoint: `GET /api/notification-endpoints/{id}/attempts/`. */
  notificationEndpointAttempts(
    id: string,
    query: NotificationEndpointAttemptsQuery = {},
    options?: AskOptions,
  ): Promise<NotificationEndpointAttemptsAnswer> {
    return this.ask('GET', `/api/notification-endpoints/${encodeURIComponent(id)}/attempts/`, { query }, options);
  }

  /** Test an endpoint: `POST /api/notification-endpoints/{id}/test/`. */
  postNotificationEndpointTest(id: string, options?: AskOptions): Promise<PostNotificationEndpointTestAnswer> {
    return this.ask('POST', `/api/notification-endpoints/${encodeURIComponent(id)}/test/`, {}, options);
  }

  /** Give a webhook a new secret: `POST /api/notification-endpoints/{id}/rotate-secret/`. */
  postNotificationEndpointRotateSecret(
    id: string,
    options?: AskOptions,
  ): Promise<PostNotificationEndpointRotateSecretAnswer> {
    return this.ask('POST', `/api/notification-endpoints/${encodeURIComponent(id)}/rotate-secret/`, {}, options);
  }

  /** Costs by period, and by customer, feature, model or provider: `POST /api/costs/`. */
  costs(body: CostsBody, options?: AskOptions): Pages<CostsAnswer> {
    return this.pages('POST', '/api/costs/', { body }, options);
  }

  /** The calls behind a row: `POST /api/calls/`. */
  calls(body: CallsBody, options?: AskOptions): Pages<CallsAnswer> {
    return this.pages('POST', '/api/calls/', { body }, options);
  }

  /** One call, how its cost was computed, and its events: `GET /api/calls/{event_id}/`. */
  call(eventId: string, query: CallQuery = {}, options?: AskOptions): Promise<CallAnswer> {
    return this.ask('GET', `/api/calls/${encodeURIComponent(eventId)}/`, { query }, options);
  }

  /** One run with its calls: `GET /api/runs/{run}/`. */
  run(run: string, query: RunQuery = {}, options?: AskOptions): Pages<RunAnswer> {
    return this.pages('GET', `/api/runs/${encodeURIComponent(run)}/`, { query }, options);
  }

  /** Revenue, cost and margin by period, and by customer: `POST /api/margin/`. */
  margin(body: MarginBody, options?: AskOptions): Pages<MarginAnswer> {
    return this.pages('POST', '/api/margin/', { body }, options);
  }

  /** How plans pay: revenue, cost and margin by plan and period, and how cost is spread over customers: `POST /api/plans/`. */
  plans(body: PlansBody, options?: AskOptions): Pages<PlansAnswer> {
    return this.pages('POST', '/api/plans/', { body }, options);
  }

  /** What other plans would have earned over past days, by plan and customer: `POST /api/plans/simulate/`. */
  simulate(body: SimulateBody, options?: AskOptions): Promise<SimulateAnswer> {
    return this.ask('POST', '/api/plans/simulate/', { body }, options);
  }

  /** The saved simulations of the project: `GET /api/plans/simulations/`. */
  simulations(options?: AskOptions): Promise<SimulationsAnswer> {
    return this.ask('GET', '/api/plans/simulations/', {}, options);
  }

  /** One saved simulation: `GET /api/plans/simulations/{name}/`. */
  simulation(name: string, options?: AskOptions): Promise<SimulationAnswer> {
    return this.ask('GET', `/api/plans/simulations/${encodeURIComponent(name)}/`, {}, options);
  }

  /** Save a simulation under a name: `PUT /api/plans/simulations/{name}/`. */
  putSimulation(name: string, body: PutSimulationBody, options?: AskOptions): Promise<PutSimulationAnswer> {
    return this.ask('PUT', `/api/plans/simulations/${encodeURIComponent(name)}/`, { body }, options);
  }

  /** Delete a saved simulation: `DELETE /api/plans/simulations/{name}/`. */
  deleteSimulation(name: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/plans/simulations/${encodeURIComponent(name)}/`, {}, options);
  }

  /** The margins when free credits end: `GET /api/credit-cliff/`. */
  creditCliff(query: CreditCliffQuery = {}, options?: AskOptions): Promise<CreditCliffAnswer> {
    return this.ask('GET', '/api/credit-cliff/', { query }, options);
  }

  /** Costs and key metrics by period, and by user: `POST /api/performance/`. */
  performance(body: PerformanceBody, options?: AskOptions): Pages<PerformanceAnswer> {
    return this.pages('POST', '/api/performance/', { body }, options);
  }

  /** Calls, errors, tokens, units and times by period, and by customer, feature, model or provider: `POST /api/usage/`. */
  usage(body: UsageBody, options?: AskOptions): Pages<UsageAnswer> {
    return this.pages('POST', '/api/usage/', { body }, options);
  }

  /** Why the cost changed between two ranges: `POST /api/changes/`. */
  changes(body: ChangesBody, options?: AskOptions): Promise<ChangesAnswer> {
    return this.ask('POST', '/api/changes/', { body }, options);
  }

  /** Money spent for nothing, by cause: `POST /api/waste/`. */
  waste(body: WasteBody, options?: AskOptions): Promise<WasteAnswer> {
    return this.ask('POST', '/api/waste/', { body }, options);
  }

  /** Why the invoices of providers differ from the computed costs: `POST /api/reconciliation/`. */
  reconciliation(body: ReconciliationBody, options?: AskOptions): Pages<ReconciliationAnswer> {
    return this.pages('POST', '/api/reconciliation/', { body }, options);
  }

  /** How much is priced and attributed, and what is missing: `GET /api/coverage/`. */
  coverage(query: CoverageQuery = {}, options?: AskOptions): Promise<CoverageAnswer> {
    return this.ask('GET', '/api/coverage/', { query }, options);
  }

  /** The customers to filter by: `GET /api/customers/`. */
  customers(query: CustomersQuery = {}, options?: AskOptions): Pages<CustomersAnswer> {
    return this.pages('GET', '/api/customers/', { query }, options);
  }

  /** The users to filter by: `GET /api/users/`. */
  users(query: UsersQuery = {}, options?: AskOptions): Pages<UsersAnswer> {
    return this.pages('GET', '/api/users/', { query }, options);
  }

  /** The features to filter by: `GET /api/features/`. */
  features(query: FeaturesQuery = {}, options?: AskOptions): Pages<FeaturesAnswer> {
    return this.pages('GET', '/api/features/', { query }, options);
  }

  /** The models to filter by: `GET /api/models/`. */
  models(query: ModelsQuery = {}, options?: AskOptions): Pages<ModelsAnswer> {
    return this.pages('GET', '/api/models/', { query }, options);
  }

  /** The providers to filter by: `GET /api/providers/`. */
  providers(query: ProvidersQuery = {}, options?: AskOptions): Pages<ProvidersAnswer> {
    return this.pages('GET', '/api/providers/', { query }, options);
  }

  /** The tags of calls, customers or users, with their most frequent values: `GET /api/tags/`. */
  tags(query: TagsQuery, options?: AskOptions): Promise<TagsAnswer> {
    return this.ask('GET', '/api/tags/', { query }, options);
  }

  /** List prices that differ in a second list or a newer catalogue: `GET /api/price-check/`. */
  priceCheck(query: PriceCheckQuery = {}, options?: AskOptions): Promise<PriceCheckAnswer> {
    return this.ask('GET', '/api/price-check/', { query }, options);
  }

  /** Events as received: `GET /api/events/`. */
  events(query: EventsQuery = {}, options?: AskOptions): Pages<EventsAnswer> {
    return this.pages('GET', '/api/events/', { query }, options);
  }

  /** The budgets of the project: `GET /api/budgets/`. */
  budgets(options?: AskOptions): Promise<BudgetsAnswer> {
    return this.ask('GET', '/api/budgets/', {}, options);
  }

  /** Make a budget: `POST /api/budgets/`. */
  postBudgets(body: PostBudgetsBody, options?: AskOptions): Promise<PostBudgetsAnswer> {
    return this.ask('POST', '/api/budgets/', { body }, options);
  }

  /** Make or replace a budget: `PUT /api/budgets/{name}/`. */
  putBudget(name: string, body: PutBudgetBody, options?: AskOptions): Promise<PutBudgetAnswer> {
    return this.ask('PUT', `/api/budgets/${encodeURIComponent(name)}/`, { body }, options);
  }

  /** Delete a budget: `DELETE /api/budgets/{name}/`. */
  deleteBudget(name: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/budgets/${encodeURIComponent(name)}/`, {}, options);
  }

  /** A budget, with what is spent in the current period: `GET /api/budgets/{name}/`. */
  budget(name: string, query: BudgetQuery = {}, options?: AskOptions): Promise<BudgetAnswer> {
    return this.ask('GET', `/api/budgets/${encodeURIComponent(name)}/`, { query }, options);
  }

  /** Whether more may be spent: `GET /api/budgets/{name}/check/`. */
  budgetCheck(name: string, query: BudgetCheckQuery = {}, options?: AskOptions): Promise<BudgetCheckAnswer> {
    return this.ask('GET', `/api/budgets/${encodeURIComponent(name)}/check/`, { query }, options);
  }

  /** The credit grants, with the amounts used and left: `GET /api/credit-grants/`. */
  creditGrants(options?: AskOptions): Promise<CreditGrantsAnswer> {
    return this.ask('GET', '/api/credit-grants/', {}, options);
  }

  /** Add a credit grant: `POST /api/credit-grants/`. */
  postCreditGrants(body: PostCreditGrantsBody, options?: AskOptions): Promise<PostCreditGrantsAnswer> {
    return this.ask('POST', '/api/credit-grants/', { body }, options);
  }

  /** Delete a credit grant: `DELETE /api/credit-grants/{id}/`. */
  deleteCreditGrant(id: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/credit-grants/${encodeURIComponent(id)}/`, {}, options);
  }

  /** Shared costs without calls to share them: `GET /api/shared-cost-allocation/`. */
  sharedCostAllocation(query: SharedCostAllocationQuery, options?: AskOptions): Promise<SharedCostAllocationAnswer> {
    return this.ask('GET', '/api/shared-cost-allocation/', { query }, options);
  }

  /** The kinds of alerts, with their settings and open firings: `GET /api/alerts/`. */
  alerts(options?: AskOptions): Promise<AlertsAnswer> {
    return this.ask('GET', '/api/alerts/', {}, options);
  }

  /** Change the settings of an alert, or turn it on or off: `PUT /api/alerts/{kind}/`. */
  putAlert(kind: string, body: PutAlertBody, options?: AskOptions): Promise<PutAlertAnswer> {
    return this.ask('PUT', `/api/alerts/${encodeURIComponent(kind)}/`, { body }, options);
  }

  /** The firings of alerts, newest first: `GET /api/alerts/firings/`. */
  firings(query: FiringsQuery = {}, options?: AskOptions): Promise<FiringsAnswer> {
    return this.ask('GET', '/api/alerts/firings/', { query }, options);
  }

  /** What is worth doing next: `GET /api/next-steps/`. */
  nextSteps(options?: AskOptions): Promise<NextStepsAnswer> {
    return this.ask('GET', '/api/next-steps/', {}, options);
  }

  /** Show a digest: `POST /api/digests/preview/`. */
  preview(body: PreviewBody, options?: AskOptions): Promise<PreviewAnswer> {
    return this.ask('POST', '/api/digests/preview/', { body }, options);
  }

  /** The closes, newest first: `GET /api/closes/`. */
  closes(query: ClosesQuery = {}, options?: AskOptions): Promise<ClosesAnswer> {
    return this.ask('GET', '/api/closes/', { query }, options);
  }

  /** Close all days up to one: `POST /api/closes/`. */
  postCloses(body: PostClosesBody, options?: AskOptions): Promise<PostClosesAnswer> {
    return this.ask('POST', '/api/closes/', { body }, options);
  }

  /** One close: `GET /api/closes/{id}/`. */
  close(id: string, options?: AskOptions): Promise<CloseAnswer> {
    return this.ask('GET', `/api/closes/${encodeURIComponent(id)}/`, {}, options);
  }

  /** Delete the latest close: `DELETE /api/closes/{id}/`. */
  deleteClose(id: string, options?: AskOptions): Promise<void> {
    return this.ask('DELETE', `/api/closes/${encodeURIComponent(id)}/`, {}, options);
  }

  /** What has changed since a close: `POST /api/closes/{id}/drift/`. */
  closeDrift(id: string, body: CloseDriftBody, options?: AskOptions): Pages<CloseDriftAnswer> {
    return this.pages('POST', `/api/closes/${encodeURIComponent(id)}/drift/`, { body }, options);
  }

  /** Costs and usage as rows of FOCUS: `GET /api/exports/focus/`. */
  focus(query: FocusQuery, options?: AskOptions): Pages<FocusAnswer> {
    return this.pages('GET', '/api/exports/focus/', { query }, options);
  }
}
