import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { changeOf, runStatement } from '../../storage/analytic/deletion.ts';
import { type ControlStore, deleteRows, requireRow } from '../../storage/control/control-store.ts';
import { readAppliedRereads } from '../applied-rereads.ts';
import { readGenerations } from '../generations.ts';
import { inForce } from '../in-force.ts';
import { anyGeneration, readPinnedCalls, unlessPinned } from '../pins/pinned-calls.ts';

/** How long answers may still read rows that are out of use, in milliseconds. */
const inUseMs = 120_000;

/** Deletes rows of a project that no answer reads and no close pins any more. False when there are none. */
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
  const project = waiting[0]?.project_id ?? (await findUnpinned(control));
  if (project === undefined) return false;
  const ofProject = waiting.filter(({ project_id }) => project_id === project);
  const current = inForce(await readGenerations(control, project));
  const rereads = [...(await readAppliedRereads(control, project))];
  const pinned = await readPinnedCalls(control, project);
  const { cleared_before: clearedBefore } = await requireRow(control, 'projects', { id: project });
  const unread =
    clearedBefore === null ? `NOT (${current.sql})` : `NOT (${current.sql}) OR day < {cleared_before:Date}`;
  const deletions: [table: string, condition: string][] = [['calls', unlessPinned(unread, pinned)]];
  if (ofProject.some(({ reread }) => reread === 1))
    deletions.push(['event_contents', 'NOT has({rereads:Array(UInt64)}, generation)']);
  // A reprice keeps the base generation, and with it the recorded runs.
  if (ofProject.length === 0 || ofProject.some(({ kind }) => kind !== 'reprice')) {
    deletions.push(['runs', 'base_generation != {base_generation:UInt64}']);
    // Answers as of a close need the crossing runs of its base generation. Nothing reads `runs` of that generation.
    deletions.push(['crossing_runs', 'NOT has({bases:Array(UInt64)}, base_generation)']);
  }
  for (const [table, condition] of deletions) {
    // The engine deletes in the background, also after a restart; assembly does not wait.
    await runStatement(store, changeOf(table, 'DELETE', condition), {
      ...current.parameters,
      ...pinned.calls?.parameters,
      ...(clearedBefore !== null && { cleared_before: clearedBefore }),
      project,
      rereads,
      bases: [current.parameters.base_generation, ...pinned.bases],
    });
  }
  await control
    .updateTable('rebuilds')
    .set({ cleaned_at: now })
    .where('project_id', '=', project)
    .where('finished_at', '<', now - inUseMs)
    .where('cleaned_at', 'is', null)
    .execute();
  await deleteRows(control, 'pinned_copies', { project_id: project, generation: anyGeneration });
  return true;
}

/** A project whose closes have dropped or moved pins. Projects with rebuilds to clean up are excluded. */
async function findUnpinned(control: ControlStore): Promise<string | undefined> {
  const row = await control
    .selectFrom('pinned_copies')
    .select('project_id')
    .where('generation', '=', anyGeneration)
    .where((copy) =>
      copy.not(
        copy.exists(
          copy
            .selectFrom('rebuilds')
            .select('rebuilds.id')
            .whereRef('rebuilds.project_id', '=', 'pinned_copies.project_id')
            .where('rebuilds.cleaned_at', 'is', null),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  return row?.project_id;
}
