import type { ControlQueries } from '../control/control-store.ts';
import { toDayNumber } from '../lib/days.ts';
import type { FrozenDays } from './kept-tables.ts';

/**
 * The day before which events and calls of a project are gone, or partly: of the days before it only rollups are left.
 * Days that are frozen and still have all of their events begin anew, and are frozen again.
 */
export const frozenBeforeOf = (project: object): string | undefined => {
  const before: unknown = Reflect.get(project, 'clearing_before') ?? Reflect.get(project, 'cleared_before');
  return typeof before === 'string' ? before : undefined;
};

/** The days whose events and calls are gone: their rollups are all that is left of them. */
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
