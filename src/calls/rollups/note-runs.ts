import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import { type Day, toDayNumber } from '../../lib/days.ts';

/** A day and a customer of a run, as a call that is about to be written has them. */
export interface RunSighting {
  readonly run: string;
  readonly day: Day;
  readonly customer: string;
}

/** The runs of a batch, of one project and the generation that its days have. */
export interface SightedRuns {
  readonly projectId: string;
  readonly baseGeneration: number;
  readonly sightings: readonly RunSighting[];
}

/**
 * Finds the runs that these sightings give a second day or customer, and notes them as crossing, before their calls are
 * written. Gives the days that such runs had until now: their seals no longer count, as they know nothing of it.
 */
export async function noteCrossings(store: AnalyticStore, runs: SightedRuns): Promise<Day[]> {
  const incoming = selectSightings(runs);
  const found = await store.select<{ hash: string; known_day: Day | null }>(
    `SELECT hex(run_hash) AS hash, if(known_days = 0, NULL, known_first_day) AS known_day
      FROM (${incoming.sql}) AS incoming
      LEFT ANY JOIN (
        SELECT run_hash, 1 AS known_days, min(first_day) AS known_first_day, max(last_day) AS known_last_day,
          min(first_customer) AS known_first_customer, max(last_customer) AS known_last_customer
        FROM runs
        WHERE project = {project:String} AND base_generation = {base_generation:UInt64}
          AND run_hash IN (SELECT run_hash FROM (${incoming.sql}))
        GROUP BY run_hash
      ) AS known USING run_hash
      WHERE if(known_days = 0,
        first_day != last_day OR first_customer != last_customer,
        known_first_day = known_last_day AND known_first_customer = known_last_customer
          AND (first_day != known_first_day OR last_day != known_first_day
            OR first_customer != known_first_customer OR last_customer != known_first_customer))`,
    incoming.parameters,
  );
  if (found.length === 0) return [];
  await store.command(
    `INSERT INTO crossing_runs
      SELECT {project:String}, {base_generation:UInt64}, toFixedString(unhex(arrayJoin({hashes:Array(String)})), 16)`,
    {
      project: runs.projectId,
      base_generation: runs.baseGeneration,
      hashes: found.map(({ hash }) => hash),
    },
  );
  return [...new Set(found.flatMap(({ known_day: day }) => (day === null ? [] : [day])))];
}

/** Notes the days and customers of runs, once what they cross is noted. It can be repeated. */
export async function noteRuns(store: AnalyticStore, runs: SightedRuns): Promise<void> {
  const incoming = selectSightings(runs);
  await store.command(
    `INSERT INTO runs SELECT {project:String}, {base_generation:UInt64}, run_hash, first_day, last_day, first_customer, last_customer
      FROM (${incoming.sql})`,
    incoming.parameters,
  );
}

function selectSightings({ projectId, baseGeneration, sightings }: SightedRuns): Clause {
  return {
    sql: `SELECT sipHash128(sighting.1) AS run_hash, toDate(min(sighting.2)) AS first_day, toDate(max(sighting.2)) AS last_day,
        min(sipHash128(sighting.3)) AS first_customer, max(sipHash128(sighting.3)) AS last_customer
      FROM (
        SELECT arrayJoin(arrayZip({sighted_runs:Array(String)}, {sighted_days:Array(UInt16)}, {sighted_customers:Array(String)})) AS sighting
      )
      GROUP BY run_hash`,
    parameters: {
      project: projectId,
      base_generation: baseGeneration,
      sighted_runs: sightings.map(({ run }) => run),
      sighted_days: sightings.map(({ day }) => toDayNumber(day)),
      sighted_customers: sightings.map(({ customer }) => customer),
    },
  };
}
