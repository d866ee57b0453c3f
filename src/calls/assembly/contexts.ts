import type { Projects } from '../../accounts/projects.ts';
import type { BooksOfProject, PriceBooks } from '../../pricing/books/price-books.ts';
import { type ControlQueries, type ControlStore, findRow } from '../../storage/control/control-store.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';
import { readAppliedRereads } from '../applied-rereads.ts';
import type { CallContext } from '../costing/cost-calls.ts';
import { type Generations, generationOf, isFrozen, readGenerations } from '../generations.ts';
import type { JoinSettings } from '../joins/join-calls.ts';

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

/** The running rebuild of a project, which assembly writes to as well. */
export async function readRunningRebuild(control: ControlQueries, projectId: string): Promise<RebuildRow | undefined> {
  return await findRow(control, 'rebuilds', { project_id: projectId, state: 'running' });
}

/** That of calls reread at the prices in force, which shows what reading changes; undefined without such a part. */
export const rereadGenerationOf = ({ reread, price_book_id: bookId, generation }: RebuildRow): number | undefined =>
  reread === 1 && bookId !== null ? generation - 1 : undefined;

type RebuildSources = JoinSettings & { books: BooksOfProject; generations: Pick<Generations, 'frozenBefore'> };

/** The contexts that a rebuild costs calls in. They write no frozen days. */
export function toRebuildContexts(
  rebuild: RebuildRow,
  { books, generations, rereads, joinsAlike }: RebuildSources,
): [CallContext, ...CallContext[]] {
  const { timezone, generation, price_book_id: bookId, date_from: from, date_to: to } = rebuild;
  const book = bookId === null ? undefined : books.find(bookId);
  const contextOf = (written: number, bookOf: CallContext['bookOf']): CallContext => ({
    timezone,
    bookOf,
    generationOf: (day) => {
      const isOutside = from !== null && to !== null && (day < from || day > to);
      return isOutside || isFrozen(generations, day) ? undefined : written;
    },
    isInForce: false,
    // No close pins a generation that is not in force yet.
    closedThrough: undefined,
    // A reprice does not change the days of runs.
    runsOf: from === null ? generation : undefined,
    rereads: rebuild.reread === 1 ? new Set([...rereads, generation]) : rereads,
    joinsAlike,
  });
  const asRead = rereadGenerationOf(rebuild);
  return [
    contextOf(generation, book ? () => book : books.of),
    ...(asRead === undefined ? [] : [contextOf(asRead, books.of)]),
  ];
}
