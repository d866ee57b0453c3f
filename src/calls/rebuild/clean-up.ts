import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { ControlStore } from '../../control/control-store.ts';
import { readGenerations } from '../generations.ts';
import { inForce } from '../in-force.ts';
import { readAppliedRereads } from '../reread/applied.ts';

/** How long answers may still read rows after they go out of use, in milliseconds. */
const inUseMs = 120_000;

/**
 * Deletes rows of one project that no answer reads any more: those that a rebuild replaced, and those of a dry run.
 * False when there are none.
 */
export async function cleanUpGenerations({
  store,
  control,
  now,
}: {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly now: number;
}): Promise<boolean> {
  const waiting = await control
    .selectFrom('rebuilds')
    .innerJoin('projects', 'projects.id', 'rebuilds.project_id')
    .select(['rebuilds.project_id', 'rebuilds.kind', 'rebuilds.reread'])
    .where('rebuilds.cleaned_at', 'is', null)
    .where('rebuilds.finished_at', '<', now - inUseMs)
    .where('projects.deleted_at', 'is', null)
    .orderBy('rebuilds.finished_at')
    .execute();
  const project = waiting[0]?.project_id;
  if (project === undefined) return false;
  const ofProject = waiting.filter(({ project_id }) => project_id === project);
  const current = inForce(await readGenerations(control, project));
  const rereads = [...(await readAppliedRereads(control, project))];
  const deletions: [table: string, condition: string][] = [['calls', `NOT (${current.sql})`]];
  if (ofProject.some(({ reread }) => reread === 1))
    deletions.push(['event_readings', 'NOT has({rereads:Array(UInt64)}, generation)']);
  // A reprice keeps the base generation, and with it the recorded runs.
  if (ofProject.some(({ kind }) => kind !== 'reprice')) {
    for (const table of ['runs', 'crossing_runs'])
      deletions.push([table, 'base_generation != {base_generation:UInt64}']);
  }
  for (const [table, condition] of deletions) {
    // The engine deletes in the background, also after a restart; assembly does not wait.
    await store.command(`ALTER TABLE ${table} DELETE WHERE project = {project:String} AND ${condition}`, {
      ...current.parameters,
      project,
      rereads,
    });
  }
  await control
    .updateTable('rebuilds')
    .set({ cleaned_at: now })
    .where('project_id', '=', project)
    .where('finished_at', '<', now - inUseMs)
    .where('cleaned_at', 'is', null)
    .execute();
  return true;
}
