import type { ControlQueries } from '../control/control-store.ts';
import type { Day } from '../lib/days.ts';

/** The generations of a project's days that differ from 0, the generation of every other day. */
export type Generations = ReadonlyMap<Day, number>;

/** Reads which generation of each day is in force. An answer reads it once and uses it for all its statements. */
export async function readGenerations(control: ControlQueries, projectId: string): Promise<Generations> {
  const rows = await control
    .selectFrom('days')
    .select(['day', 'generation'])
    .where('project_id', '=', projectId)
    .execute();
  return new Map(rows.map(({ day, generation }) => [day, generation]));
}
