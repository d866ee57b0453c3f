import type { ControlQueries } from '../control/control-store.ts';
import { toDayNumber } from '../lib/days.ts';
import type { FrozenDays } from './kept-tables.ts';

/** The day before which the days of a project are frozen, as the control store and backups have it. */
export const frozenBeforeOf = (project: object): string | undefined => {
  const before: unknown = Reflect.get(project, 'frozen_before');
  return typeof before === 'string' ? before : undefined;
};

/** The days whose events and calls are gone or may go: their rollups are all that is left of them. */
export async function readFrozenDays(control: ControlQueries): Promise<FrozenDays> {
  const projects = await control.selectFrom('projects').selectAll().where('purged_at', 'is', null).execute();
  const frozen = projects.flatMap((project) => {
    const before = frozenBeforeOf(project);
    return before === undefined ? [] : [{ id: project.id, before }];
  });
  const seals: [number, number][] = [];
  for (const { id, before } of frozen) {
    const days = await control
      .selectFrom('days')
      .select(['day', 'seal'])
      .where('project_id', '=', id)
      .where('day', '<', before)
      .where('seal', '>', 0)
      .execute();
    seals.push(...days.map(({ day, seal }): [number, number] => [toDayNumber(day), seal]));
  }
  return { projects: frozen.map(({ id }) => id), seals };
}
