import { cellOrder, type Dimension, dimensions, isAsked, namedDimensions } from '../../../lib/dimensions.ts';
import { columnsOf, durable, manyNames, tokensWith, units } from './columns.ts';

/** What distinguishes cells: dimensions, and the value of a tag of the calls with its key. */
export type CellKey = Dimension | 'tag' | 'tag_key';

/** The dimensions of questions about calls, in the order of the keys of cells. */
const asked = cellOrder.filter(isAsked);

/** The tables of cells and their dimensions, in the order of their keys. */
export const cellTables = {
  /** The grains of features, models and providers: few cells a day. */
  narrow_cells: asked.filter((name) => !Object.hasOwn(manyNames, name)),
  /** The grains of customers and users, ordered by day: cells for a page of one day are adjacent. */
  cells: cellOrder,
  /** The grains of customers again, ordered by customer: cells of a few customers over a long range are adjacent. */
  customer_cells: asked,
  /** The grains of the tags that projects name as dimensions, ordered by the key of the tag. */
  tag_cells: ['tag_key', 'tag', 'customer', 'provider', 'model'],
} as const satisfies Readonly<Record<string, readonly CellKey[]>>;

export type CellTable = keyof typeof cellTables;

/** Whether a table's cells have the times of their first and last call. */
export const hasSeen = (table: CellTable): boolean => table === 'narrow_cells' || table === 'cells';

export const cellTableNames = Object.keys(cellTables) as CellTable[];

/** The dimensions of rows of runs, and no more: a run with several of their values, or days, has several rows. */
export const runCellKeys: readonly ['customer', 'feature'] = ['customer', 'feature'];

/** The columns of the other dimensions, with an entry for each call of the row; `tags` has one by key, where `has_tags`. */
export const runCellEntries: ReadonlyMap<CellKey, string> = new Map(
  asked.filter((name) => !runCellKeys.some((key) => key === name)).map((name) => [name, dimensions[name].plural]),
);

/** The dimensions of which narrow cells have the cost of the calls that name one. */
export const attributed = namedDimensions.toSorted();

/** The dimensions of the costs of named runs on frozen days. */
export const pieceDimensions = cellTables.customer_cells;

/** How long nothing is written to a partition before its parts become one, in seconds. */
const restSeconds = 600;

/**
 * Rollups are written once a day and read by every question, which reads each part by itself. So the parts of a
 * partition at rest are merged into one, which the usual choice of merges does not do.
 */
const wholePartitions = `${durable}, min_age_to_force_merge_seconds = ${restSeconds}, min_age_to_force_merge_on_partition_only = 1`;

/** What the keys of all cells begin with. */
const sealedKey = `project LowCardinality(String),
    grain LowCardinality(String),
    day Date,
    seal UInt64`;

/** The times of a cell's first and last call. */
const seen = `first_time DateTime64(3, 'UTC') CODEC(ZSTD(1)),
    last_time DateTime64(3, 'UTC') CODEC(ZSTD(1))`;

/**
 * The sums of a cell. Columns for costs are read most, and have the codec that decompresses fastest. `crossing` has the
 * costs of crossing runs, so that a question reads one table. Times in whole milliseconds are multiples of a million
 * nanoseconds: GCD halves their size.
 */
const sums = `calls UInt64,
    errors UInt64,
    unpriced_calls UInt64,
    cost Decimal(38, 12),
    run_cost Decimal(38, 12),
    runs UInt64,
    max_run_cost Decimal(38, 12),
    elapsed_sum Int128 CODEC(GCD, ZSTD(1)),
    elapsed_max Float64 CODEC(ZSTD(1)),
    ${tokensWith('ZSTD(1)')},
    crossing Array(Tuple(FixedString(16), Decimal(38, 12))) CODEC(ZSTD(1)),
    ${units},
    partly_priced_calls UInt64 CODEC(ZSTD(1))`;

/**
 * Sums of the calls of a sealed day, by grain (rollups/rollups/grains.ts), each grain in the table of the questions that
 * read it. Only rows with the current seal of their day count.
 */
export const rollupTables: readonly string[] = [
  // Few and small rows, so usually in one part: an answer costs the engine one read per part. The last columns are what
  // coverage reads.
  `CREATE TABLE IF NOT EXISTS narrow_cells (
    ${sealedKey},
    ${columnsOf(cellTables.narrow_cells, {})},
    ${seen},
    ${sums},
    ${attributed.map((name) => `${name}_attributed_cost Decimal(38, 12) CODEC(ZSTD(1))`).join(',\n    ')},
    unpriced_reasons Map(String, UInt64) CODEC(ZSTD(1)),
    partly_priced_names Map(String, UInt64) CODEC(ZSTD(1))
  )
  ENGINE = MergeTree
  PARTITION BY toYear(day)
  ORDER BY (project, grain, day, seal, ${cellTables.narrow_cells.join(', ')})
  SETTINGS ${wholePartitions}`,

  `CREATE TABLE IF NOT EXISTS cells (
    ${sealedKey},
    ${columnsOf(cellTables.cells, { user: 'String' })},
    ${seen},
    ${sums}
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(day)
  ORDER BY (project, grain, day, seal, ${cellTables.cells.join(', ')})
  SETTINGS ${wholePartitions}`,

  // Read in many short ranges, which compact parts with small granules make cheap.
  `CREATE TABLE IF NOT EXISTS customer_cells (
    ${sealedKey},
    ${columnsOf(cellTables.customer_cells, { customer: 'String' })},
    ${sums}
  )
  ENGINE = MergeTree
  PARTITION BY toYear(day)
  ORDER BY (project, grain, customer, day, seal, ${asked.filter((name) => name !== 'customer').join(', ')})
  SETTINGS ${wholePartitions}, index_granularity = 512, min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000`,

  // The feature runs of sealed days, each with the costs of its calls. Questions about runs that no grain answers read
  // these rows instead of grouping calls (docs/decisions/0009). `crossing_run` is empty in rows of runs that do not
  // cross. The arrays have the codec that decompresses fastest.
  `CREATE TABLE IF NOT EXISTS run_cells (
    project LowCardinality(String),
    day Date,
    seal UInt64 CODEC(ZSTD(1)),
    ${columnsOf(runCellKeys, {})},
    crossing_run FixedString(16) CODEC(ZSTD(1)),
    ${[...runCellEntries.values()].map((name) => `${name} Array(LowCardinality(String))`).join(',\n    ')},
    costs Array(Decimal(38, 12)),
    tags Map(LowCardinality(String), Array(String)) CODEC(ZSTD(1)),
    has_tags Bool
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(day)
  ORDER BY (project, day, seal, ${runCellKeys.join(', ')})
  SETTINGS ${wholePartitions}`,

  // The costs of every named run on a frozen day, because kept days may still get calls of the run. Read by run.
  `CREATE TABLE IF NOT EXISTS frozen_pieces (
    project LowCardinality(String),
    day Date,
    seal UInt64,
    run_hash FixedString(16),
    ${columnsOf(pieceDimensions, { customer: 'String CODEC(ZSTD(1))' })},
    cost Decimal(38, 12) CODEC(ZSTD(1)),
    tags Map(LowCardinality(String), String) CODEC(ZSTD(1))
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(day)
  ORDER BY (project, run_hash, day, seal)
  SETTINGS ${durable}`,

  // The readings of the custom events of a frozen day, by user. The digits of a sum that a decimal can't hold are in
  // `rest`, in units of 1e-100; of distinct values only hashes are kept.
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

  // The cells of tags that projects name as dimensions (D28.3).
  // A row of the grain `sealed` says that the seal has the cells of a tag (rollups/rollups/write-cells.ts).
  `CREATE TABLE IF NOT EXISTS tag_cells (
    ${sealedKey},
    ${columnsOf(cellTables.tag_cells, { tag: 'String', customer: 'String' })},
    ${sums}
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(day)
  ORDER BY (project, grain, tag_key, day, seal, tag, customer, provider, model)
  SETTINGS ${wholePartitions}`,
];
