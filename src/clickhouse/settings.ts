/*
 * The settings that statements are sent with: the one place where an embedded engine, a server and a cluster differ. What
 * the embedded engine is started with, limits of memory above all, is in `embedded/server/settings.ts`; a server has its own.
 */

/** What every statement needs, wherever it runs. */
const everywhere = {
  async_insert: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  date_time_input_format: 'best_effort',
  // A call's key holds its day, so no key is in two partitions.
  do_not_merge_across_partitions_select_final: 1,
  // Hardly a statement can be answered by the bounds of parts alone, and looking whether one can takes 0.4 ms of each.
  optimize_use_implicit_projections: 0,
  // Formatting on several threads costs a large answer a twentieth more.
  output_format_parallel_formatting: 0,
  // Deletions go on in the background, also after a restart: nothing waits for them. A server's default may be another.
  mutations_sync: '0',
  // An answer with an error in it must not look whole.
  wait_end_of_query: 0,
} as const;

/**
 * What a cluster needs beside that, so that a statement over Distributed tables and replicas means what it means on one
 * server: an INSERT is answered when most replicas have it, a SELECT sees every INSERT answered before it, a subquery sees
 * all shards, and what can't be had whole is an error.
 */
const onCluster = {
  insert_quorum: 'auto',
  // With parallel quorum inserts, sequential reads would not hold.
  insert_quorum_parallel: 0,
  insert_quorum_timeout: 30_000,
  select_sequential_consistency: 1,
  insert_deduplicate: 1,
  distributed_foreground_insert: 1,
  distributed_product_mode: 'global',
  // Each shard by itself would group what belongs together.
  parallel_distributed_insert_select: '0',
  skip_unavailable_shards: 0,
  fallback_to_stale_replicas_for_distributed_queries: 0,
  distributed_ddl_output_mode: 'throw',
  distributed_ddl_task_timeout: 120,
  // Deletions name what they delete by ids noted before; every replica has noted them (`AnalyticStore.command`).
  allow_nondeterministic_mutations: 1,
} as const;

export const settingsFor = (cluster: string | undefined) => (cluster ? { ...everywhere, ...onCluster } : everywhere);

/** The oldest ClickHouse that Farthing runs on, a version with long-term support. */
export const oldestVersion = '25.8';

/** Whether a version, such as 25.8.3.66, is at least the oldest. */
export function isSupportedVersion(version: string): boolean {
  const [year = 0, month = 0] = version.split('.').map(Number);
  const [oldestYear = 0, oldestMonth = 0] = oldestVersion.split('.').map(Number);
  return year > oldestYear || (year === oldestYear && month >= oldestMonth);
}
