import type { Project } from '../../accounts/projects.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Day, Period } from '../../lib/days.ts';
import type { BookInForce } from '../../pricing/books/price-books.ts';
import { type Assumption, assumePrices } from '../../pricing/what-if/assumed-prices.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type ControlQueries, type ControlStore, lockProject } from '../../storage/control/control-store.ts';
import { readGenerations } from '../generations.ts';
import { ComparisonSums, type Earned, type RebuildComparison } from './comparison.ts';
import { addDryRun } from './dry-run.ts';
import { enterRebuild, requireUnfrozen } from './rebuilds.ts';

export interface TrySources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly clock: Clock;
  /** What a project's revenue is from `dateFrom` to `dateTo`, inclusive. */
  readonly readEarned: (projectId: string, days: Period) => Promise<Earned>;
}

export interface TryRequest {
  readonly project: Project;
  readonly days: { readonly from: Day; readonly to: Day };
  readonly book: BookInForce;
  readonly assumption: Assumption | undefined;
  readonly requestedBy: string;
}

/**
 * What past days cost by the prices of a book, or as a what-if assumes, stored as a finished dry run.
 * @throws Problem `beyond_retention` when its days are frozen
 */
export async function tryPrices(sources: TrySources, request: TryRequest): Promise<string> {
  const { project, days, book, assumption, requestedBy } = request;
  const { control, clock } = sources;
  for (;;) {
    const erased = await countErased(control, project.id);
    const comparison = await calcComparison(sources, request);
    const id = await control.transaction().execute(async (transaction) => {
      await lockProject(transaction, project.id);
      // An erasure that has ended meanwhile has taken its name off the comparisons there were.
      if ((await countErased(transaction, project.id)) !== erased) return undefined;
      const row = await enterRebuild(transaction, {
        projectId: project.id,
        kind: 'reprice',
        isDryRun: true,
        requestedBy,
        days,
        timezone: project.timezone,
        priceBookId: book.id,
        found: { comparison, assumption },
        now: clock(),
      });
      return row.id;
    });
    if (id !== undefined) return id;
  }
}

async function calcComparison(
  { store, control, readEarned }: TrySources,
  { project, days, book, assumption }: TryRequest,
): Promise<RebuildComparison> {
  const generations = await readGenerations(control, project.id);
  const { frozenBefore: keptFrom } = generations;
  requireUnfrozen(days, keptFrom);
  const span = { dateFrom: days.from, dateTo: days.to };
  const assumed = assumption && assumePrices(assumption, book.opened);
  const sums = new ComparisonSums();
  await addDryRun(store, sums, { projectId: project.id, span, generations, pricing: { book, assumed } });
  const earned = project.type === 'revenue' ? await readEarned(project.id, span) : undefined;
  return sums.finish({ keptFrom, earned, hasAssumption: assumption !== undefined });
}

async function countErased(control: ControlQueries, projectId: string): Promise<number> {
  const { ended } = await control
    .selectFrom('erasures')
    .select(({ fn }) => fn.countAll().as('ended'))
    .where('project_id', '=', projectId)
    .where('finished_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(ended);
}
