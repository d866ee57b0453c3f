// Codecs that migrations have set. Parts from before a migration keep theirs until they are merged.
import { usageColumns } from './table-columns.ts';

/**
 * Rows are in the order of event ids, which are random, so consecutive times are unrelated. T64 saves the bits above
 * their range: 6 bytes per call less than with differences, or with no codec.
 */
export const timesByRange: readonly string[] = [
  "ALTER TABLE event_ids MODIFY COLUMN first_received_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')) CODEC(T64, ZSTD(1))",
  "ALTER TABLE event_ids MODIFY COLUMN last_received_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(T64, ZSTD(1))",
  "ALTER TABLE calls MODIFY COLUMN time DateTime64(3, 'UTC') CODEC(T64, ZSTD(1))",
  "ALTER TABLE calls MODIFY COLUMN first_received_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1))",
];

/** Of the codecs that are written and read as fast, those that take the fewest bytes (docs/decisions/0031). */
export const fewestBytes: readonly string[] = [
  setCodecs('events', {
    'ZSTD(3)': ['tags', 'fields', 'customer', 'user', 'usage'],
  }),
  setCodecs('calls', {
    'ZSTD(3)': ['customer', 'user'],
    'ZSTD(1)': ['elapsed_ms'],
    'GCD, ZSTD(1)': ['cost'],
    'T64, ZSTD(1)': usageColumns,
  }),
];

/** One statement for a table, because each costs a start some milliseconds. */
function setCodecs(table: string, columnsByCodec: Readonly<Record<string, readonly string[]>>): string {
  const changes = Object.entries(columnsByCodec).flatMap(([codec, columns]) =>
    columns.map((column) => `MODIFY COLUMN ${column} CODEC(${codec})`),
  );
  return `ALTER TABLE ${table} ${changes.join(', ')}`;
}
