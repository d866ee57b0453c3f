import type { ControlStore } from '../../control/control-store.ts';
import type { PriceBooks } from '../../pricing/price-books.ts';
import type { Projects } from '../../projects/projects.ts';
import { generationOf, isFrozen, readGenerations } from '../generations.ts';
import { readRunningRebuild, toRebuildContext } from '../rebuild/rebuilds.ts';
import type { CallContext } from './cost-calls.ts';

export interface ContextSources {
  readonly control: ControlStore;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
}

/**
 * The contexts to cost a project's calls in: the one in force, and that of a running rebuild. Assembly writes calls in
 * both, which keeps the new generation up to date. None for a deleted project.
 */
export async function readContexts(
  projectId: string,
  { control, projects, priceBooks }: ContextSources,
): Promise<CallContext[]> {
  if (!(await projects.find(projectId))) return [];
  const generations = await readGenerations(control, projectId);
  const books = await priceBooks.ofProject(projectId);
  const rebuild = await readRunningRebuild(control, projectId);
  return [
    {
      timezone: generations.timezone,
      bookOf: books.of,
      generationOf: (day) => (isFrozen(generations, day) ? undefined : generationOf(generations, day)),
      isInForce: true,
      runsOf: generations.base,
    },
    ...(rebuild ? [toRebuildContext(rebuild, books, generations)] : []),
  ];
}
