import { sql } from 'kysely';
import type { ControlQueries, ControlStore } from '../../control/control-store.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { type Day, dayOf } from '../../lib/days.ts';
import { isFrozen } from '../generations.ts';

/** A day of a project. */
export interface ProjectDay {
  readonly projectId: string;
  readonly day: Day;
}

/** Rows a statement: SQLite takes at most 32,766 values. */
const chunkRows = 4_000;

/**
 * Says that the calls of some days are about to change: from now on answers read these days from the calls, until they are
 * sealed anew. It must be committed before the calls are written. Frozen days stay as they are: the project's row is locked,
 * so that none becomes frozen meanwhile.
 */
export async function touchDays(control: ControlQueries, days: readonly ProjectDay[], now: number): Promise<void> {
  // In one order, so that two that lock several projects never wait for each other.
  const byProject = [...Map.groupBy(days, (day) => day.projectId)].sort(([a], [b]) => compareCodePoints(a, b));
  for (const [projectId, ofProject] of byProject) {
    const project = await control
      .updateTable('projects')
      .set((row) => ({ id: row.ref('id') }))
      .where('id', '=', projectId)
      .returning(['base_generation', 'frozen_before'])
      .executeTakeFirst();
    if (!project) continue;
    const frozenBefore = project.frozen_before ?? undefined;
    const kept = ofProject.filter(({ day }) => !isFrozen({ frozenBefore }, day));
    const rows = kept.map(({ day }) => ({
      project_id: projectId,
      day,
      generation: project.base_generation,
      touched: 1,
      touched_at: now,
      sealed: 0,
      seal: 0,
    }));
    for (let at = 0; at < rows.length; at += chunkRows) {
      await control
        .insertInto('days')
        .values(rows.slice(at, at + chunkRows))
        .onConflict((conflict) =>
          conflict
            .columns(['project_id', 'day'])
            .doUpdateSet((row) => ({ touched: row('days.touched', '+', 1), touched_at: now })),
        )
        .execute();
    }
  }
}

/** Says it of every day of a project that is not frozen. */
export async function touchAllDays(control: ControlQueries, projectId: string, now: number): Promise<void> {
  await control
    .updateTable('days')
    .set((row) => ({ touched: row('touched', '+', 1), touched_at: now }))
    .where('project_id', '=', projectId)
    .where('day', '>=', (query) =>
      query
        .selectFrom('projects')
        .select((row) => row.fn.coalesce('frozen_before', sql.lit('')).as('frozen_before'))
        .where('id', '=', projectId),
    )
    .execute();
}

/**
 * Says it of the days of all projects that begin so, and whether some of them are frozen: these stay as they are, for nothing
 * else is kept of them.
 */
export async function touchDaysOf(
  control: ControlQueries,
  prefix: string,
  now: number,
): Promise<{ readonly touched: number; readonly isFrozen: boolean }> {
  const projects = await control
    .selectFrom('projects')
    .select(['id', 'frozen_before'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  let touched = 0;
  let isFrozen = false;
  for (const { id, frozen_before: frozenBefore } of projects) {
    const { numUpdatedRows } = await control
      .updateTable('days')
      .set((row) => ({ touched: row('touched', '+', 1), touched_at: now }))
      .where('project_id', '=', id)
      .where('day', 'like', `${prefix}%`)
      .where('day', '>=', frozenBefore ?? '')
      .executeTakeFirst();
    touched += Number(numUpdatedRows);
    if (frozenBefore === null) continue;
    const frozen = await control
      .selectFrom('days')
      .select('day')
      .where('project_id', '=', id)
      .where('day', 'like', `${prefix}%`)
      .where('day', '<', frozenBefore)
      .limit(1)
      .executeTakeFirst();
    isFrozen ||= frozen !== undefined;
  }
  return { touched, isFrozen };
}

/** A day that is to be sealed, with what had touched it when it was read. */
export interface UnsealedDay extends ProjectDay {
  readonly touched: number;
}

/**
 * Days of one project that are over and that nothing has touched since `quietSince`, in their order. Projects that keep
 * events for so many days only come first.
 */
export async function readUnsealedDays(
  control: ControlStore,
  { quietSince, now, most }: { readonly quietSince: number; readonly now: number; readonly most: number },
): Promise<UnsealedDay[]> {
  const rows = await control
    .selectFrom('days')
    .innerJoin('projects', 'projects.id', 'days.project_id')
    .select(['days.project_id', 'days.day', 'days.touched', 'projects.timezone'])
    .whereRef('days.sealed', '!=', 'days.touched')
    .where('days.touched_at', '<=', quietSince)
    .where('projects.deleted_at', 'is', null)
    // The engine deletes an erased customer's calls in the background.
    .where((day) =>
      day.not(
        day.exists(
          day
            .selectFrom('erasures')
            .select('erasures.id')
            .whereRef('erasures.project_id', '=', 'days.project_id')
            .where('erasures.finished_at', 'is', null),
        ),
      ),
    )
    // Retention waits for seals: what is to be deleted should not stay because of other projects' backlog.
    .orderBy((row) => row.case().when('projects.retention_days', 'is', null).then(1).else(0).end())
    .orderBy('days.day')
    .orderBy('days.project_id')
    .limit(most)
    .execute();
  const over = rows.filter(({ day, timezone }) => day < dayOf(timezone, now));
  return over
    .filter((row) => row.project_id === over[0]?.project_id)
    .map((row) => ({ projectId: row.project_id, day: row.day, touched: row.touched }));
}

/** Makes the rollup of a day count, if nothing has touched the day since it was read. */
export async function noteSealed(
  control: ControlQueries,
  { projectId, day, touched }: UnsealedDay,
  seal: number,
): Promise<void> {
  await control
    .updateTable('days')
    .set({ sealed: touched, seal })
    .where('project_id', '=', projectId)
    .where('day', '=', day)
    .where('touched', '=', touched)
    .execute();
}
