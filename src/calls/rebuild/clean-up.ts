import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { ControlStore } from '../../control/control-store.ts';
import { readGenerations } from '../generations.ts';
import { inForce } from '../in-force.ts';

/** How long an answer may still be reading what went out of use, in milliseconds. */
const inUseMs = 120_000;

/** Deletes the rows of one project that no answer reads any more: those a rebuild replaced, and those of a trial. */
export async function cleanUpGenerations({
  store,
  control,
  now,
}: {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly now: number;
}): Promise<boolean> {
  const next = await control
    .selectFrom('rebuilds')
    .innerJoin('projects', 'projects.id', 'rebuilds.project_id')
    .select('rebuilds.project_id')
    .where('rebuilds.cleaned_at', 'is', null)
    .where('rebuilds.finished_at', '<', now - inUseMs)
    .where('projects.deleted_at', 'is', null)
    .orderBy('rebuilds.finished_at')
    .executeTakeFirst();
  if (!next) return false;
  const { project_id: project } = next;
  const current = inForce(await readGenerations(control, project));
  // The engine goes on with it by itself, also after a restart: assembly does not wait.
  await store.command(`ALTER TABLE calls DELETE WHERE project = {project:String} AND NOT (${current.sql})`, {
    ...current.parameters,
    project,
  });
  await control
    .updateTable('rebuilds')
    .set({ cleaned_at: now })
    .where('project_id', '=', project)
    .where('finished_at', '<', now - inUseMs)
    .where('cleaned_at', 'is', null)
    .execute();
  return true;
}
