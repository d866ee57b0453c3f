import { enterRebuild, theService } from '../../calls/rebuild/rebuilds.ts';
import type { ControlQueries, ControlStore } from '../../storage/control/control-store.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';

/** The state of the rebuilds that restore calls. `failed`: at least one was abandoned. */
export type RebuildsState = 'under way' | 'done' | 'failed';

/** The ids of unfinished rebuilds that the service has queued, in this process or an earlier one. */
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

/** Queues a rebuild of every project, with generations above `after`, of which rows may exist. */
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
