/*
 * The settings sent with every statement: the only place where the embedded engine, a server and a cluster differ. The
 * embedded engine's settings at start, above all its memory limits, are in `embedded/server/settings.ts`; a server has
 * its own.
 */

/** What every statement needs, wherever it runs. */
const everywhere = {
  async_insert: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  date_time_input_format: 'best_effort',
  // A call's key holds its day, so no key is in two partitions.
  do_not_merge_across_partitions_select_final: 1,
  // Few statements can be answered from the bounds of parts alone, and the check costs every statement 0.4 ms.
  optimize_use_implicit_projections: 0,
  // Formatting on several threads makes a large answer a twentieth slower.
  output_format_parallel_formatting: 0,
  // Deletions run in the background, also after a restart, and nothing waits for them. A server may have another
  // default.
  mutations_sync: '0',
  // This cache has hidden rows from other statements in several supported versions (ClickHouse issues 87091, 104781 and
  // 111897).
  use_query_condition_cache: 0,
  // A question whose asker has left must not go on.
  cancel_http_readonly_queries_on_client_close: 1,
  // An answer that fails midway must not look complete.
  wait_end_of_query: 0,
} as const;

/**
 * Further settings for a cluster, so that a statement means the same on Distributed tables and replicas as on one
 * server: an INSERT is answered when most replicas have it, a SELECT sees every INSERT answered before it, a subquery
 * sees all shards, and an incomplete result is an error.
 */
const onCluster = {
  insert_quorum: 'auto',
  // Sequential reads do not hold with parallel quorum inserts.
  insert_quorum_parallel: 0,
  insert_quorum_timeout: 30_000,
  select_sequential_consistency: 1,
  insert_deduplicate: 1,
  distributed_foreground_insert: 1,
  distributed_product_mode: 'global',
  // Otherwise each shard would group only its own rows.
  parallel_distributed_insert_select: '0',
  skip_unavailable_shards: 0,
  fallback_to_stale_replicas_for_distributed_queries: 0,
  distributed_ddl_output_mode: 'throw',
  distributed_ddl_task_timeout: 120,
  // Deletions select rows by ids stored before, which every replica has by then (`AnalyticStore.command`).
  allow_nondeterministic_mutations: 1,
} as const;

export const settingsFor = (cluster: string | undefined) => (cluster ? { ...everywhere, ...onCluster } : everywhere);

/** The oldest supported ClickHouse, a version with long-term support. */
export const oldestVersion = '25.8';

/** Whether a version, such as 25.8.3.66, is at least the oldest. */
export function isSupportedVersion(version: string): boolean {
  const [year = 0, month = 0] = version.split('.').map(Number);
  const [oldestYear = 0, oldestMonth = 0] = oldestVersion.split('.').map(Number);
  return year > oldestYear || (year === oldestYear && month >= oldestMonth);
}
