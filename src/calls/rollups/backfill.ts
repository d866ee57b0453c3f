import { type AnalyticStore, backfillNotes } from '../../clickhouse/analytic-store.ts';
import type { ControlStore } from '../../control/control-store.ts';
import type { Day } from '../../lib/days.ts';
import { readGenerations } from '../generations.ts';
import { inForce } from '../in-force.ts';
import { touchDays } from './days.ts';

/**
 * Records the days and runs of calls written before rollups existed, because answers read only recorded days. Runs
 * once, at start; an interrupted run starts over. Returns the number of projects with such calls.
 */
export async function backfillDays(store: AnalyticStore, control: ControlStore, now: number): Promise<number> {
  const [done] = await store.select('SELECT 1 FROM migrations WHERE id = {id:String}', { id: backfillNotes.days });
  if (done) return 0;
  const found = await store.select<{ project: string }>('SELECT DISTINCT toString(project) AS project FROM calls');
  const projects = await control.selectFrom('projects').select('id').where('deleted_at', 'is', null).execute();
  const known = new Set(projects.map(({ id }) => id));
  const old = found.filter(({ project }) => known.has(project));
  for (const { project } of old) await backfill(store, control, project, now);
  await store.noteMigration(backfillNotes.days);
  return old.length;
}

async function backfill(store: AnalyticStore, control: ControlStore, project: string, now: number): Promise<void> {
  const generations = await readGenerations(control, project);
  const current = inForce(generations);
  const parameters = { ...current.parameters, project, base: generations.base };
  const runs = `SELECT sipHash128(run) AS run_hash, min(day) AS first_day, max(day) AS last_day,
      min(customer) AS first_customer, max(customer) AS last_customer
    FROM calls FINAL WHERE project = {project:String} AND ${current.sql} GROUP BY run_hash`;
  const days = await store.select<{ day: Day }>(
    `SELECT DISTINCT day FROM calls WHERE project = {project:String} AND ${current.sql}`,
    parameters,
    30_000,
  );
  await touchDays(
    control,
    days.map(({ day }) => ({ projectId: project, day })),
    now,
  );
  await store.command(
    `INSERT INTO crossing_runs (project, base_generation, run_hash) SELECT {project:String}, {base:UInt64}, run_hash FROM (${runs})
      WHERE first_day != last_day OR first_customer != last_customer`,
    parameters,
  );
  await store.command(
    `INSERT INTO runs (project, base_generation, run_hash, first_day, last_day, first_customer, last_customer)
      SELECT {project:String}, {base:UInt64}, run_hash, first_day, last_day, first_customer, last_customer
      FROM (${runs})`,
    parameters,
  );
}
