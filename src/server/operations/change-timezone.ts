import type { Projects } from '../../accounts/projects.ts';
import { enterRebuild, requestRebuild } from '../../calls/rebuild/rebuilds.ts';
import { Problem } from '../../lib/problem.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type ControlQueries, type ControlSources, withProjectLock } from '../../storage/control/control-store.ts';
import { requestRemake } from '../../storage/control/stripe-remakes.ts';

export interface TimezoneSources extends ControlSources {
  readonly store: AnalyticStore;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
  /** Resolves once the log has everything that was acknowledged before. */
  readonly flush: () => Promise<void>;
  readonly onRebuild: () => void;
}

/**
 * Changes the timezone of a project. If the project has events, its days are rebuilt first, and the new timezone is
 * pending until then (D2). Without events the change is immediate.
 * @throws Problem `conflict` while a change to another timezone is pending, and when some days are frozen
 */
export async function changeTimezone(projectId: string, timezone: string, sources: TimezoneSources): Promise<void> {
  const { control, store, projects, priceBooks, clock, flush, onRebuild } = sources;
  const request = {
    projectId,
    isDryRun: false,
    requestedBy: 'admin',
    days: undefined,
    timezone,
    priceBookId: undefined,
    now: clock(),
  };
  await flush();
  const mustRebuild = await hasEvents(store, projectId);
  const isChanged = await withProjectLock(control, projectId, async (transaction) => {
    const project = await transaction
      .selectFrom('projects')
      .select(['timezone', 'pending_timezone'])
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    const pending = project.pending_timezone;
    if (pending !== null && pending !== timezone) throw pendingProblem(pending);
    if (timezone === (pending ?? project.timezone)) return false;
    await refuseFrozen(transaction, projectId);
    if (mustRebuild) await enterRebuild(transaction, { ...request, kind: 'timezone' });
    else await requestRemake(transaction, projectId);
    await transaction
      .updateTable('projects')
      .set(mustRebuild ? { pending_timezone: timezone } : { timezone })
      .where('id', '=', projectId)
      .execute();
    return true;
  });
  projects.forget(projectId);
  if (!isChanged) return;
  if (mustRebuild) return onRebuild();
  await priceBooks.activateFor(projectId);
  // An event received meanwhile may be on a day of the old timezone.
  await flush();
  if (!(await hasEvents(store, projectId))) return;
  await requestRebuild(control, { ...request, kind: 'rebuild' });
  onRebuild();
}

/** Frozen days have no calls left that could move to days of another timezone. */
async function refuseFrozen(transaction: ControlQueries, projectId: string): Promise<void> {
  const frozen = await transaction
    .selectFrom('days')
    .innerJoin('projects', 'projects.id', 'days.project_id')
    .select('projects.frozen_before')
    .where('projects.id', '=', projectId)
    .whereRef('days.day', '<', 'projects.frozen_before')
    .limit(1)
    .executeTakeFirst();
  if (!frozen) return;
  throw new Problem(
    'conflict',
    `Days before ${frozen.frozen_before} have only totals left (retention_days), which can't be moved to another timezone: use another project for the new timezone.`,
  );
}

const pendingProblem = (pending: string) =>
  new Problem(
    'conflict',
    `The project's days are being rebuilt for ${pending}; change the timezone again when that is done.`,
  );

async function hasEvents(store: AnalyticStore, projectId: string): Promise<boolean> {
  const rows = await store.select('SELECT 1 FROM events WHERE project = {project:String} LIMIT 1', {
    project: projectId,
  });
  return rows.length > 0;
}
