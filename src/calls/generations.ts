import type { ControlQueries } from '../control/control-store.ts';
import type { Day } from '../lib/days.ts';

/**
 * Which rows of `calls` are in force: the timezone that a project's days are in, and the generation of each day.
 * All of it changes in one transaction, so it is read in one statement.
 */
export interface Generations {
  readonly timezone: string;
  /** The generation of every day that is not in `byDay`. */
  readonly base: number;
  readonly byDay: ReadonlyMap<Day, number>;
}

export const generationOf = ({ base, byDay }: Generations, day: Day): number => byDay.get(day) ?? base;

/** Reads what is in force. An answer reads it once and uses it for all its statements. */
export async function readGenerations(control: ControlQueries, projectId: string): Promise<Generations> {
  const rows = await control
    .selectFrom('projects')
    .leftJoin('days', 'days.project_id', 'projects.id')
    .select(['projects.timezone', 'projects.base_generation', 'days.day', 'days.generation'])
    .where('projects.id', '=', projectId)
    .execute();
  const first = rows[0];
  if (!first) throw new Error(`There is no project ${projectId}`);
  return {
    timezone: first.timezone,
    base: first.base_generation,
    byDay: new Map(
      rows.flatMap(({ day, generation }) => (day === null || generation === null ? [] : [[day, generation] as const])),
    ),
  };
}
