import { type Day, laterOf, toDayNumber } from '../../lib/days.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import type { RebuildRow } from '../../storage/control/schema/schema.ts';
import { readGenerations } from '../generations.ts';
import { callsOf } from '../in-force.ts';
import { copyCalls, partsOfDay } from '../reprice/copy-calls.ts';

interface CopySources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly priceBooks: PriceBooks;
}

/** Whether only prices change, so that the calls need not be made of their events again. */
export const isOfPricesAlone = ({ kind, reread }: RebuildRow): boolean => kind === 'reprice' && reread === 0;

/** How many calls each day of a reprice has that has any, as they are now: assembly adds later ones. */
export async function countCalls(
  { store, control }: CopySources,
  { project_id: projectId, date_from: from, date_to: to }: RebuildRow,
): Promise<ReadonlyMap<Day, number>> {
  const generations = await readGenerations(control, projectId);
  const dateFrom = laterOf(from ?? '', generations.frozenBefore ?? '');
  const calls = callsOf(projectId, { dateFrom, dateTo: to ?? '' }, generations);
  const rows = await store.select<{ date: Day; calls: string }>(
    `SELECT toString(day) AS date, count() AS calls FROM calls FINAL WHERE ${calls.sql} GROUP BY day ORDER BY day`,
    calls.parameters,
  );
  return new Map(rows.map(({ date, calls: count }) => [date, Number(count)]));
}

/** The first position of a reprice, and that after its last calls. */
export function spanOf(callsByDay: ReadonlyMap<Day, number>): Pick<RebuildRow, 'position' | 'mark' | 'events_total'> {
  const numbers = [...callsByDay.keys()].map(toDayNumber);
  const [first, last] = [numbers[0], numbers.at(-1)];
  return {
    position: first === undefined ? 0 : first * partsOfDay,
    mark: last === undefined ? 0 : (last + 1) * partsOfDay,
    events_total: [...callsByDay.values()].reduce((sum, count) => sum + count, 0),
  };
}

/**
 * Copies about `most` calls from a position on into the new generation, at the prices of the book. Returns the position
 * after them, and about how many they are.
 */
export async function copyNext(
  { store, control, priceBooks }: CopySources,
  { project_id: projectId, generation, price_book_id: bookId }: RebuildRow,
  { position, callsByDay, most }: { position: number; callsByDay: ReadonlyMap<Day, number>; most: number },
): Promise<{ readonly position: number; readonly copied: number } | undefined> {
  const book = (await priceBooks.ofProject(projectId)).find(bookId ?? '');
  if (!book) throw new Error(`There is no price book ${bookId}`);
  const number = Math.floor(position / partsOfDay);
  const [day, count] = [...callsByDay].find(([each]) => toDayNumber(each) >= number) ?? [];
  if (day === undefined || count === undefined) return undefined;
  const from = toDayNumber(day) === number ? position % partsOfDay : 0;
  const to = Math.min(partsOfDay, from + Math.max(1, Math.floor((partsOfDay * most) / count)));
  const generations = await readGenerations(control, projectId);
  const pricing = { book, assumed: undefined };
  await copyCalls(store, { projectId, day, parts: { from, to }, generations, generation, pricing });
  const copied = Math.round((count * (to - from)) / partsOfDay);
  return { position: toDayNumber(day) * partsOfDay + to, copied };
}
