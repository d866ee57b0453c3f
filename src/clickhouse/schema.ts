import { bucketNames, usageBuckets } from '../lib/usage-buckets.ts';

/**
 * The tables of the analytic store. `events` is the log; everything else is derived from it and can be rebuilt.
 *
 * Every table that an answer or a watermark rests on is written with fsync: what the control store says is assembled
 * must survive a power cut as well as the control store does.
 */
const durable = 'fsync_after_insert = 1, fsync_part_directory = 1';

/** The columns of `calls` that hold token counts, one for each bucket of a call's usage. */
export const usageColumns: readonly string[] = usageBuckets.map((bucket) => `${bucketNames[bucket]}_tokens`);

/** What a cell holds; what costs are made of is read most, and decompressed fastest. */
const cellColumns = [
  'calls UInt64',
  'errors UInt64',
  'unpriced_calls UInt64',
  'cost Decimal(38, 12)',
  'run_cost Decimal(38, 12)',
  'runs UInt64',
  'max_run_cost Decimal(38, 12)',
  'elapsed_sum Int128 CODEC(ZSTD(1))',
  'elapsed_max Float64 CODEC(ZSTD(1))',
  ...usageColumns.map((column) => `${column} UInt64 CODEC(ZSTD(1))`),
].join(',\n        ');

/** When a cell's first and last call was. */
const seenColumns = ['first_time', 'last_time']
  .map((column) => `${column} DateTime64(3, 'UTC') CODEC(ZSTD(1))`)
  .join(',\n        ');

export interface StoreMigration {
  readonly id: string;
  readonly statements: readonly string[];
}

/** The schema's history, forward only; every statement can be repeated. */
export const storeMigrations: readonly StoreMigration[] = [
  {
    id: '0001_foundation',
    statements: [
      `CREATE TABLE IF NOT EXISTS events (
        writer LowCardinality(String),
        seq UInt64 CODEC(Delta, ZSTD(1)),
        project LowCardinality(String),
        received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
        client LowCardinality(String),
        event_id UUID,
        event_type LowCardinality(String),
        phase Enum8('custom' = 0, 'before' = 1, 'error' = 2, 'after' = 3),
        event_time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
        has_timestamp Bool,
        tags Map(LowCardinality(String), String) CODEC(ZSTD(1)),
        fields Map(LowCardinality(String), String) CODEC(ZSTD(1)),
        customer String CODEC(ZSTD(1)),
        user String CODEC(ZSTD(1)),
        feature LowCardinality(String),
        usage Array(UInt64) CODEC(ZSTD(1)),
        cost Nullable(Decimal(38, 12)),
        ignored Array(LowCardinality(String)),
        text String CODEC(ZSTD(1)),
        INDEX received_at_range received_at TYPE minmax GRANULARITY 1
      )
      ENGINE = MergeTree
      PARTITION BY toYYYYMM(received_at)
      ORDER BY (project, received_at, writer, seq)
      SETTINGS ${durable}, non_replicated_deduplication_window = 1000`,

      // When an event id was first and last heard of: how far back a merge must look. Small granules: it is read by id.
      `CREATE TABLE IF NOT EXISTS event_ids (
        project LowCardinality(String),
        event_id UUID,
        first_received_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
        last_received_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
      )
      ENGINE = AggregatingMergeTree
      ORDER BY (project, event_id)
      SETTINGS ${durable}, index_granularity = 512`,

      // A row of a call with is_deleted = 1 takes the place of the call on a day where it no longer is (D4.3).
      `CREATE TABLE IF NOT EXISTS calls (
        project LowCardinality(String),
        day Date,
        generation UInt64,
        event_id UUID,
        ordinal UInt16,
        version UInt64,
        is_deleted UInt8,
        time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
        first_received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
        customer String CODEC(ZSTD(1)),
        user String CODEC(ZSTD(1)),
        feature LowCardinality(String),
        run String CODEC(ZSTD(1)),
        model LowCardinality(String),
        provider LowCardinality(String),
        tags Map(LowCardinality(String), String) CODEC(ZSTD(1)),
        failed Bool,
        elapsed_ms Nullable(Float64),
        cost Decimal(38, 12) CODEC(ZSTD(1)),
        cost_source LowCardinality(String),
        unpriced_reason LowCardinality(String),
        price_book LowCardinality(String),
        ${usageColumns.map((column) => `${column} UInt64 CODEC(ZSTD(1))`).join(',\n        ')}
      )
      ENGINE = ReplacingMergeTree(version, is_deleted)
      PARTITION BY toYYYYMM(day)
      ORDER BY (project, day, generation, event_id, ordinal)
      SETTINGS ${durable}`,
    ],
  },
  {
    id: '0002_erasures',
    statements: [
      // The ids of an erasure that is under way.
      `CREATE TABLE IF NOT EXISTS erased_ids (
        project LowCardinality(String),
        erasure String,
        event_id UUID
      )
      ENGINE = MergeTree
      ORDER BY (project, erasure, event_id)
      SETTINGS ${durable}`,
    ],
  },
  {
    id: '0003_rollups',
    statements: [
      // What the calls of a sealed day add up to, by grain (calls/rollups/grains.ts). Only rows of the seal of their day count.
      // Compressed for speed, not for size: answers read these columns whole.
      `CREATE TABLE IF NOT EXISTS cells (
        project LowCardinality(String),
        grain LowCardinality(String),
        day Date,
        seal UInt64,
        customer LowCardinality(String),
        user String,
        feature LowCardinality(String),
        provider LowCardinality(String),
        model LowCardinality(String),
        calls UInt64,
        errors UInt64,
        unpriced_calls UInt64,
        cost Decimal(38, 12),
        run_cost Decimal(38, 12),
        runs UInt64,
        max_run_cost Decimal(38, 12),
        elapsed_sum Int128,
        elapsed_max Float64,
        first_time DateTime64(3, 'UTC'),
        last_time DateTime64(3, 'UTC'),
        ${usageColumns.map((column) => `${column} UInt64`).join(',\n        ')}
      )
      ENGINE = MergeTree
      PARTITION BY toYYYYMM(day)
      ORDER BY (project, grain, day, seal, customer, user, feature, provider, model)
      SETTINGS ${durable}`,

      // The days and customers of a run, so that assembly sees when it has more than one. Small granules: it is read by run.
      `CREATE TABLE IF NOT EXISTS runs (
        project LowCardinality(String),
        base_generation UInt64,
        run String EPHEMERAL,
        run_hash FixedString(16) DEFAULT sipHash128(run),
        first_day SimpleAggregateFunction(min, Date),
        last_day SimpleAggregateFunction(max, Date),
        first_customer SimpleAggregateFunction(min, String) CODEC(ZSTD(1)),
        last_customer SimpleAggregateFunction(max, String) CODEC(ZSTD(1))
      )
      ENGINE = AggregatingMergeTree
      ORDER BY (project, base_generation, run_hash)
      SETTINGS ${durable}, index_granularity = 512`,

      // The runs that have more than one day or customer: their pieces can't be added up by cells alone.
      `CREATE TABLE IF NOT EXISTS crossing_runs (
        project LowCardinality(String),
        base_generation UInt64,
        run String EPHEMERAL,
        run_hash FixedString(16) DEFAULT sipHash128(run)
      )
      ENGINE = ReplacingMergeTree
      ORDER BY (project, base_generation, run_hash)
      SETTINGS ${durable}`,

      // What crossing runs cost on a sealed day.
      `CREATE TABLE IF NOT EXISTS crossing_pieces (
        project LowCardinality(String),
        day Date,
        seal UInt64,
        run_hash FixedString(16),
        customer String CODEC(ZSTD(1)),
        feature LowCardinality(String),
        provider LowCardinality(String),
        model LowCardinality(String),
        cost Decimal(38, 12) CODEC(ZSTD(1))
      )
      ENGINE = MergeTree
      PARTITION BY toYYYYMM(day)
      ORDER BY (project, day, seal, run_hash)
      SETTINGS ${durable}`,
    ],
  },
  {
    // Cells by who reads them; the control store forgets the seals of the tables that go.
    id: '0004_cell_tables',
    statements: [
      'DROP TABLE IF EXISTS cells',
      'DROP TABLE IF EXISTS crossing_pieces',

      // Few and small, so in one part as a rule: an answer costs the engine as many reads as there are parts.
      `CREATE TABLE IF NOT EXISTS narrow_cells (
        project LowCardinality(String),
        grain LowCardinality(String),
        day Date,
        seal UInt64,
        feature LowCardinality(String),
        provider LowCardinality(String),
        model LowCardinality(String),
        ${seenColumns},
        ${cellColumns}
      )
      ENGINE = MergeTree
      PARTITION BY toYear(day)
      ORDER BY (project, grain, day, seal, feature, provider, model)
      SETTINGS ${durable}`,

      `CREATE TABLE IF NOT EXISTS cells (
        project LowCardinality(String),
        grain LowCardinality(String),
        day Date,
        seal UInt64,
        customer LowCardinality(String),
        user String,
        feature LowCardinality(String),
        provider LowCardinality(String),
        model LowCardinality(String),
        ${seenColumns},
        ${cellColumns}
      )
      ENGINE = MergeTree
      PARTITION BY toYYYYMM(day)
      ORDER BY (project, grain, day, seal, customer, user, feature, provider, model)
      SETTINGS ${durable}`,

      // Read in many short pieces, which compact parts with small granules make cheap.
      `CREATE TABLE IF NOT EXISTS customer_cells (
        project LowCardinality(String),
        grain LowCardinality(String),
        day Date,
        seal UInt64,
        customer String,
        feature LowCardinality(String),
        provider LowCardinality(String),
        model LowCardinality(String),
        ${cellColumns}
      )
      ENGINE = MergeTree
      PARTITION BY toYear(day)
      ORDER BY (project, grain, customer, day, seal, feature, provider, model)
      SETTINGS ${durable}, index_granularity = 512, min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000`,

      // What crossing runs cost on a sealed day.
      `CREATE TABLE IF NOT EXISTS crossing_pieces (
        project LowCardinality(String),
        day Date,
        seal UInt64,
        run_hash FixedString(16),
        customer String CODEC(ZSTD(1)),
        feature LowCardinality(String),
        provider LowCardinality(String),
        model LowCardinality(String),
        cost Decimal(38, 12) CODEC(ZSTD(1))
      )
      ENGINE = MergeTree
      PARTITION BY toYear(day)
      ORDER BY (project, day, seal, run_hash)
      SETTINGS ${durable}`,
    ],
  },
  {
    id: '0005_retention',
    statements: [
      // What every named run cost on a frozen day: it may come back on a day that is kept. Read by run.
      `CREATE TABLE IF NOT EXISTS frozen_pieces (
        project LowCardinality(String),
        day Date,
        seal UInt64,
        run_hash FixedString(16),
        customer String CODEC(ZSTD(1)),
        feature LowCardinality(String),
        provider LowCardinality(String),
        model LowCardinality(String),
        cost Decimal(38, 12) CODEC(ZSTD(1))
      )
      ENGINE = MergeTree
      PARTITION BY toYYYYMM(day)
      ORDER BY (project, run_hash, day, seal)
      SETTINGS ${durable}`,

      // What the custom events of a frozen day gave for each reading, by user. What a decimal does not hold of a sum is in
      // \`rest\`, in units of 1e-100; of distinct values only hashes are kept.
      `CREATE TABLE IF NOT EXISTS frozen_readings (
        project LowCardinality(String),
        day Date,
        seal UInt64,
        reading LowCardinality(String),
        user String,
        fed UInt64,
        sum Decimal(76, 20),
        rest String,
        hashes Array(UInt128)
      )
      ENGINE = MergeTree
      PARTITION BY toYYYYMM(day)
      ORDER BY (project, day, seal, reading, user)
      SETTINGS ${durable}`,

      // The events that came for days that were frozen by then.
      `CREATE TABLE IF NOT EXISTS late_events (
        project LowCardinality(String),
        received_at DateTime64(3, 'UTC'),
        writer LowCardinality(String),
        seq UInt64
      )
      ENGINE = ReplacingMergeTree
      ORDER BY (project, received_at, writer, seq)
      SETTINGS ${durable}`,
    ],
  },
  {
    id: '0006_merges',
    statements: [
      // Every batch of intake and assembly makes a part in each of these. Merging ten parts of a size instead of five rewrites
      // rows less often: an event took 59 µs of the engine instead of 77.
      ...['events', 'event_ids', 'calls', 'runs'].map(
        (table) => `ALTER TABLE ${table} MODIFY SETTING merge_selector_base = 10`,
      ),
    ],
  },
  {
    // Calls no longer repeat in their tags what a column of theirs says (calls/call-tags.ts). Those written before are read as
    // well; a release that knows nothing of it would show such tags as empty, and does not start where this is noted.
    id: '0007_short_tags',
    statements: [],
  },
  {
    // What crossing runs cost is in the cells themselves: a question reads one table, and the calls of the running day once.
    // The control store forgets the seals of cells without it; frozen days have it in `frozen_pieces`. Times that are whole
    // milliseconds are multiples of a million nanoseconds: divided by that they take half the room.
    id: '0008_crossing_runs_in_cells',
    statements: [
      ...['narrow_cells', 'cells', 'customer_cells'].flatMap((table) => [
        `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS crossing Array(Tuple(FixedString(16), Decimal(38, 12))) CODEC(ZSTD(1))`,
        `ALTER TABLE ${table} MODIFY COLUMN elapsed_sum Int128 CODEC(GCD, ZSTD(1))`,
      ]),
      'DROP TABLE IF EXISTS crossing_pieces',
    ],
  },
  {
    // In the order of event ids, which are random, a time says nothing of the next one: all that can be saved is the bits above
    // their range. That is 6 bytes a call less than with differences, or none, as before.
    id: '0009_times_by_range',
    statements: [
      "ALTER TABLE event_ids MODIFY COLUMN first_received_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')) CODEC(T64, ZSTD(1))",
      "ALTER TABLE event_ids MODIFY COLUMN last_received_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(T64, ZSTD(1))",
      "ALTER TABLE calls MODIFY COLUMN time DateTime64(3, 'UTC') CODEC(T64, ZSTD(1))",
      "ALTER TABLE calls MODIFY COLUMN first_received_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1))",
    ],
  },
];
