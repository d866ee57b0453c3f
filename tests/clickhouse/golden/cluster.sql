CREATE TABLE IF NOT EXISTS farthing_local.events ON CLUSTER farthing
(
    `writer` LowCardinality(String),
    `seq` UInt64 CODEC(Delta, ZSTD(1)),
    `project` LowCardinality(String),
    `received_at` DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    `client` LowCardinality(String),
    `event_id` UUID,
    `event_type` LowCardinality(String),
    `phase` Enum8('custom' = 0, 'before' = 1, 'error' = 2, 'after' = 3),
    `event_time` DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    `has_timestamp` Bool,
    `tags` Map(LowCardinality(String), String) CODEC(ZSTD(3)),
    `fields` Map(LowCardinality(String), String) CODEC(ZSTD(3)),
    `customer` String CODEC(ZSTD(3)),
    `user` String CODEC(ZSTD(3)),
    `feature` LowCardinality(String),
    `usage` Array(UInt64) CODEC(ZSTD(3)),
    `units` Map(String, Decimal(38, 12)) CODEC(ZSTD(1)),
    `cost` Nullable(Decimal(38, 12)),
    `ignored` Array(LowCardinality(String)),
    `text` String CODEC(ZSTD(1)),
    INDEX received_at_range received_at TYPE minmax GRANULARITY 1,
    INDEX ignored_length length(ignored) TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
PARTITION BY toYYYYMM(received_at)
ORDER BY (project, received_at, writer, seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, merge_selector_base = 10, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS farthing.events ON CLUSTER farthing AS farthing_local.events
ENGINE = Distributed('farthing', 'farthing_local', events, sipHash64(project, event_id));

CREATE TABLE IF NOT EXISTS farthing_local.event_ids ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `event_id` UUID,
    `first_received_at` SimpleAggregateFunction(min, DateTime64(3, 'UTC')) CODEC(T64, ZSTD(1)),
    `last_received_at` SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(T64, ZSTD(1)),
    `open_state` SimpleAggregateFunction(max, UInt32) CODEC(ZSTD(1))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
ORDER BY (project, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, merge_selector_base = 10, index_granularity = 512;

CREATE TABLE IF NOT EXISTS farthing.event_ids ON CLUSTER farthing AS farthing_local.event_ids
ENGINE = Distributed('farthing', 'farthing_local', event_ids, sipHash64(project, event_id));

CREATE TABLE IF NOT EXISTS farthing_local.condensed_ids ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `event_id` UUID,
    `version` UInt64,
    `last_received_at` DateTime64(3, 'UTC'),
    `events` UInt64,
    `has_cut_tags` Bool,
    `state` String CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}', version)
ORDER BY (project, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, index_granularity = 512;

CREATE TABLE IF NOT EXISTS farthing.condensed_ids ON CLUSTER farthing AS farthing_local.condensed_ids
ENGINE = Distributed('farthing', 'farthing_local', condensed_ids, sipHash64(project, event_id));

CREATE TABLE IF NOT EXISTS farthing_local.event_contents ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `event_id` UUID,
    `writer` LowCardinality(String),
    `seq` UInt64 CODEC(T64, ZSTD(1)),
    `generation` UInt64,
    `version` UInt64,
    `received_at` DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    `fields` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    `usage` Array(UInt64) CODEC(ZSTD(1)),
    `units` Map(String, Decimal(38, 12)) CODEC(ZSTD(1)),
    `cost` Nullable(Decimal(38, 12)),
    `ignored` Array(LowCardinality(String))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project, event_id, writer, seq, generation)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, index_granularity = 512;

CREATE TABLE IF NOT EXISTS farthing.event_contents ON CLUSTER farthing AS farthing_local.event_contents
ENGINE = Distributed('farthing', 'farthing_local', event_contents, sipHash64(project, event_id));

CREATE TABLE IF NOT EXISTS farthing_local.report_keys ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `kind` LowCardinality(String),
    `hour` UInt32 CODEC(T64, ZSTD(1)),
    `key` UUID,
    `scope` LowCardinality(String),
    `event_id` UUID,
    `started_at` DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    `ended_at` DateTime64(3, 'UTC') CODEC(T64, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
ORDER BY (project, kind, hour, key, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, merge_selector_base = 10, index_granularity = 512;

CREATE TABLE IF NOT EXISTS farthing.report_keys ON CLUSTER farthing AS farthing_local.report_keys
ENGINE = Distributed('farthing', 'farthing_local', report_keys, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.erased_ids ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `erasure` String,
    `event_id` UUID
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
ORDER BY (project, erasure, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS farthing.erased_ids ON CLUSTER farthing AS farthing_local.erased_ids
ENGINE = Distributed('farthing', 'farthing_local', erased_ids, sipHash64(project, event_id));

CREATE TABLE IF NOT EXISTS farthing_local.late_events ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `received_at` DateTime64(3, 'UTC'),
    `writer` LowCardinality(String),
    `seq` UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
ORDER BY (project, received_at, writer, seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS farthing.late_events ON CLUSTER farthing AS farthing_local.late_events
ENGINE = Distributed('farthing', 'farthing_local', late_events, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.calls ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `day` Date,
    `generation` UInt64,
    `event_id` UUID,
    `ordinal` UInt16,
    `version` UInt64,
    `is_deleted` UInt8,
    `time` DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    `first_received_at` DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    `customer` String CODEC(ZSTD(3)),
    `user` String CODEC(ZSTD(3)),
    `feature` LowCardinality(String),
    `model` LowCardinality(String),
    `provider` LowCardinality(String),
    `run` String CODEC(ZSTD(1)),
    `tags` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    `failed` Bool,
    `elapsed_ms` Nullable(Float64) CODEC(ZSTD(1)),
    `cost` Decimal(38, 12) CODEC(GCD, ZSTD(1)),
    `cost_source` LowCardinality(String),
    `unpriced_reason` LowCardinality(String),
    `price_book` LowCardinality(String),
    `input_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `cache_read_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `cache_write_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `cache_write_1h_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `input_audio_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `cache_read_audio_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `input_image_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `cache_read_image_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `input_video_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `output_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `reasoning_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `output_audio_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `output_image_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `output_video_tokens` UInt64 CODEC(T64, ZSTD(1)),
    `units` Map(String, Decimal(38, 12)) CODEC(ZSTD(1)),
    `terms` Map(String, String) CODEC(ZSTD(1)),
    `partly_priced` Array(String) CODEC(ZSTD(1)),
    `aborted` Bool,
    `alike` LowCardinality(String),
    `priced_as` LowCardinality(String),
    `requests` UInt32 DEFAULT 1,
    `cost_elsewhere` Nullable(Decimal(38, 12)) CODEC(ZSTD(1)),
    `other_usage` String CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}', version, is_deleted)
PARTITION BY toYYYYMM(day)
ORDER BY (project, day, generation, event_id, ordinal)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, merge_selector_base = 10;

CREATE TABLE IF NOT EXISTS farthing.calls ON CLUSTER farthing AS farthing_local.calls
ENGINE = Distributed('farthing', 'farthing_local', calls, sipHash64(project, event_id));

CREATE TABLE IF NOT EXISTS farthing_local.runs ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `base_generation` UInt64,
    `run` String EPHEMERAL,
    `run_hash` FixedString(16) DEFAULT sipHash128(run),
    `first_day` SimpleAggregateFunction(min, Date),
    `last_day` SimpleAggregateFunction(max, Date),
    `first_customer` SimpleAggregateFunction(min, String) CODEC(ZSTD(1)),
    `last_customer` SimpleAggregateFunction(max, String) CODEC(ZSTD(1))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
ORDER BY (project, base_generation, run_hash)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, merge_selector_base = 10, index_granularity = 512;

CREATE TABLE IF NOT EXISTS farthing.runs ON CLUSTER farthing AS farthing_local.runs
ENGINE = Distributed('farthing', 'farthing_local', runs, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.crossing_runs ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `base_generation` UInt64,
    `run` String EPHEMERAL,
    `run_hash` FixedString(16) DEFAULT sipHash128(run)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
ORDER BY (project, base_generation, run_hash)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS farthing.crossing_runs ON CLUSTER farthing AS farthing_local.crossing_runs
ENGINE = Distributed('farthing', 'farthing_local', crossing_runs, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.narrow_cells ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `grain` LowCardinality(String),
    `day` Date,
    `seal` UInt64,
    `feature` LowCardinality(String),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `first_time` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `last_time` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `calls` UInt64,
    `errors` UInt64,
    `unpriced_calls` UInt64,
    `cost` Decimal(38, 12),
    `run_cost` Decimal(38, 12),
    `runs` UInt64,
    `max_run_cost` Decimal(38, 12),
    `elapsed_sum` Int128 CODEC(GCD, ZSTD(1)),
    `elapsed_max` Float64 CODEC(ZSTD(1)),
    `input_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_write_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_write_1h_tokens` UInt64 CODEC(ZSTD(1)),
    `input_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `input_image_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_image_tokens` UInt64 CODEC(ZSTD(1)),
    `input_video_tokens` UInt64 CODEC(ZSTD(1)),
    `output_tokens` UInt64 CODEC(ZSTD(1)),
    `reasoning_tokens` UInt64 CODEC(ZSTD(1)),
    `output_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `output_image_tokens` UInt64 CODEC(ZSTD(1)),
    `output_video_tokens` UInt64 CODEC(ZSTD(1)),
    `crossing` Array(Tuple(
        FixedString(16),
        Decimal(38, 12))) CODEC(ZSTD(1)),
    `units` Map(String, Decimal(38, 12)) CODEC(ZSTD(1)),
    `partly_priced_calls` UInt64 CODEC(ZSTD(1)),
    `customer_attributed_cost` Decimal(38, 12) CODEC(ZSTD(1)),
    `feature_attributed_cost` Decimal(38, 12) CODEC(ZSTD(1)),
    `user_attributed_cost` Decimal(38, 12) CODEC(ZSTD(1)),
    `unpriced_reasons` Map(String, UInt64) CODEC(ZSTD(1)),
    `partly_priced_names` Map(String, UInt64) CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
PARTITION BY toYear(day)
ORDER BY (project, grain, day, seal, feature, provider, model)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, min_age_to_force_merge_seconds = 600, min_age_to_force_merge_on_partition_only = 1;

CREATE TABLE IF NOT EXISTS farthing.narrow_cells ON CLUSTER farthing AS farthing_local.narrow_cells
ENGINE = Distributed('farthing', 'farthing_local', narrow_cells, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.cells ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `grain` LowCardinality(String),
    `day` Date,
    `seal` UInt64,
    `customer` LowCardinality(String),
    `user` String,
    `feature` LowCardinality(String),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `first_time` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `last_time` DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    `calls` UInt64,
    `errors` UInt64,
    `unpriced_calls` UInt64,
    `cost` Decimal(38, 12),
    `run_cost` Decimal(38, 12),
    `runs` UInt64,
    `max_run_cost` Decimal(38, 12),
    `elapsed_sum` Int128 CODEC(GCD, ZSTD(1)),
    `elapsed_max` Float64 CODEC(ZSTD(1)),
    `input_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_write_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_write_1h_tokens` UInt64 CODEC(ZSTD(1)),
    `input_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `input_image_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_image_tokens` UInt64 CODEC(ZSTD(1)),
    `input_video_tokens` UInt64 CODEC(ZSTD(1)),
    `output_tokens` UInt64 CODEC(ZSTD(1)),
    `reasoning_tokens` UInt64 CODEC(ZSTD(1)),
    `output_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `output_image_tokens` UInt64 CODEC(ZSTD(1)),
    `output_video_tokens` UInt64 CODEC(ZSTD(1)),
    `crossing` Array(Tuple(
        FixedString(16),
        Decimal(38, 12))) CODEC(ZSTD(1)),
    `units` Map(String, Decimal(38, 12)) CODEC(ZSTD(1)),
    `partly_priced_calls` UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project, grain, day, seal, customer, user, feature, provider, model)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, min_age_to_force_merge_seconds = 600, min_age_to_force_merge_on_partition_only = 1;

CREATE TABLE IF NOT EXISTS farthing.cells ON CLUSTER farthing AS farthing_local.cells
ENGINE = Distributed('farthing', 'farthing_local', cells, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.customer_cells ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `grain` LowCardinality(String),
    `day` Date,
    `seal` UInt64,
    `customer` String,
    `feature` LowCardinality(String),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `calls` UInt64,
    `errors` UInt64,
    `unpriced_calls` UInt64,
    `cost` Decimal(38, 12),
    `run_cost` Decimal(38, 12),
    `runs` UInt64,
    `max_run_cost` Decimal(38, 12),
    `elapsed_sum` Int128 CODEC(GCD, ZSTD(1)),
    `elapsed_max` Float64 CODEC(ZSTD(1)),
    `input_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_write_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_write_1h_tokens` UInt64 CODEC(ZSTD(1)),
    `input_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `input_image_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_image_tokens` UInt64 CODEC(ZSTD(1)),
    `input_video_tokens` UInt64 CODEC(ZSTD(1)),
    `output_tokens` UInt64 CODEC(ZSTD(1)),
    `reasoning_tokens` UInt64 CODEC(ZSTD(1)),
    `output_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `output_image_tokens` UInt64 CODEC(ZSTD(1)),
    `output_video_tokens` UInt64 CODEC(ZSTD(1)),
    `crossing` Array(Tuple(
        FixedString(16),
        Decimal(38, 12))) CODEC(ZSTD(1)),
    `units` Map(String, Decimal(38, 12)) CODEC(ZSTD(1)),
    `partly_priced_calls` UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
PARTITION BY toYear(day)
ORDER BY (project, grain, customer, day, seal, feature, provider, model)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, min_age_to_force_merge_seconds = 600, min_age_to_force_merge_on_partition_only = 1, index_granularity = 512, min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000;

CREATE TABLE IF NOT EXISTS farthing.customer_cells ON CLUSTER farthing AS farthing_local.customer_cells
ENGINE = Distributed('farthing', 'farthing_local', customer_cells, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.run_cells ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `day` Date,
    `seal` UInt64 CODEC(ZSTD(1)),
    `customer` LowCardinality(String),
    `feature` LowCardinality(String),
    `crossing_run` FixedString(16) CODEC(ZSTD(1)),
    `providers` Array(LowCardinality(String)),
    `models` Array(LowCardinality(String)),
    `costs` Array(Decimal(38, 12)),
    `tags` Map(LowCardinality(String), Array(String)) CODEC(ZSTD(1)),
    `has_tags` Bool
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project, day, seal, customer, feature)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, min_age_to_force_merge_seconds = 600, min_age_to_force_merge_on_partition_only = 1;

CREATE TABLE IF NOT EXISTS farthing.run_cells ON CLUSTER farthing AS farthing_local.run_cells
ENGINE = Distributed('farthing', 'farthing_local', run_cells, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.frozen_pieces ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `day` Date,
    `seal` UInt64,
    `run_hash` FixedString(16),
    `customer` String CODEC(ZSTD(1)),
    `feature` LowCardinality(String),
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `cost` Decimal(38, 12) CODEC(ZSTD(1)),
    `tags` Map(LowCardinality(String), String) CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project, run_hash, day, seal)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS farthing.frozen_pieces ON CLUSTER farthing AS farthing_local.frozen_pieces
ENGINE = Distributed('farthing', 'farthing_local', frozen_pieces, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.frozen_readings ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `day` Date,
    `seal` UInt64,
    `reading` LowCardinality(String),
    `user` String,
    `fed` UInt64,
    `sum` Decimal(76, 20),
    `rest` String,
    `hashes` Array(UInt128)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project, day, seal, reading, user)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS farthing.frozen_readings ON CLUSTER farthing AS farthing_local.frozen_readings
ENGINE = Distributed('farthing', 'farthing_local', frozen_readings, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.tag_cells ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `grain` LowCardinality(String),
    `day` Date,
    `seal` UInt64,
    `tag_key` LowCardinality(String),
    `tag` String,
    `customer` String,
    `provider` LowCardinality(String),
    `model` LowCardinality(String),
    `calls` UInt64,
    `errors` UInt64,
    `unpriced_calls` UInt64,
    `cost` Decimal(38, 12),
    `run_cost` Decimal(38, 12),
    `runs` UInt64,
    `max_run_cost` Decimal(38, 12),
    `elapsed_sum` Int128 CODEC(GCD, ZSTD(1)),
    `elapsed_max` Float64 CODEC(ZSTD(1)),
    `input_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_write_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_write_1h_tokens` UInt64 CODEC(ZSTD(1)),
    `input_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `input_image_tokens` UInt64 CODEC(ZSTD(1)),
    `cache_read_image_tokens` UInt64 CODEC(ZSTD(1)),
    `input_video_tokens` UInt64 CODEC(ZSTD(1)),
    `output_tokens` UInt64 CODEC(ZSTD(1)),
    `reasoning_tokens` UInt64 CODEC(ZSTD(1)),
    `output_audio_tokens` UInt64 CODEC(ZSTD(1)),
    `output_image_tokens` UInt64 CODEC(ZSTD(1)),
    `output_video_tokens` UInt64 CODEC(ZSTD(1)),
    `crossing` Array(Tuple(
        FixedString(16),
        Decimal(38, 12))) CODEC(ZSTD(1)),
    `units` Map(String, Decimal(38, 12)) CODEC(ZSTD(1)),
    `partly_priced_calls` UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project, grain, tag_key, day, seal, tag, customer, provider, model)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, min_age_to_force_merge_seconds = 600, min_age_to_force_merge_on_partition_only = 1;

CREATE TABLE IF NOT EXISTS farthing.tag_cells ON CLUSTER farthing AS farthing_local.tag_cells
ENGINE = Distributed('farthing', 'farthing_local', tag_cells, sipHash64(project));

CREATE TABLE IF NOT EXISTS farthing_local.made_up ON CLUSTER farthing
(
    `project` LowCardinality(String),
    `event_id` UUID,
    `note` String
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')
ORDER BY (project, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS farthing.made_up ON CLUSTER farthing AS farthing_local.made_up
ENGINE = Distributed('farthing', 'farthing_local', made_up, sipHash64(project));

ALTER TABLE farthing_local.calls ON CLUSTER farthing
    (ADD COLUMN IF NOT EXISTS `made_up` UInt64 DEFAULT 7 CODEC(ZSTD(1)));

ALTER TABLE farthing.calls ON CLUSTER farthing
    (ADD COLUMN IF NOT EXISTS `made_up` UInt64 DEFAULT 7 CODEC(ZSTD(1)));

ALTER TABLE farthing_local.calls ON CLUSTER farthing
    (ADD INDEX IF NOT EXISTS made_up_range made_up TYPE minmax GRANULARITY 1);

ALTER TABLE farthing_local.calls ON CLUSTER farthing
    (MODIFY COLUMN `unpriced_reason` String);

ALTER TABLE farthing.calls ON CLUSTER farthing
    (MODIFY COLUMN `unpriced_reason` String);

ALTER TABLE farthing_local.calls ON CLUSTER farthing
    (MODIFY COLUMN `run` CODEC(ZSTD(3))),
    (MODIFY COLUMN `cost` CODEC(ZSTD(1)));

ALTER TABLE farthing_local.calls ON CLUSTER farthing
    (MODIFY SETTING merge_selector_base = 8);

DROP TABLE IF EXISTS farthing.late_events ON CLUSTER farthing SYNC;

DROP TABLE IF EXISTS farthing_local.late_events ON CLUSTER farthing SYNC;

SYSTEM SYNC REPLICA ON CLUSTER farthing farthing_local.erased_ids;

ALTER TABLE farthing_local.events ON CLUSTER farthing
    (DELETE WHERE (project = {project:String}) AND (event_id IN (
        SELECT event_id
        FROM erased_ids
        WHERE project = {project:String}
    )));

ALTER TABLE farthing_local.runs ON CLUSTER farthing
    (UPDATE first_customer = '' WHERE project = {project:String});

TRUNCATE TABLE farthing_local.calls ON CLUSTER farthing;
