import type { Project, Projects } from '../../accounts/projects.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { addDays, dayOf } from '../../lib/days.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import { compareCatalogues } from '../../pricing/check/compare-prices.ts';
import type { RateChange } from '../../pricing/check/diff-rates.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { readNow } from '../facts/as-of.ts';
import { findIn } from './run.ts';
import { readUsedModels } from './used-models.ts';

export interface UsedChangesSources extends AnswerSources {
  readonly priceBooks: PriceBooks;
  readonly projects: Projects;
}

/** A model that was called in the last 30 days, in any project, and the rates that newer list prices change. */
export interface UsedChange {
  readonly provider: string;
  readonly model: string;
  readonly rates: readonly RateChange[];
}

/** The days whose calls count, the last being today. */
const days = 30;

/** What `change`, which puts newer list prices in force, does to the prices of models in use (D27.2). */
export async function findUsedChanges<Result>(
  change: () => Promise<Result>,
  sources: UsedChangesSources,
): Promise<{ readonly result: Result; readonly changes: readonly UsedChange[] }> {
  const projects = await sources.projects.list();
  const cataloguesOf = async () =>
    await Promise.all(projects.map(async ({ id }) => (await sources.priceBooks.ofProject(id)).newest.opened.catalogue));
  const before = await cataloguesOf();
  const result = await change();
  const after = await cataloguesOf();
  const nowMs = sources.clock();
  const changes = new Map<string, UsedChange>();
  for (const [index, project] of projects.entries()) {
    const [was, is] = [before[index], after[index]];
    if (was === undefined || is === undefined || was === is) continue;
    const used = await readUsed(project, nowMs, sources);
    for (const { provider, model, rates } of compareCatalogues(used, findIn(was, nowMs), findIn(is, nowMs))) {
      changes.set(JSON.stringify([provider, model]), { provider, model, rates });
    }
  }
  const sorted = [...changes.values()].sort(
    (a, b) => compareCodePoints(a.provider, b.provider) || compareCodePoints(a.model, b.model),
  );
  return { result, changes: sorted };
}

async function readUsed(project: Project, nowMs: number, sources: UsedChangesSources) {
  const today = dayOf(project.timezone, nowMs);
  const asOf = await readNow(sources.control, project);
  return await readUsedModels({ asOf, days: { dateFrom: addDays(today, 1 - days), dateTo: today }, nowMs }, sources);
}
