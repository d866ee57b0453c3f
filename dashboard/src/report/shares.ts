/** A row of a report, and what it is of the whole. */
export interface Ranked<Row> {
  readonly listed: readonly Row[];
  readonly others: readonly Row[];
}

/** The rows with the largest amounts, and the others; a single other row is listed, too. */
export function rankRows<Row>(rows: readonly Row[], amount: (row: Row) => number, most: number): Ranked<Row> {
  const sorted = rows.toSorted((a, b) => amount(b) - amount(a));
  const count = sorted.length === most + 1 ? sorted.length : most;
  return { listed: sorted.slice(0, count), others: sorted.slice(count) };
}

export const addUp = <Row>(rows: readonly Row[], amount: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + amount(row), 0);
