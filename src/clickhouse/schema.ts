import { fewestBytes, timesByRange } from './codecs.ts';
import { createCondensedIds } from './condensed-ids-table.ts';
import { addAlike, createReportKeys } from './report-keys.ts';
import { createRunCells } from './run-cells-table.ts';
import { addCoverageColumns, cellColumns, durable, seenColumns, unitsColumn, usageColumns } from './table-columns.ts';
import { mergeWholePartitions } from './whole-partitions.ts';

export interface StoreMigration {
  readonly id: string;
  readonly statements: readonly string[];
}

/**
 * The history of the analytic store's schema, forward only; every statement can be repeated. `events` is the log;
 * everything else is derived from it and can be rebuilt.
 */
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

      // When the first and last event of an id were received, which tells a merge how far back to read. Small granules,
      // because it is read by id.
      `CREATE TABLE IF NOT EXISTS event_ids (
        project LowCardinality(String),
        event_id UUID,
        first_received_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
        last_received_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
      )
      ENGINE = AggregatingMergeTree
      ORDER BY (project, event_id)
      SETTINGS ${durable}, index_granularity = 512`,

      // A row with is_deleted = 1 removes a call from a day that it has left (D4.3).
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
      // Sums of the calls of a sealed day, by grain (calls/rollups/grains.ts). Only rows with the current seal of their
      // day count. Compressed for speed, not for size, because answers read whole columns.
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

      // The days and customers of a run: assembly finds here whether it has more than one. Small granules, because it
      // is read by run.
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

      // Runs with more than one day or customer, which cells alone can't sum.
      `CREATE TABLE IF NOT EXISTS crossing_runs (
        project LowCardinality(String),
        base_generation UInt64,
        run String EPHEMERAL,
        run_hash FixedString(16) DEFAULT sipHash128(run)
      )
      ENGINE = ReplacingMergeTree
      ORDER BY (project, base_generation, run_hash)
      SETTINGS ${durable}`,

      // The costs of crossing runs on a sealed day.
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
    // Cells by the queries that read them. The control store drops the seals of the dropped tables.
    id: '0004_cell_tables',
    statements: [
      'DROP TABLE IF EXISTS cells',
      'DROP TABLE IF EXISTS crossing_pieces',

      // Few and small rows, so usually in one part: an answer costs the engine one read per part.
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

      // Read in many short ranges, which compact parts with small granules make cheap.
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

      // The costs of crossing runs on a sealed day.
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
      // The costs of every named run on a frozen day, because kept days may still get calls of the run. Read by run.
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

      // The readings of the custom events of a frozen day, by user. The digits of a sum that a decimal can't hold are
      // in \`rest\`, in units of 1e-100; of distinct values only hashes are kept.
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

      // Events received for days that were frozen already.
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
    // Every batch of intake and assembly adds a part to each of these. Merging ten parts of a size instead of five
    // rewrites rows less often: an event takes 59 µs of the engine instead of 77.
    statements: ['events', 'event_ids', 'calls', 'runs'].map(
      (table) => `ALTER TABLE ${table} MODIFY SETTING merge_selector_base = 10`,
    ),
  },
  {
    // Tags of calls do not repeat the text of a column (calls/call-tags.ts). Older calls can still be read. An older
    // release would show such tags as empty, so it does not start once this id is recorded.
    id: '0007_short_tags',
    statements: [],
  },
  {
    // The costs of crossing runs are in the cells: a query reads one table, and the calls of the running day once. The
    // control store drops the seals of cells without them; frozen days have them in `frozen_pieces`. Times in whole
    // milliseconds are multiples of a million nanoseconds: GCD compression halves their size.
    id: '0008_crossing_runs_in_cells',
    statements: [
      ...['narrow_cells', 'cells', 'customer_cells'].flatMap((table) => [
        `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS crossing Array(Tuple(FixedString(16), Decimal(38, 12))) CODEC(ZSTD(1))`,
        `ALTER TABLE ${table} MODIFY COLUMN elapsed_sum Int128 CODEC(GCD, ZSTD(1))`,
      ]),
      'DROP TABLE IF EXISTS crossing_pieces',
    ],
  },
  { id: '0009_times_by_range', statements: timesByRange },
  {
    // What calls are charged for besides tokens. Older rows have none, so no day is sealed again.
    id: '0010_units_and_terms',
    statements: [
      `ALTER TABLE events ADD COLUMN IF NOT EXISTS ${unitsColumn}`,
      `ALTER TABLE calls ADD COLUMN IF NOT EXISTS ${unitsColumn}`,
      'ALTER TABLE calls ADD COLUMN IF NOT EXISTS terms Map(String, String) CODEC(ZSTD(1))',
      'ALTER TABLE calls ADD COLUMN IF NOT EXISTS partly_priced Array(String) CODEC(ZSTD(1))',
      ...['narrow_cells', 'cells', 'customer_cells'].flatMap((table) => [
        `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${unitsColumn}`,
        `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS partly_priced_calls UInt64 CODEC(ZSTD(1))`,
      ]),
    ],
  },
  {
    // What rereads have read differently in the texts of events (docs/decisions/0019). Read by id, like `event_ids`.
    id: '0011_event_readings',
    statements: [
      `CREATE TABLE IF NOT EXISTS event_readings (
        project LowCardinality(String),
        event_id UUID,
        writer LowCardinality(String),
        seq UInt64 CODEC(T64, ZSTD(1)),
        generation UInt64,
        version UInt64,
        received_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
        fields Map(LowCardinality(String), String) CODEC(ZSTD(1)),
        usage Array(UInt64) CODEC(ZSTD(1)),
        ${unitsColumn},
        cost Nullable(Decimal(38, 12)),
        ignored Array(LowCardinality(String))
      )
      ENGINE = ReplacingMergeTree(version)
      PARTITION BY toYYYYMM(received_at)
      ORDER BY (project, event_id, writer, seq, generation)
      SETTINGS ${durable}, index_granularity = 512`,
    ],
  },
  {
    // Whether a call's answer was not read to its end. Older rows say no; a reread finds it in the stored events.
    id: '0012_aborted',
    statements: ['ALTER TABLE calls ADD COLUMN IF NOT EXISTS aborted Bool'],
  },
  {
    // The control store opens the days that are sealed without these rows.
    id: '0013_run_cells',
    statements: [createRunCells],
  },
  { id: '0014_whole_partitions', statements: mergeWholePartitions },
  // The control store opens the days that are sealed without these columns.
  { id: '0015_coverage', statements: addCoverageColumns },
  { id: '0016_codecs', statements: fewestBytes },
  {
    // What decides the calls of ids with many events (docs/decisions/0033). Read by id, like `event_ids`.
    id: '0017_condensed_ids',
    statements: [createCondensedIds],
  },
  { id: '0018_report_keys', statements: [createReportKeys] },
  { id: '0019_alike', statements: [addAlike] },
];
