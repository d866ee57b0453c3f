import { namedDimensions } from '../../../lib/dimensions.ts';
import { columnsOf, durable, manyNames, oftenWritten, readByKey, units } from './columns.ts';

/**
 * The log, and what is found in it by the id of an event. Codecs are, of those that are written and read as fast, the ones
 * that take the fewest bytes. T64 is for numbers in no order: it saves the bits above their range.
 */
export const eventTables: readonly string[] = [
  // The log: everything else is derived from it and can be made again. By `ignored_length`, coverage skips events whose
  // fields were all used.
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
    tags Map(LowCardinality(String), String) CODEC(ZSTD(3)),
    fields Map(LowCardinality(String), String) CODEC(ZSTD(3)),
    ${columnsOf(namedDimensions, manyNames)},
    usage Array(UInt64) CODEC(ZSTD(3)),
    ${units},
    cost Nullable(Decimal(38, 12)),
    ignored Array(LowCardinality(String)),
    text String CODEC(ZSTD(1)),
    INDEX received_at_range received_at TYPE minmax GRANULARITY 1,
    INDEX ignored_length length(ignored) TYPE minmax GRANULARITY 1
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(received_at)
  ORDER BY (project, received_at, writer, seq)
  SETTINGS ${oftenWritten}, non_replicated_deduplication_window = 1000`,

  // When the first and last event of an id were received, which tells a merge how far back to read, and whether its call
  // is open (calls/merging/open-state.ts).
  `CREATE TABLE IF NOT EXISTS event_ids (
    project LowCardinality(String),
    event_id UUID,
    first_received_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')) CODEC(T64, ZSTD(1)),
    last_received_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(T64, ZSTD(1)),
    open_state SimpleAggregateFunction(max, UInt32) CODEC(ZSTD(1))
  )
  ENGINE = AggregatingMergeTree
  ORDER BY (project, event_id)
  SETTINGS ${oftenWritten}, ${readByKey}`,

  // What decides the calls of ids with many events (docs/decisions/0033).
  `CREATE TABLE IF NOT EXISTS condensed_ids (
    project LowCardinality(String),
    event_id UUID,
    version UInt64,
    last_received_at DateTime64(3, 'UTC'),
    events UInt64,
    has_cut_tags Bool,
    state String CODEC(ZSTD(1))
  )
  ENGINE = ReplacingMergeTree(version)
  ORDER BY (project, event_id)
  SETTINGS ${durable}, ${readByKey}`,

  // What rereads have read differently in the texts of events (docs/decisions/0019).
  `CREATE TABLE IF NOT EXISTS event_contents (
    project LowCardinality(String),
    event_id UUID,
    writer LowCardinality(String),
    seq UInt64 CODEC(T64, ZSTD(1)),
    generation UInt64,
    version UInt64,
    received_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    fields Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    usage Array(UInt64) CODEC(ZSTD(1)),
    ${units},
    cost Nullable(Decimal(38, 12)),
    ignored Array(LowCardinality(String))
  )
  ENGINE = ReplacingMergeTree(version)
  PARTITION BY toYYYYMM(received_at)
  ORDER BY (project, event_id, writer, seq, generation)
  SETTINGS ${durable}, ${readByKey}`,

  // What reports of one request share (docs/decisions/0039). Read by key, in the hours around a report.
  `CREATE TABLE IF NOT EXISTS report_keys (
    project LowCardinality(String),
    kind LowCardinality(String),
    hour UInt32 CODEC(T64, ZSTD(1)),
    key UUID,
    scope LowCardinality(String),
    event_id UUID,
    started_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    ended_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1))
  )
  ENGINE = ReplacingMergeTree
  ORDER BY (project, kind, hour, key, event_id)
  SETTINGS ${oftenWritten}, ${readByKey}`,

  // The ids of an erasure that is under way.
  `CREATE TABLE IF NOT EXISTS erased_ids (
    project LowCardinality(String),
    erasure String,
    event_id UUID
  )
  ENGINE = MergeTree
  ORDER BY (project, erasure, event_id)
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
];
