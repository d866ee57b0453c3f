import { noGeneration } from '../../calls/generations.ts';
import { toDayNumber } from '../../lib/days.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { FrozenDays } from './kept-tables.ts';

/**
 * The first day of a project whose events and calls are complete; earlier days have only their rollups.
 * A restore treats frozen days that still have all their events as unfrozen, and freezes them again.
 */
export const frozenBeforeOf = (project: object): string | undefined => {
  const before: unknown = Reflect.get(project, 'clearing_before') ?? Reflect.get(project, 'cleared_before');
  return typeof before === 'string' ? before : undefined;
};

/**
 * The days whose events and calls are deleted, so that only their rollups are left. Also the rollups of such days, and
 * the readings, that closes keep in the same tables. The backup needs the runs of all these.
 */
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
  const closed = await control
    .selectFrom('close_days')
    .select(['project_id', 'day', 'generation', 'seal', 'readings'])
    .execute();
  for (const { day, generation, seal, readings } of closed) {
    if (generation === noGeneration) seals.push([toDayNumber(day), seal]);
    if (readings > 0) seals.push([toDayNumber(day), readings]);
  }
  const kept = new Set([...frozen.map(({ id }) => id), ...closed.map(({ project_id }) => project_id)]);
  const distinct = new Map(seals.map(([day, seal]) => [seal, day]));
  return { projects: [...kept], seals: [...distinct].map(([seal, day]) => [day, seal]) };
}
