/** The height of a row, in pixels. */
export const rowHeight = 44;
/** A table with more rows scrolls, and only the visible rows and some around them are in the document. */
export const mostRows = 30;
/** Extra rows around the visible ones, and the step by which the first row moves. */
const spare = 12;
export const rowStep = 6;

export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
}

/** The rows to put in the document, for a table scrolled by `scrolled` pixels and at most `height` pixels high. */
export function calcRowWindow(count: number, scrolled: number, height: number): RowWindow {
  if (count <= mostRows) return { first: 0, last: count };
  const top = Math.floor(scrolled / rowHeight / rowStep) * rowStep;
  const last = Math.min(count, top + Math.ceil(height / rowHeight) + rowStep + spare);
  return { first: Math.max(0, Math.min(top, count - mostRows) - spare), last };
}
