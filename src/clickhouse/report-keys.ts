import { durable } from './table-columns.ts';

/** What reports of one request share (docs/decisions/0039). Read by key, in the hours around a report. */
export const createReportKeys = `CREATE TABLE IF NOT EXISTS report_keys (
  project LowCardinality(String),
  kind LowCardinality(String),
  hour UInt32 CODEC(T64, ZSTD(1)),
  key UUID,
  event_id UUID,
  started_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
  ended_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (project, kind, hour, key, event_id)
SETTINGS ${durable}, index_granularity = 512`;

/** What likeness made of a call. Older rows say nothing: a rebuild finds it in the stored events. */
export const addAlike = 'ALTER TABLE calls ADD COLUMN IF NOT EXISTS alike LowCardinality(String)';
