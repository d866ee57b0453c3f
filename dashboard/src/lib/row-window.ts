/** The height of a row, in pixels. */
export const rowHeight = 44;
/** A table with more rows scrolls in itself, and only the rows on view and some around them are in the document. */
export const mostRows = 30;
/** How many rows are there beyond those on view, and by how many the first one moves. */
const spare = 12;
export const rowStep = 6;

export interface RowWindow {
  readonly first: number;
  /** After the last one that is in the document. */
  readonly last: number;
}

/** The rows that must be in the document, by how far a table is scrolled and how high what shows it is at most. */
export function calcRowWindow(count: number, scrolled: number, height: number): RowWindow {
  if (count <= mostRows) return { first: 0, last: count };
  const top = Math.floor(scrolled / rowHeight / rowStep) * rowStep;
  const last = Math.min(count, top + Math.ceil(height / rowHeight) + rowStep + spare);
  return { first: Math.max(0, Math.min(top, count - mostRows) - spare), last };
}
