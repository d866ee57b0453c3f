import type { ControlStore } from '../../storage/control/control-store.ts';

/**
 * Calls may be written for this long after a touch, in milliseconds. Days are touched at most every 20 seconds while
 * calls are written to them, and a batch takes a while.
 */
const touchLastsMs = 30_000;

/** When something that alerts depend on last changed, by project. */
export interface News {
  /** Until when calls may have been written; a project without calls has no entry. */
  readonly callsUntil: ReadonlyMap<string, number>;
  /** When settings of alerts, budgets, grants or prices of the past changed. */
  readonly changedAt: ReadonlyMap<string, number>;
}

/** Reads the news of all projects, cheaply: from rows of the control store alone. */
export async function readNews(control: ControlStore): Promise<News> {
  const [days, ...changes] = await Promise.all([
    control
      .selectFrom('days')
      .select((row) => ['project_id', row.fn.max('touched_at').as('at')])
      .groupBy('project_id')
      .execute(),
    control
      .selectFrom('alert_watches')
      .select((row) => ['project_id', row.fn.max('changed_at').as('at')])
      .groupBy('project_id')
      .execute(),
    control
      .selectFrom('rebuilds')
      .select((row) => ['project_id', row.fn.max('finished_at').as('at')])
      .where('finished_at', 'is not', null)
      .groupBy('project_id')
      .execute(),
    control
      .selectFrom('budgets')
      .select((row) => ['project_id', row.fn.max('updated_at').as('at')])
      .groupBy('project_id')
      .execute(),
    control
      .selectFrom('credit_grants')
      .select((row) => ['project_id', row.fn.max('created_at').as('at')])
      .groupBy('project_id')
      .execute(),
  ]);
  const changedAt = new Map<string, number>();
  for (const { project_id: id, at } of changes.flat()) changedAt.set(id, Math.max(changedAt.get(id) ?? 0, Number(at)));
  return { callsUntil: new Map(days.map(({ project_id: id, at }) => [id, Number(at) + touchLastsMs])), changedAt };
}
