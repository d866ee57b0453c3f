import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import { type Day, toDayNumber } from '../../lib/days.ts';
import type { ProjectDay } from './days.ts';

/** A day and a customer of a run, as a call that is about to be written has them. */
export interface RunSighting {
  readonly projectId: string;
  /** The generation that the days of the project have. */
  readonly baseGeneration: number;
  readonly run: string;
  readonly day: Day;
  readonly customer: string;
}

/**
 * Finds the runs that these sightings give a second day or customer, and notes them as crossing, before their calls are
 * written. Gives the days that such runs had until now: their seals no longer count, as they know nothing of it.
 */
export async function noteCrossings(store: AnalyticStore, sightings: readonly RunSighting[]): Promise<ProjectDay[]> {
  if (sightings.length === 0) return [];
  const incoming = selectSightings(sightings);
  const found = await store.select<{ project: string; base: string; hash: string; known_day: Day | null }>(
    `SELECT project, base_generation AS base, hex(run_hash) AS hash, if(is_known = 0, NULL, known_first_day) AS known_day
      FROM (${incoming.sql}) AS incoming
      LEFT ANY JOIN (
        SELECT project, base_generation, run_hash, 1 AS is_known, min(first_day) AS known_first_day,
          max(last_day) AS known_last_day, min(first_customer) AS known_first_customer,
          max(last_customer) AS known_last_customer
        FROM runs
        WHERE (project, base_generation, run_hash) IN (SELECT project, base_generation, run_hash FROM (${incoming.sql}))
        GROUP BY project, base_generation, run_hash
      ) AS known USING (project, base_generation, run_hash)
      WHERE if(is_known = 0,
        first_day != last_day OR first_customer != last_customer,
        known_first_day = known_last_day AND known_first_customer = known_last_customer
          AND (first_day != known_first_day OR last_day != known_first_day
            OR first_customer != known_first_customer OR last_customer != known_first_customer))`,
    incoming.parameters,
  );
  if (found.length === 0) return [];
  await store.command(
    `INSERT INTO crossing_runs SELECT crossing.1, crossing.2, toFixedString(unhex(crossing.3), 16)
      FROM (
        SELECT arrayJoin(arrayZip({projects:Array(String)}, {bases:Array(UInt64)}, {hashes:Array(String)})) AS crossing
      )`,
    {
      projects: found.map(({ project }) => project),
      bases: found.map(({ base }) => Number(base)),
      hashes: found.map(({ hash }) => hash),
    },
  );
  return found.flatMap(({ project, known_day: day }) => (day === null ? [] : [{ projectId: project, day }]));
}

/** Notes the days and customers of runs, once what they cross is noted. It can be repeated. */
export async function noteRuns(store: AnalyticStore, sightings: readonly RunSighting[]): Promise<void> {
  if (sightings.length === 0) return;
  const incoming = selectSightings(sightings);
  await store.command(
    `INSERT INTO runs SELECT project, base_generation, run_hash, first_day, last_day, first_customer, last_customer
      FROM (${incoming.sql})`,
    incoming.parameters,
  );
}

function selectSightings(sightings: readonly RunSighting[]): Clause {
  return {
    sql: `SELECT sighting.1 AS project, sighting.2 AS base_generation, sipHash128(sighting.3) AS run_hash,
        toDate(min(sighting.4)) AS first_day, toDate(max(sighting.4)) AS last_day,
        min(sipHash128(sighting.5)) AS first_customer, max(sipHash128(sighting.5)) AS last_customer
      FROM (
        SELECT arrayJoin(arrayZip({sighted_projects:Array(String)}, {sighted_bases:Array(UInt64)},
          {sighted_runs:Array(String)}, {sighted_days:Array(UInt16)}, {sighted_customers:Array(String)})) AS sighting
      )
      GROUP BY project, base_generation, run_hash`,
    parameters: {
      sighted_projects: sightings.map(({ projectId }) => projectId),
      sighted_bases: sightings.map(({ baseGeneration }) => baseGeneration),
      sighted_runs: sightings.map(({ run }) => run),
      sighted_days: sightings.map(({ day }) => toDayNumber(day)),
      sighted_customers: sightings.map(({ customer }) => customer),
    },
  };
}
