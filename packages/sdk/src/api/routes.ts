// Written by scripts/generate-sdk-api.ts from the OpenAPI document of the service; changes here are lost.

import { type AskOptions, Client, type Pages } from './client.ts';

export type ProjectAnswer = {
  id: string;
  name: string;
  /** `revenue` projects have margin, `internal` ones performance. */
  type: 'revenue' | 'internal';
  /** IANA name. Days and periods of the project are in this timezone. */
  timezone: string;
  /** The new timezone while the days are being rebuilt for it; otherwise null. */
  pending_timezone: string | null;
  /** Percent: a positive margin below it is at risk; null for never. */
  at_risk_below_pct: number | null;
  /** How many days before today events and calls are kept; null for ever. Totals are always kept. */
  retention_days: number | null;
  /** Whether prompts and answers are stored that OpenTelemetry spans and log records carry. */
  keep_content: boolean;
  /** The first day whose events and calls are kept, if earlier days have only totals; otherwise null. */
  kept_from: string | null;
  created_at: string;
};

export type PricesAnswer = {
  prices: ReadonlyArray<{
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
  }>;
};

export type PostPricesBody = {
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

export type PostPricesAnswer = {
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

export type ModelPriceAnswer = {
  model: string;
  /** The provider of the request, or the maker of the model. */
  provider: string;
  service_tier: string | null;
  /** The time at which the price applies. */
  at: string;
  /** The snapshot of prices for new calls. */
  price_book: {
    id: string;
    activated_at: string;
  };
  /** Of the rates of tokens. Null: the model has only prices of units. */
  source:
    | (
        | {
            kind: 'override';
            override_id: string;
          }
        | {
            kind: 'catalogue';
            /** The version of the catalogue package. */
            version: string;
            /** The catalogue's name of the provider that lists the model. */
            provider: string;
            /** The catalogue's name of the model's entry. */
            entry: string;
            /** The page that supports a correction of the entry; null when it is not corrected. */
            correction_source: string | null;
          }
        | {
            kind: 'supplement';
            /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
            page: string;
            /** The day on which the page was read. */
            checked_on: string;
          }
      )
    | null;
  /** For prompts that exceed no bound of `tiers`. */
  rates: {
    /** USD per million tokens of each bucket. Null: no price, and a call that uses the bucket is unpriced. */
    per_mtok: {
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
    /** USD per call. */
    per_request: number | null;
  };
  /** Ascending. The last tier whose bound the whole prompt exceeds, cached tokens included, prices the whole call. */
  tiers: ReadonlyArray<{
    above_input_tokens: number;
    rates: {
      /** USD per million tokens of each bucket. Null: no price, and a call that uses the bucket is unpriced. */
      per_mtok: {
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
      /** USD per call. */
      per_request: number | null;
    };
  }>;
  /** The terms of the request that changed the rates, which include them. */
  terms: ReadonlyArray<{
    name: 'service_tier' | 'speed' | 'geo' | 'cache_ttl' | 'size' | 'quality' | 'search_context_size';
    /** As the call names it. */
    value: string;
    /** What the list price is multiplied by. Null: the term has a price of its own, or acts together with the term before it. */
    factor: number | null;
    /** Where the unit price comes from. */
    source:
      | {
          kind: 'override';
          override_id: string;
        }
      | {
          kind: 'catalogue';
          /** The version of the catalogue package. */
          version: string;
          /** The catalogue's name of the provider that lists the model. */
          provider: string;
          /** The catalogue's name of the model's entry. */
          entry: string;
          /** The page that supports a correction of the entry; null when it is not corrected. */
          correction_source: string | null;
        }
      | {
          kind: 'supplement';
          /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
          page: string;
          /** The day on which the page was read. */
          checked_on: string;
        };
  }>;
  /** The terms of the request that may change the rates and of which no price is known. */
  partly_priced: ReadonlyArray<
    'service_tier' | 'speed' | 'geo' | 'cache_ttl' | 'size' | 'quality' | 'search_context_size'
  >;
  /** What terms do to the rates; most specific first. Empty for an override, whose rates no term changes. */
  term_prices: ReadonlyArray<{
    /** The values of the terms with which it holds. */
    when: Readonly<Record<string, ReadonlyArray<string>>>;
    /** What the list price is multiplied by; null with `prices`. */
    factor: number | null;
    /** Rates that stand in for the list price. */
    prices: {
      /** For prompts that exceed no bound of `tiers`. */
      rates: {
        /** USD per million tokens of each bucket. Null: no price, and a call that uses the bucket is unpriced. */
        per_mtok: {
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
        /** USD per call. */
        per_request: number | null;
      };
      /** Ascending. The last tier whose bound the whole prompt exceeds, cached tokens included, prices the whole call. */
      tiers: ReadonlyArray<{
        above_input_tokens: number;
        rates: {
          /** USD per million tokens of each bucket. Null: no price, and a call that uses the bucket is unpriced. */
          per_mtok: {
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
          /** USD per call. */
          per_request: number | null;
        };
      }>;
    } | null;
    /** Where the unit price comes from. */
    source:
      | {
          kind: 'override';
          override_id: string;
        }
      | {
          kind: 'catalogue';
          /** The version of the catalogue package. */
          version: string;
          /** The catalogue's name of the provider that lists the model. */
          provider: string;
          /** The catalogue's name of the model's entry. */
          entry: string;
          /** The page that supports a correction of the entry; null when it is not corrected. */
          correction_source: string | null;
        }
      | {
          kind: 'supplement';
          /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
          page: string;
          /** The day on which the page was read. */
          checked_on: string;
        };
  }>;
  /** The prices of units. The first one of a unit whose `when` a call meets prices it. */
  units: ReadonlyArray<{
    unit:
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
      | 'pages'
      | 'annotated_pages'
      | 'requests';
    /** The values of the terms with which it holds. */
    when: Readonly<Record<string, ReadonlyArray<string>>>;
    /** USD per one. */
    rate_per_unit: number;
    /** Where the unit price comes from. */
    source:
      | {
          kind: 'override';
          override_id: string;
        }
      | {
          kind: 'catalogue';
          /** The version of the catalogue package. */
          version: string;
          /** The catalogue's name of the provider that lists the model. */
          provider: string;
          /** The catalogue's name of the model's entry. */
          entry: string;
          /** The page that supports a correction of the entry; null when it is not corrected. */
          correction_source: string | null;
        }
      | {
          kind: 'supplement';
          /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
          page: string;
          /** The day on which the page was read. */
          checked_on: string;
        };
  }>;
};

export type PostRepriceBody = {
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today in the timezone of the project. */
  date_to?: string | undefined;
  /** True only reports the difference; false puts the new numbers in force. */
  dry_run?: boolean | undefined;
  /** True also reads the stored text of the events of these days again, by what this release understands of usage, units and terms. */
  reread?: boolean | undefined;
};

export type PostRepriceAnswer = {
  id: string;
};

export type RepricesQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type RepricesAnswer = {
  reprices: ReadonlyArray<{
    id: string;
    /** A `done` reprice is in force, unless it is a dry run. */
    state: 'queued' | 'running' | 'done' | 'failed';
    dry_run: boolean;
    /** Whether it reads the text of the events again. */
    reread: boolean;
    date_from: string;
    date_to: string;
    /** `admin`, or the id of an API key. */
    requested_by: string;
    created_at: string;
    finished_at: string | null;
    failure: string | null;
    /** USD: the cost of the days by the old prices; null until `done`. */
    before: number | null;
    /** USD: the cost of the days by the new prices; null until `done`. */
    after: number | null;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type RepriceAnswer = {
  id: string;
  /** A `done` reprice is in force, unless it is a dry run. */
  state: 'queued' | 'running' | 'done' | 'failed';
  dry_run: boolean;
  /** Whether it reads the text of the events again. */
  reread: boolean;
  date_from: string;
  date_to: string;
  /** `admin`, or the id of an API key. */
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
  /** What changes the cost, each from where the one before ends: what is read from the events, then prices. Empty until it is `done`. */
  by_cause: ReadonlyArray<{
    cause: 'reading' | 'price';
    /** USD, gross. */
    before: number;
    /** USD, gross. */
    after: number;
  }>;
  by_day: ReadonlyArray<{
    date: string;
    /** USD, gross. */
    before: number;
    /** USD, gross. */
    after: number;
  }>;
  /** The 1,000 largest differences. */
  by_model: ReadonlyArray<{
    model: string;
    /** USD, gross. */
    before: number;
    /** USD, gross. */
    after: number;
  }>;
  other_models: {
    models: number;
    /** USD, gross. */
    before: number;
    /** USD, gross. */
    after: number;
  };
  /** The 1,000 largest differences. */
  by_customer: ReadonlyArray<{
    customer: string;
    /** USD, gross. */
    before: number;
    /** USD, gross. */
    after: number;
  }>;
  /** The customers that are not listed. */
  others: {
    customers: number;
    /** USD, gross. */
    before: number;
    /** USD, gross. */
    after: number;
  };
};

export type PostCustomerTagsBody = {
  customers: ReadonlyArray<{
    /** The name of the customer, as on its calls. */
    customer_name: string;
    /** A string sets the tag, null deletes it. */
    tags: Readonly<Record<string, string | null>>;
  }>;
  /** True overwrites tags that exist; otherwise such a tag is a conflict (409). */
  upsert?: boolean | undefined;
};

export type PostCustomerTagsAnswer = {
  ok: true;
  /** Distinct customers. */
  customers_updated: number;
};

export type PostUserTagsBody = {
  users: ReadonlyArray<{
    /** The name of the user, as on calls and events. */
    user_name: string;
    /** A string sets the tag, null deletes it. */
    tags: Readonly<Record<string, string | null>>;
  }>;
  /** True overwrites tags that exist; otherwise such a tag is a conflict (409). */
  upsert?: boolean | undefined;
};

export type PostUserTagsAnswer = {
  ok: true;
  /** Distinct users. */
  users_updated: number;
};

export type KeyMetricsAnswer = {
  key_metrics: ReadonlyArray<{
    name: string;
    event_type: string;
    aggregation: 'count' | 'sum' | 'unique';
    field: string | null;
    features: ReadonlyArray<string> | null;
    unit: string | null;
    created_at: string;
    updated_at: string;
  }>;
};

export type KeyMetricAnswer = {
  name: string;
  event_type: string;
  aggregation: 'count' | 'sum' | 'unique';
  field: string | null;
  features: ReadonlyArray<string> | null;
  unit: string | null;
  created_at: string;
  updated_at: string;
};

export type PutKeyMetricBody = {
  /** The type of the custom events that it reads. */
  event_type: string;
  /** Counts the events, sums the numbers at `field`, or counts the distinct values at `field`. */
  aggregation: 'count' | 'sum' | 'unique';
  /** JSON Pointer (RFC 6901) into the event; for `sum` and `unique`. */
  field?: string | null | undefined;
  /** The features whose cost counts, "" for calls without one; left out: all. */
  features?: ReadonlyArray<string> | null | undefined;
  unit?: string | null | undefined;
};

export type PutKeyMetricAnswer = {
  name: string;
  event_type: string;
  aggregation: 'count' | 'sum' | 'unique';
  field: string | null;
  features: ReadonlyArray<string> | null;
  unit: string | null;
  created_at: string;
  updated_at: string;
};

export type RevenueQuery = {
  customer?: string | undefined;
  date_from?: string | undefined;
  date_to?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type RevenueAnswer = {
  rows: ReadonlyArray<{
    external_id: string;
    customer: string;
    /** USD; negative for a refund. */
    amount: number;
    date_from: string;
    date_to: string;
    created_at: string;
    updated_at: string;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type PostRevenueBody = {
  entries: ReadonlyArray<{
    /** Your own id of the entry: 1 to 256 characters, percent-encoded in paths; not . or .. alone. */
    external_id: string;
    /** The customer, as named on its calls. */
    customer: string;
    /** USD, at most 12 fractional digits; negative for a refund. */
    amount: number | string;
    /** First day, inclusive, in the timezone of the project. */
    date_from: string;
    /** Last day, inclusive; default: date_from. */
    date_to?: string | undefined;
  }>;
};

export type PostRevenueAnswer = {
  ok: true;
  entries_stored: number;
};

export type CostsBody = {
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today in the timezone of the project. */
  date_to?: string | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'all' | undefined;
  /** One row per value and period. */
  group_by?: 'customer' | 'feature' | 'model' | 'provider' | undefined;
  /** Restricts to these customers. */
  customers?: ReadonlyArray<string> | undefined;
  /** Restricts to these feature tags. */
  features?: ReadonlyArray<string> | undefined;
  /** Restricts to these models. */
  models?: ReadonlyArray<string> | undefined;
  /** Restricts to these providers. */
  providers?: ReadonlyArray<string> | undefined;
  /** Restricts to customers carrying these tags now. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Restricts to runs carrying these tags, with all their calls. */
  run_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Applies free AI credits to `cost` only. */
  apply_credits?: boolean | undefined;
  /** Maximum number of rows in a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
};

export type CostsAnswer = {
  rows: ReadonlyArray<{
    date_from: string;
    date_to: string;
    customer?: string | undefined;
    feature?: string | undefined;
    model?: string | undefined;
    provider?: string | undefined;
    /** USD; the nearest double of the exact sum. */
    cost: number;
    /** USD, gross: the average over the feature runs of the row. */
    avg_feature_run_cost: number;
    /** USD, gross: the largest of the feature runs of the row. */
    max_feature_run_cost: number;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type CallsBody = {
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today in the timezone of the project. */
  date_to?: string | undefined;
  /** Only the calls of this row: its days and, if the answer has groups, its value. Default: all calls. */
  row?:
    | {
        /** First day of the row. */
        date_from: string;
        /** Last day of the row. */
        date_to: string;
        customer?: string | undefined;
        feature?: string | undefined;
        model?: string | undefined;
        provider?: string | undefined;
      }
    | undefined;
  /** Restricts to these customers. */
  customers?: ReadonlyArray<string> | undefined;
  /** Restricts to these feature tags. */
  features?: ReadonlyArray<string> | undefined;
  /** Restricts to these models. */
  models?: ReadonlyArray<string> | undefined;
  /** Restricts to these providers. */
  providers?: ReadonlyArray<string> | undefined;
  /** Restricts to customers carrying these tags now. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Restricts to runs carrying these tags, with all their calls. */
  run_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Only the calls with these ids, at most 1,000. */
  event_ids?: ReadonlyArray<string> | undefined;
  /** Adds `net_cost`: the cost after free AI credits. */
  apply_credits?: boolean | undefined;
  /** Which calls come first. */
  order?: 'oldest' | 'newest' | undefined;
  /** Maximum number of rows in a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
};

export type CallsAnswer = {
  rows: ReadonlyArray<{
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
    elapsed_ms: number | null;
    /** USD, gross. */
    cost: number;
    /** USD, after free AI credits; only with `apply_credits`. */
    net_cost?: number | undefined;
    /** Where the cost comes from. `none`: the call reports no usage; `unpriced`: its model has no price; `wrapper`: another call within it has its usage and its cost; `gateway_cache`: a gateway answered from its own cache, and no provider was called. */
    cost_source: 'reported' | 'override' | 'catalogue' | 'gateway_cache' | 'wrapper' | 'none' | 'unpriced';
    /** Why the call has no price; null when it has one. */
    unpriced_reason: string | null;
    /** The units and terms without a known price: the cost is that of all else. Empty if there are none. */
    partly_priced: ReadonlyArray<string>;
    /** Token counts by bucket; each token is in exactly one. */
    tokens: {
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
    /** What the provider charges for beside tokens, by unit; only units that were used. */
    units: Readonly<Record<string, number>>;
    /** What changes the rates of the call, as its events name it; only terms that they name. */
    terms: Readonly<Record<string, string>>;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type CallQuery = {
  ordinal?: number | undefined;
};

export type CallAnswer =
  | {
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
      elapsed_ms: number | null;
      /** USD, gross. */
      cost: number;
      /** USD, after free AI credits; only with `apply_credits`. */
      net_cost?: number | undefined;
      /** Where the cost comes from. `none`: the call reports no usage; `unpriced`: its model has no price; `wrapper`: another call within it has its usage and its cost; `gateway_cache`: a gateway answered from its own cache, and no provider was called. */
      cost_source: 'reported' | 'override' | 'catalogue' | 'gateway_cache' | 'wrapper' | 'none' | 'unpriced';
      /** Why the call has no price; null when it has one. */
      unpriced_reason: string | null;
      /** The units and terms without a known price: the cost is that of all else. Empty if there are none. */
      partly_priced: ReadonlyArray<string>;
      /** Token counts by bucket; each token is in exactly one. */
      tokens: {
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
      /** What the provider charges for beside tokens, by unit; only units that were used. */
      units: Readonly<Record<string, number>>;
      /** What changes the rates of the call, as its events name it; only terms that they name. */
      terms: Readonly<Record<string, string>>;
      open: false;
      /** How many calls the id has: more than one when it was used again. */
      calls: number;
      explanation: {
        /** Whether the events and the price book still give the stored cost. False, without lines, when this version of Farthing reads them differently from the version that costed the call. The stored cost stays until its day is repriced or rebuilt. */
        reproduced: boolean;
        /** The products that add up to the cost; empty if the cost was reported or if there is none. */
        lines: ReadonlyArray<
          | {
              bucket:
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
              tokens: number;
              /** USD per million tokens. */
              rate_per_mtok: number;
              /** USD: tokens × rate, rounded half-even at 12 digits. */
              amount: number;
              /** Where the unit price comes from. */
              source:
                | {
                    kind: 'override';
                    override_id: string;
                  }
                | {
                    kind: 'catalogue';
                    /** The version of the catalogue package. */
                    version: string;
                    /** The catalogue's name of the provider that lists the model. */
                    provider: string;
                    /** The catalogue's name of the model's entry. */
                    entry: string;
                    /** The page that supports a correction of the entry; null when it is not corrected. */
                    correction_source: string | null;
                  }
                | {
                    kind: 'supplement';
                    /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
                    page: string;
                    /** The day on which the page was read. */
                    checked_on: string;
                  };
              /** The terms of the call that changed the rate; absent when none did. */
              terms?:
                | ReadonlyArray<{
                    name: 'service_tier' | 'speed' | 'geo' | 'cache_ttl' | 'size' | 'quality' | 'search_context_size';
                    /** As the call names it. */
                    value: string;
                    /** What the list price is multiplied by. Null: the term has a price of its own, or acts together with the term before it. */
                    factor: number | null;
                    /** Where the unit price comes from. */
                    source:
                      | {
                          kind: 'override';
                          override_id: string;
                        }
                      | {
                          kind: 'catalogue';
                          /** The version of the catalogue package. */
                          version: string;
                          /** The catalogue's name of the provider that lists the model. */
                          provider: string;
                          /** The catalogue's name of the model's entry. */
                          entry: string;
                          /** The page that supports a correction of the entry; null when it is not corrected. */
                          correction_source: string | null;
                        }
                      | {
                          kind: 'supplement';
                          /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
                          page: string;
                          /** The day on which the page was read. */
                          checked_on: string;
                        };
                  }>
                | undefined;
            }
          | {
              unit:
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
                | 'pages'
                | 'annotated_pages'
                | 'requests';
              count: number;
              /** USD per one. */
              rate_per_unit: number;
              /** USD: count × rate, rounded half-even at 12 digits. */
              amount: number;
              /** Where the unit price comes from. */
              source:
                | {
                    kind: 'override';
                    override_id: string;
                  }
                | {
                    kind: 'catalogue';
                    /** The version of the catalogue package. */
                    version: string;
                    /** The catalogue's name of the provider that lists the model. */
                    provider: string;
                    /** The catalogue's name of the model's entry. */
                    entry: string;
                    /** The page that supports a correction of the entry; null when it is not corrected. */
                    correction_source: string | null;
                  }
                | {
                    kind: 'supplement';
                    /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
                    page: string;
                    /** The day on which the page was read. */
                    checked_on: string;
                  };
            }
          | {
              bucket: 'request';
              requests: 1;
              /** USD per call. */
              rate_per_request: number;
              amount: number;
              /** Where the unit price comes from. */
              source:
                | {
                    kind: 'override';
                    override_id: string;
                  }
                | {
                    kind: 'catalogue';
                    /** The version of the catalogue package. */
                    version: string;
                    /** The catalogue's name of the provider that lists the model. */
                    provider: string;
                    /** The catalogue's name of the model's entry. */
                    entry: string;
                    /** The page that supports a correction of the entry; null when it is not corrected. */
                    correction_source: string | null;
                  }
                | {
                    kind: 'supplement';
                    /** The page that supports a price of a unit or a term, which the catalogue package lacks. */
                    page: string;
                    /** The day on which the page was read. */
                    checked_on: string;
                  };
            }
        >;
        /** The units and terms of the call without a known price: the cost is that of all else (D26.3). */
        partly_priced: ReadonlyArray<
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
        >;
        /** Why the call costs what it costs, where no price says so. */
        note: string | null;
        /** USD: what a gateway or another tool worked out for the call, beside the cost. It is the cost where Farthing has no price. */
        reported_cost: number | null;
        /** The snapshot of prices that the cost was computed with. */
        price_book: {
          id: string;
          activated_at: string;
        };
        /** The event id of the call within this one, which has its usage and its cost; only if `cost_source` is `wrapper`. */
        wraps?: string | undefined;
        /** The discount by free AI credits. */
        credit: {
          /** The share of the day's cost of the call's provider and model that free credits cover, from 0 to 1. */
          covered_fraction: number;
          /** USD, after free AI credits. */
          net_cost: number;
        };
      };
      /** The first 100 events in the order of receipt, fewer if they are large. `GET /api/events/` has all. */
      events: ReadonlyArray<{
        received_at: string;
        /** The client that posted it. */
        client_id: string;
        /** The JSON that was posted, unchanged. */
        event: Readonly<Record<string, unknown>>;
      }>;
      /** How many events there are. */
      events_total: number;
    }
  | {
      event_id: string;
      open: true;
      calls: 0;
      /** The first 100 events in the order of receipt, fewer if they are large. `GET /api/events/` has all. */
      events: ReadonlyArray<{
        received_at: string;
        /** The client that posted it. */
        client_id: string;
        /** The JSON that was posted, unchanged. */
        event: Readonly<Record<string, unknown>>;
      }>;
      /** How many events there are. */
      events_total: number;
    };

export type RunQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type RunAnswer = {
  rows: ReadonlyArray<{
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
    elapsed_ms: number | null;
    /** USD, gross. */
    cost: number;
    /** USD, after free AI credits; only with `apply_credits`. */
    net_cost?: number | undefined;
    /** Where the cost comes from. `none`: the call reports no usage; `unpriced`: its model has no price; `wrapper`: another call within it has its usage and its cost; `gateway_cache`: a gateway answered from its own cache, and no provider was called. */
    cost_source: 'reported' | 'override' | 'catalogue' | 'gateway_cache' | 'wrapper' | 'none' | 'unpriced';
    /** Why the call has no price; null when it has one. */
    unpriced_reason: string | null;
    /** The units and terms without a known price: the cost is that of all else. Empty if there are none. */
    partly_priced: ReadonlyArray<string>;
    /** Token counts by bucket; each token is in exactly one. */
    tokens: {
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
    /** What the provider charges for beside tokens, by unit; only units that were used. */
    units: Readonly<Record<string, number>>;
    /** What changes the rates of the call, as its events name it; only terms that they name. */
    terms: Readonly<Record<string, string>>;
  }>;
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

export type MarginBody = {
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today in the timezone of the project. */
  date_to?: string | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'all' | undefined;
  /** One row per customer in each period. */
  group_by?: 'customer' | undefined;
  /** Restricts to these customers. */
  customers?: ReadonlyArray<string> | undefined;
  /** Keeps only customers with a call in the row's period that carries one of these feature tags. All cost and revenue of these customers counts. */
  filter_customers_based_on_features?: ReadonlyArray<string> | undefined;
  /** Applies free AI credits to `cost`. */
  apply_credits?: boolean | undefined;
  /** Maximum number of rows in a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
};

export type MarginAnswer = {
  rows: ReadonlyArray<{
    date_from: string;
    date_to: string;
    customer?: string | undefined;
    /** USD earned on the days of the row. */
    revenue: number;
    /** USD; less free AI credits when `apply_credits` is true. */
    cost: number;
    /** `revenue` − `cost`. */
    margin: number;
    /** 100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100. */
    margin_pct: number;
    /** `unprofitable` below a margin of 0; `at_risk` below the project's `at_risk_below_pct`. */
    risk_status: 'healthy' | 'at_risk' | 'unprofitable';
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type PerformanceBody = {
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today in the timezone of the project. */
  date_to?: string | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'all' | undefined;
  /** One row per user in each period. */
  group_by?: 'user' | undefined;
  /** Restricts to these users. */
  users?: ReadonlyArray<string> | undefined;
  /** Keeps only users that used any of these feature tags in the period; rows of other users are removed. */
  filter_users_based_on_features?: ReadonlyArray<string> | undefined;
  /** Restricts to users carrying these tags now. */
  user_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Applies free AI credits to costs. */
  apply_credits?: boolean | undefined;
  /** Maximum number of rows in a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
};

export type PerformanceAnswer = {
  rows: ReadonlyArray<{
    date_from: string;
    date_to: string;
    user?: string | undefined;
    /** USD; less free AI credits when `apply_credits` is true. */
    cost: number;
    /** The key metrics that have data for the row, by name. */
    key_metrics: Readonly<
      Record<
        string,
        {
          /** The value of the key metric over the events of the row; never 0. */
          value: number;
          /** USD: the row's cost for the features of the key metric. */
          total_cost: number;
          /** USD: total_cost / value. */
          cost_per_unit: number;
        }
      >
    >;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type UsageBody = {
  /** First day, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day, inclusive; default: today in the timezone of the project. */
  date_to?: string | undefined;
  /** One row per period; `all` is the whole range. */
  aggregate?: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'all' | undefined;
  /** One row per value and period. */
  group_by?: 'customer' | 'feature' | 'model' | 'provider' | undefined;
  /** Restricts to these customers. */
  customers?: ReadonlyArray<string> | undefined;
  /** Restricts to these feature tags. */
  features?: ReadonlyArray<string> | undefined;
  /** Restricts to these models. */
  models?: ReadonlyArray<string> | undefined;
  /** Restricts to these providers. */
  providers?: ReadonlyArray<string> | undefined;
  /** Restricts to customers carrying these tags now. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Restricts to runs carrying these tags, with all their calls. */
  run_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Applies free AI credits to `cost` only. */
  apply_credits?: boolean | undefined;
  /** Maximum number of rows in a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
};

export type UsageAnswer = {
  rows: ReadonlyArray<{
    date_from: string;
    date_to: string;
    customer?: string | undefined;
    feature?: string | undefined;
    model?: string | undefined;
    provider?: string | undefined;
    calls: number;
    /** Calls that failed. */
    errors: number;
    /** Calls whose cost is 0 because they have no price. */
    unpriced_calls: number;
    /** Calls that used a unit or named a term without a known price. */
    partly_priced_calls: number;
    /** Tokens by bucket; each token is in exactly one. */
    tokens: {
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
    /** What the provider charges for beside tokens, by unit; only units that were used. */
    units: Readonly<Record<string, number>>;
    /** Total milliseconds of the calls that report their duration. */
    elapsed_ms_sum: number;
    /** The longest duration in milliseconds; 0 when no call reports one. */
    elapsed_ms_max: number;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type ChangesBody = {
  /** First day of the range, inclusive, in the timezone of the project. */
  date_from: string;
  /** Last day of the range, inclusive. */
  date_to: string;
  /** First day of the range to compare with; default: as many days as the range has. */
  before_from?: string | undefined;
  /** Last day of the range to compare with; default: the day before `date_from`. */
  before_to?: string | undefined;
  /** Restricts to these customers. */
  customers?: ReadonlyArray<string> | undefined;
  /** Restricts to these feature tags. */
  features?: ReadonlyArray<string> | undefined;
  /** Restricts to these models. */
  models?: ReadonlyArray<string> | undefined;
  /** Restricts to these providers. */
  providers?: ReadonlyArray<string> | undefined;
  /** Restricts to customers carrying these tags now. */
  customer_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Restricts to runs carrying these tags, with all their calls. */
  run_tags?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
  /** Compares costs after free AI credits. */
  apply_credits?: boolean | undefined;
  /** Maximum number of rows in a list. */
  limit?: number | undefined;
};

export type ChangesAnswer = {
  date_from: string;
  date_to: string;
  before_from: string;
  before_to: string;
  /** USD; the nearest double of the exact amount. */
  cost_before: number;
  /** USD; the nearest double of the exact amount. */
  cost: number;
  /** USD: `cost` less `cost_before`. */
  difference: number;
  /** The difference by cause; the exact parts add up to it. */
  parts: {
    /** More or fewer calls. */
    calls: number;
    /** Another mix of models and providers. */
    mix: number;
    /** More or fewer calls that failed, which cost nothing or less. */
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
  by_customer: {
    /** The largest differences first, at most `limit`. */
    rows: ReadonlyArray<{
      customer: string;
      /** USD; the nearest double of the exact amount. */
      cost_before: number;
      /** USD; the nearest double of the exact amount. */
      cost: number;
      /** USD: `cost` less `cost_before`. */
      difference: number;
      /** The difference by cause; the exact parts add up to it. */
      parts: {
        /** More or fewer calls. */
        calls: number;
        /** Another mix of models and providers. */
        mix: number;
        /** More or fewer calls that failed, which cost nothing or less. */
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
    }>;
    /** The sum of all others. */
    others: {
      /** The number of further values. */
      count: number;
      /** USD; the nearest double of the exact amount. */
      cost_before: number;
      /** USD; the nearest double of the exact amount. */
      cost: number;
      /** USD: `cost` less `cost_before`. */
      difference: number;
      /** The difference by cause; the exact parts add up to it. */
      parts: {
        /** More or fewer calls. */
        calls: number;
        /** Another mix of models and providers. */
        mix: number;
        /** More or fewer calls that failed, which cost nothing or less. */
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
    };
    /** Every cause, the largest amount first. */
    causes: ReadonlyArray<{
      cause:
        | 'calls'
        | 'mix'
        | 'failures'
        | 'tokens_per_call'
        | 'cached_share'
        | 'prices'
        | 'new_customers'
        | 'vanished_customers';
      /** USD; the nearest double of the exact amount. */
      amount: number;
      /** The largest amounts first, at most `limit`. */
      rows: ReadonlyArray<{
        customer: string;
        /** USD; the nearest double of the exact amount. */
        amount: number;
      }>;
      /** The sum of all others. */
      others: {
        /** The number of further values. */
        count: number;
        /** USD; the nearest double of the exact amount. */
        amount: number;
      };
    }>;
  };
  by_model: {
    /** The largest differences first, at most `limit`. */
    rows: ReadonlyArray<{
      model: string;
      /** USD; the nearest double of the exact amount. */
      cost_before: number;
      /** USD; the nearest double of the exact amount. */
      cost: number;
      /** USD: `cost` less `cost_before`. */
      difference: number;
      /** The difference by cause; the exact parts add up to it. */
      parts: {
        /** More or fewer calls. */
        calls: number;
        /** Another mix of models and providers. */
        mix: number;
        /** More or fewer calls that failed, which cost nothing or less. */
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
    }>;
    /** The sum of all others. */
    others: {
      /** The number of further values. */
      count: number;
      /** USD; the nearest double of the exact amount. */
      cost_before: number;
      /** USD; the nearest double of the exact amount. */
      cost: number;
      /** USD: `cost` less `cost_before`. */
      difference: number;
      /** The difference by cause; the exact parts add up to it. */
      parts: {
        /** More or fewer calls. */
        calls: number;
        /** Another mix of models and providers. */
        mix: number;
        /** More or fewer calls that failed, which cost nothing or less. */
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
    };
    /** Every cause, the largest amount first. */
    causes: ReadonlyArray<{
      cause:
        | 'calls'
        | 'mix'
        | 'failures'
        | 'tokens_per_call'
        | 'cached_share'
        | 'prices'
        | 'new_customers'
        | 'vanished_customers';
      /** USD; the nearest double of the exact amount. */
      amount: number;
      /** The largest amounts first, at most `limit`. */
      rows: ReadonlyArray<{
        model: string;
        /** USD; the nearest double of the exact amount. */
        amount: number;
      }>;
      /** The sum of all others. */
      others: {
        /** The number of further values. */
        count: number;
        /** USD; the nearest double of the exact amount. */
        amount: number;
      };
    }>;
  };
  /** A split of its own, by feature and model: it adds up to the same difference, but new and vanished customers are more or fewer calls in it. */
  by_feature: {
    /** The largest differences first, at most `limit`. */
    rows: ReadonlyArray<{
      feature: string;
      /** USD; the nearest double of the exact amount. */
      cost_before: number;
      /** USD; the nearest double of the exact amount. */
      cost: number;
      /** USD: `cost` less `cost_before`. */
      difference: number;
      /** The difference by cause; the exact parts add up to it. */
      parts: {
        /** More or fewer calls. */
        calls: number;
        /** Another mix of models and providers. */
        mix: number;
        /** More or fewer calls that failed, which cost nothing or less. */
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
    }>;
    /** The sum of all others. */
    others: {
      /** The number of further values. */
      count: number;
      /** USD; the nearest double of the exact amount. */
      cost_before: number;
      /** USD; the nearest double of the exact amount. */
      cost: number;
      /** USD: `cost` less `cost_before`. */
      difference: number;
      /** The difference by cause; the exact parts add up to it. */
      parts: {
        /** More or fewer calls. */
        calls: number;
        /** Another mix of models and providers. */
        mix: number;
        /** More or fewer calls that failed, which cost nothing or less. */
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
    };
    /** Every cause, the largest amount first. */
    causes: ReadonlyArray<{
      cause:
        | 'calls'
        | 'mix'
        | 'failures'
        | 'tokens_per_call'
        | 'cached_share'
        | 'prices'
        | 'new_customers'
        | 'vanished_customers';
      /** USD; the nearest double of the exact amount. */
      amount: number;
      /** The largest amounts first, at most `limit`. */
      rows: ReadonlyArray<{
        feature: string;
        /** USD; the nearest double of the exact amount. */
        amount: number;
      }>;
      /** The sum of all others. */
      others: {
        /** The number of further values. */
        count: number;
        /** USD; the nearest double of the exact amount. */
        amount: number;
      };
    }>;
  };
};

export type CoverageQuery = {
  date_from?: string | undefined;
  date_to?: string | undefined;
};

export type CoverageAnswer = {
  date_from: string;
  date_to: string;
  calls: number;
  /** Calls that are not unpriced. A call that reports no usage costs nothing and is counted here. */
  priced_calls: number;
  /** From 0 to 1; 1 when the total is 0. */
  priced_share: number;
  unpriced_calls: number;
  /** Calls that used a unit or named a term without a known price: their cost is that of all else. They count as priced. */
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
  unpriced: ReadonlyArray<{
    model: string;
    provider: string;
    reason: string;
    calls: number;
  }>;
  /** Units and terms without a known price, by model, most calls first; the first 1,000. */
  partly_priced: ReadonlyArray<{
    name: string;
    model: string;
    provider: string;
    calls: number;
  }>;
  /** Ids with a `.before` received on these days, and no `.after` or `.error` received later or up to 48 hours before it. */
  open_calls: number;
  /** Fields in events received on these days that could not be used, most events first. */
  ignored: ReadonlyArray<{
    field: string;
    events: number;
  }>;
  /** Events received on these days for days that were already reduced to totals (`retention_days`). They are in the log, but in no total. */
  beyond_retention: number;
  /** For each key metric, the events of its type on these days that hold no value it can use: no number for `sum`, no value or null for `unique`. Only key metrics that skip events, most events first. */
  skipped_metric_values: ReadonlyArray<{
    key_metric: string;
    events: number;
  }>;
};

export type CustomersQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type CustomersAnswer = {
  rows: ReadonlyArray<{
    /** The empty string stands for calls without one. */
    name: string;
    /** The time of the earliest call; null without calls. */
    first_seen: string | null;
    /** The time of the latest call; null without calls. */
    last_seen: string | null;
    calls: number;
    /** The tags it carries now. */
    tags: Readonly<Record<string, string>>;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type UsersQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type UsersAnswer = {
  rows: ReadonlyArray<{
    /** The empty string stands for calls without one. */
    name: string;
    /** The time of the earliest call; null without calls. */
    first_seen: string | null;
    /** The time of the latest call; null without calls. */
    last_seen: string | null;
    calls: number;
    /** The tags it carries now. */
    tags: Readonly<Record<string, string>>;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type FeaturesQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type FeaturesAnswer = {
  rows: ReadonlyArray<{
    /** The empty string stands for calls without one. */
    name: string;
    /** The time of the earliest call; null without calls. */
    first_seen: string | null;
    /** The time of the latest call; null without calls. */
    last_seen: string | null;
    calls: number;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type ModelsQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type ModelsAnswer = {
  rows: ReadonlyArray<{
    /** The empty string stands for calls without one. */
    name: string;
    /** The time of the earliest call; null without calls. */
    first_seen: string | null;
    /** The time of the latest call; null without calls. */
    last_seen: string | null;
    calls: number;
    /** Whether `GET /api/models/{name}/price/` has a price for it now, from the provider that makes it. */
    has_price: boolean;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type ProvidersQuery = {
  search?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type ProvidersAnswer = {
  rows: ReadonlyArray<{
    /** The empty string stands for calls without one. */
    name: string;
    /** The time of the earliest call; null without calls. */
    first_seen: string | null;
    /** The time of the latest call; null without calls. */
    last_seen: string | null;
    calls: number;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type EventsQuery = {
  event_id?: string | undefined;
  event_type?: string | undefined;
  customer?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  order?: 'newest' | 'oldest' | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type EventsAnswer = {
  rows: ReadonlyArray<{
    received_at: string;
    /** The client that posted it. */
    client_id: string;
    /** The JSON that was posted, unchanged. */
    event: Readonly<Record<string, unknown>>;
  }>;
  /** Asks for the next page, as `cursor`; null when there is none. */
  next_cursor: string | null;
  has_more: boolean;
};

export type CreditGrantsAnswer = {
  credit_grants: ReadonlyArray<{
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
  }>;
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
  priority?: number | undefined;
  /** A label for people; it has no effect. */
  name?: string | null | undefined;
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

/** Typed questions to Farthing: a method for each route that takes an API key. */

export class FarthingApi extends Client {
  /** The project of the key: `GET /api/project/`. */
  project(options?: AskOptions): Promise<ProjectAnswer> {
    return this.ask('GET', '/api/project/', {}, options);
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

  /** Price past days by current prices: `POST /api/prices/reprice/`. */
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

  /** Events as received: `GET /api/events/`. */
  events(query: EventsQuery = {}, options?: AskOptions): Pages<EventsAnswer> {
    return this.pages('GET', '/api/events/', { query }, options);
  }

  /** The credit grants, with what is used and what remains: `GET /api/credit-grants/`. */
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
}
