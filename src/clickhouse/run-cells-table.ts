import { durable } from './table-columns.ts';

/**
 * The feature runs of sealed days, each with the costs of its calls. Questions about runs that no grain answers read
 * these rows instead of grouping calls (docs/decisions/0023). `crossing_run` is empty in rows of runs that do not
 * cross. The arrays have the codec that decompresses fastest.
 */
export const createRunCells = `CREATE TABLE IF NOT EXISTS run_cells (
        project LowCardinality(String),
        day Date,
        seal UInt64 CODEC(ZSTD(1)),
        customer LowCardinality(String),
        feature LowCardinality(String),
        crossing_run FixedString(16) CODEC(ZSTD(1)),
        providers Array(LowCardinality(String)),
        models Array(LowCardinality(String)),
        costs Array(Decimal(38, 12))
      )
      ENGINE = MergeTree
      PARTITION BY toYYYYMM(day)
      ORDER BY (project, day, seal, customer, feature)
      SETTINGS ${durable}`;
