import { setImmediate as nextTurn } from 'node:timers/promises';

/** The rows of a page, and how to ask for the next one. */
export interface RowsRead {
  readonly rows: readonly unknown[];
  readonly next: string | null;
}

/** Rows that are encoded in one turn of the event loop; requests wait meanwhile. */
const sliceRows = 250;

/** All rows from a first page on, in slices. A page is read when the rows before it are taken. */
export async function* readSlices(
  first: RowsRead,
  readPage: (cursor: string) => Promise<RowsRead>,
): AsyncGenerator<readonly unknown[]> {
  for (let page = first; ; page = await readPage(page.next)) {
    for (let from = 0; from < page.rows.length; from += sliceRows) {
      yield page.rows.slice(from, from + sliceRows);
      await nextTurn();
    }
    if (page.next === null) return;
  }
}
