import type { Projects } from '../../accounts/projects.ts';
import type { PriceBooks } from '../../pricing/price-books.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { generationOf, isFrozen, readGenerations } from '../generations.ts';
import { readRunningRebuild, toRebuildContexts } from '../rebuild/rebuilds.ts';
import { readAppliedRereads } from '../reread/applied.ts';
import type { CallContext } from './cost-calls.ts';

export interface ContextSources {
  readonly control: ControlStore;
  readonly projects: Projects;
  readonly priceBooks: PriceBooks;
}

/** The generation in force, and that of a running rebuild to keep it up to date; none for a deleted project. */
export async function readContexts(
  projectId: string,
  { control, projects, priceBooks }: ContextSources,
): Promise<CallContext[]> {
  const project = await projects.find(projectId);
  if (project === undefined) return [];
  const { joinAlike: joinsAlike } = project;
  const generations = await readGenerations(control, projectId);
  const books = await priceBooks.ofProject(projectId);
  const rereads = await readAppliedRereads(control, projectId);
  const rebuild = await readRunningRebuild(control, projectId);
  return [
    {
      timezone: generations.timezone,
      bookOf: books.of,
      generationOf: (day) => (isFrozen(generations, day) ? undefined : generationOf(generations, day)),
      isInForce: true,
      closedThrough: generations.closedThrough,
      runsOf: generations.base,
      rereads,
      joinsAlike,
    },
    ...(rebuild ? toRebuildContexts(rebuild, { books, generations, rereads, joinsAlike }) : []),
  ];
}
