import type { ControlQueries, ControlStore } from '../../control/control-store.ts';
import type { RebuildRow } from '../../control/schema.ts';
import { enterRebuild, theService } from '../rebuild/rebuilds.ts';

/** What became of the rebuilds that mend: none is left to do, or one was given up. */
export type RebuildsState = 'under way' | 'done' | 'failed';

/** The rebuilds that mend and have not ended: those of an earlier process count too. */
export async function readUnfinished(control: ControlQueries): Promise<string[]> {
  const rows = await control
    .selectFrom('rebuilds')
    .innerJoin('projects', 'projects.id', 'rebuilds.project_id')
    .select('rebuilds.id')
    .where('rebuilds.requested_by', '=', theService)
    .where('rebuilds.state', 'in', ['queued', 'running'])
    .where('projects.deleted_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Asks for all calls of every project anew. The generations are above `after`: rows of those up to it may be there. */
export async function orderRebuilds(
  transaction: ControlQueries,
  { now, after = 0 }: { readonly now: number; readonly after?: number },
): Promise<string[]> {
  const projects = await transaction
    .selectFrom('projects')
    .select(['id', 'timezone'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  const ids: string[] = [];
  for (const { id, timezone } of projects) {
    const { id: rebuild } = await enterRebuild(transaction, {
      projectId: id,
      kind: 'rebuild',
      isDryRun: false,
      requestedBy: theService,
      days: undefined,
      timezone,
      priceBookId: undefined,
      now,
      after,
    });
    ids.push(rebuild);
  }
  return ids;
}

/** How rebuilds that were asked for stand. */
export async function readState(control: ControlStore, ids: readonly string[]): Promise<RebuildsState> {
  if (ids.length === 0) return 'done';
  const rows = await control
    .selectFrom('rebuilds')
    .innerJoin('projects', 'projects.id', 'rebuilds.project_id')
    .select('rebuilds.state')
    .where('rebuilds.id', 'in', [...ids])
    .where('projects.deleted_at', 'is', null)
    .execute();
  const states = new Set<RebuildRow['state']>(rows.map(({ state }) => state));
  if (states.has('queued') || states.has('running')) return 'under way';
  return states.has('failed') ? 'failed' : 'done';
}
