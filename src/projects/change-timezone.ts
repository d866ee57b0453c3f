import { enterRebuild, requestRebuild } from '../calls/rebuild/rebuilds.ts';
import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import { type ControlStore, lockProject } from '../control/control-store.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import type { PriceBooks } from '../pricing/price-books.ts';
import type { Project, Projects } from './projects.ts';

export interface TimezoneSources {
  readonly control: ControlStore;
  readonly store: AnalyticStore;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
  readonly clock: Clock;
  /** Called when a rebuild was asked for. */
  readonly onRebuild: () => void;
}

/** @throws Problem `conflict` while the project's days are being rebuilt for yet another timezone */
export function refuseSecondTimezone({ pendingTimezone }: Project, timezone: string): void {
  if (pendingTimezone === null || pendingTimezone === timezone) return;
  throw new Problem(
    'conflict',
    `The project's days are being rebuilt for ${pendingTimezone}; change the timezone once that is in force.`,
  );
}

/**
 * Gives a project another timezone. Where there are events, its days are rebuilt first, and until the new timezone is in
 * force it is pending (D2); a project without events has it at once.
 */
export async function changeTimezone(project: Project, timezone: string, sources: TimezoneSources): Promise<void> {
  const { control, store, projects, priceBooks, clock, onRebuild } = sources;
  if (timezone === project.timezone || timezone === project.pendingTimezone) return;
  const request = {
    projectId: project.id,
    isDryRun: false,
    requestedBy: 'admin',
    days: undefined,
    timezone,
    priceBookId: undefined,
    now: clock(),
  };
  if (await hasEvents(store, project.id)) {
    await control.transaction().execute(async (transaction) => {
      await lockProject(transaction, project.id);
      await enterRebuild(transaction, { ...request, kind: 'timezone' });
      await transaction
        .updateTable('projects')
        .set({ pending_timezone: timezone })
        .where('id', '=', project.id)
        .execute();
    });
    projects.forget(project.id);
    return onRebuild();
  }
  await projects.change(project.id, { timezone });
  await priceBooks.activateFor(project.id);
  // An event that came in meanwhile may have been placed on a day of the old timezone.
  if (!(await hasEvents(store, project.id))) return;
  await requestRebuild(control, { ...request, kind: 'rebuild' });
  onRebuild();
}

async function hasEvents(store: AnalyticStore, projectId: string): Promise<boolean> {
  const rows = await store.select('SELECT 1 FROM events WHERE project = {project:String} LIMIT 1', {
    project: projectId,
  });
  return rows.length > 0;
}
