// Columns that several tables of the analytic store have.
import { bucketNames, usageBuckets } from '../lib/usage-buckets.ts';

/**
 * Settings of every table that answers or watermarks depend on: events that the control store records as assembled must
 * survive a power cut, as the control store does.
 */
export const durable = 'fsync_after_insert = 1, fsync_part_directory = 1';

/** The columns of `calls` that hold token counts, one for each bucket of a call's usage. */
export const usageColumns: readonly string[] = usageBuckets.map((bucket) => `${bucketNames[bucket]}_tokens`);

/** The columns of a cell. Those for costs are read most, and have the codec that decompresses fastest. */
export const cellColumns = [
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

/** The times of a cell's first and last call. */
export const seenColumns = ['first_time', 'last_time']
  .map((column) => `${column} DateTime64(3, 'UTC') CODEC(ZSTD(1))`)
  .join(',\n        ');

/** Counts by unit (lib/units.ts). */
export const unitsColumn = 'units Map(String, Decimal(38, 12)) CODEC(ZSTD(1))';

/**
 * Adds what coverage reads: to the cells by provider and model, to the index of event ids whether the call of an id is
 * open (calls/assembly/open-state.ts), and to events whether they have fields that could not be used.
 */
export const addCoverageColumns: readonly string[] = [
  ...[
    ...['customer', 'feature', 'user'].map((name) => `${name}_attributed_cost Decimal(38, 12) CODEC(ZSTD(1))`),
    ...['unpriced_reasons', 'partly_priced_names'].map((name) => `${name} Map(String, UInt64) CODEC(ZSTD(1))`),
  ].map((column) => `ALTER TABLE narrow_cells ADD COLUMN IF NOT EXISTS ${column}`),
  'ALTER TABLE event_ids ADD COLUMN IF NOT EXISTS open_state SimpleAggregateFunction(max, UInt32) CODEC(ZSTD(1))',
  // By it, coverage skips events whose fields were all used.
  'ALTER TABLE events ADD INDEX IF NOT EXISTS ignored_length length(ignored) TYPE minmax GRANULARITY 1',
];
