import { fairTurn } from '../../lib/fair-turn.ts';

/** The rows of a page, and how to ask for the next one. */
export interface RowsRead {
  readonly rows: readonly unknown[];
  readonly next: string | null;
}

/** How many rows one turn of the event loop encodes. Other requests wait meanwhile. */
const sliceRows = 250;

/** All rows from a first page on, in slices. Reads a page when all rows before it are consumed. */
export async function* readSlices(
  first: RowsRead,
  readPage: (cursor: string) => Promise<RowsRead>,
): AsyncGenerator<readonly unknown[]> {
  for (let page = first; ; page = await readPage(page.next)) {
    for (let from = 0; from < page.rows.length; from += sliceRows) {
      yield page.rows.slice(from, from + sliceRows);
      await fairTurn();
    }
    if (page.next === null) return;
  }
}
