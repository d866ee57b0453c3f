import { dimensionNames } from '../../../lib/dimensions.ts';
import { columnsOf, durable, manyNames, oftenWritten, readByKey, tokensWith, units } from './columns.ts';

/** The calls made of events, and the runs that they belong to. Codecs are chosen as those of `events`. */
export const callTables: readonly string[] = [
  // A row with is_deleted = 1 removes a call from a day that it has left (D4.3). Tags do not repeat the text of a column
  // (calls/costing/call-tags.ts). `aborted`: the answer was not read to its end. `alike`: what likeness made of the call.
  // The last four are read by reprices alone (docs/decisions/0047).
  `CREATE TABLE IF NOT EXISTS calls (
    project LowCardinality(String),
    day Date,
    generation UInt64,
    event_id UUID,
    ordinal UInt16,
    version UInt64,
    is_deleted UInt8,
    time DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    first_received_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    ${columnsOf(dimensionNames, manyNames)},
    run String CODEC(ZSTD(1)),
    tags Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    failed Bool,
    elapsed_ms Nullable(Float64) CODEC(ZSTD(1)),
    cost Decimal(38, 12) CODEC(GCD, ZSTD(1)),
    cost_source LowCardinality(String),
    unpriced_reason LowCardinality(String),
    price_book LowCardinality(String),
    ${tokensWith('T64, ZSTD(1)')},
    ${units},
    terms Map(String, String) CODEC(ZSTD(1)),
    partly_priced Array(String) CODEC(ZSTD(1)),
    aborted Bool,
    alike LowCardinality(String),
    priced_as LowCardinality(String),
    requests UInt32 DEFAULT 1,
    cost_elsewhere Nullable(Decimal(38, 12)) CODEC(ZSTD(1)),
    other_usage String CODEC(ZSTD(1))
  )
  ENGINE = ReplacingMergeTree(version, is_deleted)
  PARTITION BY toYYYYMM(day)
  ORDER BY (project, day, generation, event_id, ordinal)
  SETTINGS ${oftenWritten}`,

  // The days and customers of a run: assembly finds here whether it has more than one.
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
  SETTINGS ${oftenWritten}, ${readByKey}`,

  // Runs with more than one day or customer, which the `runs` of cells alone can't sum.
  `CREATE TABLE IF NOT EXISTS crossing_runs (
    project LowCardinality(String),
    base_generation UInt64,
    run String EPHEMERAL,
    run_hash FixedString(16) DEFAULT sipHash128(run)
  )
  ENGINE = ReplacingMergeTree
  ORDER BY (project, base_generation, run_hash)
  SETTINGS ${durable}`,
];
