import type { Day } from '../lib/days.ts';
import type { AnalyticStore } from '../storage/analytic/analytic-store.ts';
import { column, text, uint64 } from '../storage/analytic/native-block.ts';
import type { ProjectDay } from './days.ts';

/** The run, day and customer of a call that is about to be written. */
export interface RunSighting {
  readonly projectId: string;
  /** The base generation of the project's days. */
  readonly baseGeneration: number;
  /** Whether answers read the calls of that generation now. */
  readonly isInForce: boolean;
  readonly run: string;
  readonly day: Day;
  readonly customer: string;
}

type CrossingRun = Pick<RunSighting, 'projectId' | 'baseGeneration' | 'run'>;

const crossingColumns = [
  column('project', text, ({ projectId }: CrossingRun) => projectId),
  column('base_generation', uint64, ({ baseGeneration }: CrossingRun) => baseGeneration),
  column('run', text, ({ run }: CrossingRun) => run),
];

const runColumns = [
  ...crossingColumns,
  column('first_day', text, ({ day }: RunSighting) => day),
  column('last_day', text, ({ day }: RunSighting) => day),
  column('first_customer', text, ({ customer }: RunSighting) => customer),
  column('last_customer', text, ({ customer }: RunSighting) => customer),
];

/** How many projects to look up at once. */
const atOnce = 4;

/**
 * Records runs that get a second day or customer as crossing, before their calls are written. Returns the days in force
 * that these had: their seals lack the crossing runs.
 */
export async function noteCrossings(store: AnalyticStore, sightings: readonly RunSighting[]): Promise<ProjectDay[]> {
  const crossed: ProjectDay[] = [];
  const crossing: CrossingRun[] = [];
  const projects = Map.groupBy(sightings, keyOfProject).values();
  // Each worker takes the next project. It mostly waits for its statement, so several work at once.
  const note = async () => {
    for (const ofProject of projects) {
      const [first] = ofProject;
      if (!first) continue;
      const { projectId, baseGeneration, isInForce } = first;
      const byRun = Map.groupBy(ofProject, ({ run }) => run);
      const known = await readKnown(store, first, [...byRun.keys()]);
      for (const [run, seen] of byRun) {
        const before = known.get(run);
        const isSingle = seen.every(({ day, customer }) => isSame({ day, customer }, before ?? seen[0]));
        // A run with several places was recorded as crossing when it got the second one.
        if (isSingle || before === 'several') continue;
        crossing.push({ projectId, baseGeneration, run });
        if (before && isInForce) crossed.push({ projectId, day: before.day });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, note));
  if (crossing.length > 0) await store.insertRows('crossing_runs', crossingColumns, crossing);
  return crossed;
}

/** Records the days and customers of runs, after `noteCrossings`. Can be repeated. */
export async function noteRuns(store: AnalyticStore, sightings: readonly RunSighting[]): Promise<void> {
  if (sightings.length === 0) return;
  await store.insertRows('runs', runColumns, sightings);
}

interface Place {
  readonly day: Day;
  readonly customer: string;
}

const keyOfProject = ({ projectId, baseGeneration }: RunSighting) => `${projectId} ${baseGeneration}`;

const isSame = (place: Place, other: Place | 'several' | undefined): boolean =>
  typeof other === 'object' && place.day === other.day && place.customer === other.customer;

/** The day and customer recorded for each known run, or `several`. */
async function readKnown(
  store: AnalyticStore,
  { projectId: project, baseGeneration }: RunSighting,
  runs: readonly string[],
): Promise<Map<string, Place | 'several'>> {
  // Bound as one JSON text, because thousands of separate texts take the engine ten times as long.
  const names = "SELECT arrayJoin(JSONExtract({runs:String}, 'Array(String)')) AS run";
  const rows = await store.select<{ run: string; first_day: Day; last_day: Day; first: string; last: string }>(
    `SELECT run, first_day, last_day, first_customer AS first, last_customer AS last
      FROM (${names}) AS named
      INNER JOIN (
        SELECT run_hash, min(first_day) AS first_day, max(last_day) AS last_day,
          min(first_customer) AS first_customer, max(last_customer) AS last_customer
        FROM runs
        WHERE project = {project:String} AND base_generation = {base_generation:UInt64}
          AND run_hash IN (SELECT sipHash128(run) FROM (${names}))
        GROUP BY run_hash
      ) AS known ON known.run_hash = sipHash128(named.run)`,
    { project, base_generation: baseGeneration, runs: JSON.stringify(runs) },
  );
  return new Map(
    rows.map(({ run, first_day: day, last_day: lastDay, first: customer, last }) => [
      run,
      day === lastDay && customer === last ? { day, customer } : 'several',
    ]),
  );
}
