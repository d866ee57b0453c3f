import type { EngineLimits } from './messages.ts';

/** The longest statement, parameters included: the engine's parser sees a parameter as part of a SET statement. */
export const MAX_STATEMENT_BYTES = 128 * 1024 * 1024;

/** Settings of every connection. A request can override them for its query. */
function querySettings(limits: EngineLimits): Record<string, string> {
  return {
    // Synchronous: an INSERT is answered when it is stored, and its deduplication token is checked.
    async_insert: '0',
    max_threads: String(limits.queryThreads),
    // By default a statement has one thread where less than a gibibyte is free for each.
    max_threads_min_free_memory_per_thread: '0',
    max_execution_time: String(limits.querySeconds),
    max_memory_usage: String(limits.queryMemoryBytes),
    max_bytes_before_external_group_by: String(Math.floor(limits.queryMemoryBytes / 2)),
    max_query_size: String(MAX_STATEMENT_BYTES * 2),
    output_format_json_quote_64bit_integers: '1',
    output_format_json_quote_decimals: '1',
    date_time_input_format: 'best_effort',
    // Compiled expressions read 10,000,000 calls no faster, and compiling takes a third of the time to roll up a small
    // day.
    compile_expressions: '0',
    compile_aggregate_expressions: '0',
    compile_sort_description: '0',
  };
}

/** Settings of the engine itself, which apply when the first connection opens. */
function serverSettings(limits: EngineLimits): Record<string, string> {
  return {
    max_server_memory_usage: String(limits.serverMemoryBytes),
    mark_cache_size: '268435456',
    uncompressed_cache_size: '0',
    background_pool_size: '2',
  };
}

export function connectionArguments(limits: EngineLimits): string[] {
  const settings = { ...querySettings(limits), ...serverSettings(limits) };
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
}

/** Reads the settings back, because the engine silently ignores unknown arguments. Returns what differs. */
export function findUnappliedSettings(limits: EngineLimits, read: (sql: string) => string): string[] {
  return [
    ...differences('system.settings', querySettings(limits), read),
    ...differences('system.server_settings', serverSettings(limits), read),
  ];
}

function differences(table: string, wanted: Record<string, string>, read: (sql: string) => string): string[] {
  const actual = new Map(
    read(`SELECT name, value FROM ${table}`)
      .split('\n')
      .map((line) => {
        const [name = '', value = ''] = line.split('\t');
        return [name, value] as const;
      }),
  );
  return Object.entries(wanted)
    .filter(([name, value]) => actual.get(name) !== value)
    .map(([name, value]) => `${name} is ${actual.get(name) ?? 'unknown'} and not ${value}`);
}
