import type { AnalyticStore } from '../src/storage/analytic/analytic-store.ts';

/** The table that `withNarrowColumns` makes. */
export const narrowCalls = 'bench_narrow_calls';

/**
 * Makes a table of a project's calls with only what wide questions read, as narrow as it gets: a number for the run and a cost in
 * 64 bits. It is the second floor of these questions: what reading fewer bytes alone would gain. Drops it afterwards.
 */
export async function withNarrowColumns(
  store: AnalyticStore,
  project: string,
  measure: () => Promise<void>,
): Promise<void> {
  await store.command(`DROP TABLE IF EXISTS ${narrowCalls}`);
  await store.command(`CREATE TABLE ${narrowCalls} (
      day Date, run UInt64, feature LowCardinality(String), provider LowCardinality(String), model LowCardinality(String),
      cost Decimal(18, 12)
    ) ENGINE = MergeTree ORDER BY day`);
  try {
    await store.command(
      `INSERT INTO ${narrowCalls} SELECT day, sipHash64(run), feature, provider, model, cost FROM calls
        WHERE project = {project:String} AND generation = 0 SETTINGS max_execution_time = 600`,
      { project },
    );
    await store.command(`OPTIMIZE TABLE ${narrowCalls} FINAL`);
    await measure();
  } finally {
    await store.command(`DROP TABLE ${narrowCalls}`);
  }
}
