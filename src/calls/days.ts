import { sql } from 'kysely';
import { chunksOf } from '../lib/chunks.ts';
import { compareCodePoints } from '../lib/code-points.ts';
import { type Day, dayOf } from '../lib/days.ts';
import { type ControlQueries, type ControlStore, changeRows } from '../storage/control/control-store.ts';
import { isFrozen } from './generations.ts';

export interface ProjectDay {
  readonly projectId: string;
  readonly day: Day;
}

/** Rows per statement: SQLite takes at most 32,766 values. */
const chunkRows = 4_000;

/**
 * Commit this before calls of these days are written: answers then read the days from the calls until they are sealed
 * again. The lock on the project's row keeps days from being frozen meanwhile; frozen ones are skipped.
 */
export async function touchDays(control: ControlQueries, days: readonly ProjectDay[], now: number): Promise<void> {
  // In a fixed order, so that transactions that lock several projects can't deadlock.
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
    for (const chunk of chunksOf(rows, chunkRows)) {
      await control
        .insertInto('days')
        .values(chunk)
        .onConflict((conflict) =>
          conflict
            .columns(['project_id', 'day'])
            .doUpdateSet((row) => ({ touched: row('days.touched', '+', 1), touched_at: now })),
        )
        .execute();
    }
  }
}

/** Touches every day of a project that is not frozen. */
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

/** Touches the days of all projects that begin with `prefix`; frozen ones have nothing left to roll up. */
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
    await unsealPins(control, id, prefix);
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

/** Requests new seals for the pinned days that begin with `prefix`, except for days that were frozen in their close. */
async function unsealPins(control: ControlQueries, projectId: string, prefix: string): Promise<void> {
  await control
    .updateTable('close_days')
    .set({ seal: 0 })
    .where('project_id', '=', projectId)
    .where('day', 'like', `${prefix}%`)
    .where('day', '>=', (query) =>
      query
        .selectFrom('closes')
        .select((row) => row.fn.coalesce('frozen_before', sql.lit('')).as('frozen_before'))
        .whereRef('closes.id', '=', 'close_days.close_id'),
    )
    .execute();
}

/** A day to seal, with its number of touches when it was read. */
export interface UnsealedDay extends ProjectDay {
  readonly touched: number;
  /** The tags that are dimensions of the project, as JSON. */
  readonly tags: string;
}

/** Days of one project, over and quiet since then, in order, without a seal for all; projects with limited retention come first. */
export async function readUnsealedDays(
  control: ControlStore,
  { quietSince, now, most }: { readonly quietSince: number; readonly now: number; readonly most: number },
): Promise<UnsealedDay[]> {
  const rows = await control
    .selectFrom('days')
    .innerJoin('projects', 'projects.id', 'days.project_id')
    .select(['days.project_id', 'days.day', 'days.touched', 'projects.timezone', 'projects.tag_dimensions'])
    .where((day) =>
      day.or([
        day('days.sealed', '!=', day.ref('days.touched')),
        // Its seal stays valid until the new one has the tags that are dimensions now. Frozen days have no calls left.
        day.and([
          day('days.tags', '!=', day.ref('projects.tag_dimensions')),
          day('days.day', '>=', day.fn.coalesce('projects.frozen_before', sql.lit(''))),
        ]),
      ]),
    )
    .where('days.touched_at', '<=', quietSince)
    .where('projects.deleted_at', 'is', null)
    // Not during an erasure, because the engine is still deleting calls in the background.
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
    // Retention waits for seals, and a backlog of other projects must not delay deletion.
    .orderBy((row) => row.case().when('projects.retention_days', 'is', null).then(1).else(0).end())
    .orderBy('days.day')
    .orderBy('days.project_id')
    .limit(most)
    .execute();
  const over = rows.filter(({ day, timezone }) => day < dayOf(timezone, now));
  return over
    .filter((row) => row.project_id === over[0]?.project_id)
    .map((row) => ({
      projectId: row.project_id,
      day: row.day,
      touched: row.touched,
      tags: row.tag_dimensions,
    }));
}

/** The unsealed days of a project up to `through`, in order. That day must be over. */
export const readUnsealedDaysOf = async (
  control: ControlQueries,
  projectId: string,
  through: Day,
): Promise<UnsealedDay[]> => {
  const rows = await control
    .selectFrom('days')
    .innerJoin('projects', 'projects.id', 'days.project_id')
    .select(['days.day', 'days.touched', 'projects.frozen_before', 'projects.tag_dimensions'])
    .whereRef('days.sealed', '!=', 'days.touched')
    .where('days.project_id', '=', projectId)
    .where('days.day', '<=', through)
    .orderBy('days.day')
    .execute();
  return rows
    .filter((row) => !isFrozen({ frozenBefore: row.frozen_before ?? undefined }, row.day))
    .map(({ day, touched, tag_dimensions: tags }) => ({ projectId, day, touched, tags }));
};

/** Makes the seal of a day valid, if the day was not touched since it was read. */
export async function noteSealed(
  control: ControlQueries,
  { projectId, day, touched, tags }: UnsealedDay,
  seal: number,
): Promise<void> {
  await changeRows(control, 'days', { project_id: projectId, day, touched }, { sealed: touched, seal, tags });
}
