import { durable } from './table-columns.ts';

/** What decides the calls of ids with many events (docs/decisions/0033). Small granules, because it is read by id. */
export const createCondensedIds = `CREATE TABLE IF NOT EXISTS condensed_ids (
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
      SETTINGS ${durable}, index_granularity = 512`;
