// What several tables of the analytic store have in common.
import { usageColumns } from './usage-columns.ts';

/**
 * Events that the control store records as assembled must survive a power cut, as the control store does. The embedded engine
 * deletes parts as soon as they are merged, so what they became must be on the disk before.
 */
export const durable = 'fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1';

/**
 * Every batch of intake and assembly adds a part to these tables. Merging ten parts of a size instead of five rewrites
 * rows less often: an event takes 59 µs of the engine instead of 77.
 */
export const oftenWritten = `${durable}, merge_selector_base = 10`;

/** Small granules, for tables that are read by id or by name. */
export const readByKey = 'index_granularity = 512';

/** Counts by unit (lib/units.ts). */
export const units = 'units Map(String, Decimal(38, 12)) CODEC(ZSTD(1))';

/** A column for each of these dimensions. Most have so few values that a dictionary is smaller and faster. */
export const columnsOf = <Name extends string>(
  names: readonly Name[],
  others: Readonly<Partial<Record<NoInfer<Name>, string>>>,
): string => names.map((name) => `${name} ${others[name] ?? 'LowCardinality(String)'}`).join(',\n    ');

/** The types of the dimensions that have many values. */
export const manyNames = { customer: 'String CODEC(ZSTD(3))', user: 'String CODEC(ZSTD(3))' } as const;

/** A column of tokens for each bucket of a call's usage. */
export const tokensWith = (codec: string): string =>
  usageColumns.map((column) => `${column} UInt64 CODEC(${codec})`).join(',\n    ');
