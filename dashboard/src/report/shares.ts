import { toCount, toProseDollars, toShortName } from '../lib/format.ts';

/** A row of a report, and what it is of the whole. */
export interface Ranked<Row> {
  readonly listed: readonly Row[];
  readonly others: readonly Row[];
}

interface Ranking<Row> {
  readonly amount: (row: Row) => number;
  /** How many rows are listed. */
  readonly most: number;
  /** What is lost with a row: the largest losses beside the largest amounts are listed before others. */
  readonly loss?: (row: Row) => number;
}

/** The most rows that a ranking has for their losses alone. */
const mostLosses = 3;

/** The rows with the largest amounts, and the others; a single other row is listed, too. */
export function rankRows<Row>(rows: readonly Row[], { amount, most, loss = () => 0 }: Ranking<Row>): Ranked<Row> {
  const inOrder = (some: readonly Row[]) => some.toSorted((a, b) => amount(b) - amount(a));
  const sorted = inOrder(rows);
  const rest = sorted.splice(Math.max(most - mostLosses, 0));
  const taken = [...sorted, ...rest.toSorted((a, b) => Math.max(loss(b), 0) - Math.max(loss(a), 0))];
  const count = rows.length === most + 1 ? rows.length : most;
  return { listed: inOrder(taken.slice(0, count)), others: inOrder(taken.slice(count)) };
}

export const addUp = <Row>(rows: readonly Row[], amount: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + amount(row), 0);

interface Earner {
  readonly customer?: string;
  readonly margin: number;
}

/** The most customers that are named. */
const mostNamed = 3;

/** Who costs more than it pays, the largest loss first. Of those that are unpriced nothing is known. */
export function remarkOnLosses<Row extends Earner>(
  rows: readonly Row[],
  isUnpriced: (row: Row) => boolean = () => false,
): string | undefined {
  const named = rows.filter(({ customer }) => customer !== undefined && customer !== '');
  const known = named.filter((row) => !isUnpriced(row));
  const losing = known.filter(({ margin }) => margin < 0).toSorted((a, b) => a.margin - b.margin);
  if (known.length === 0) return undefined;
  if (losing.length === 0) {
    return `Every customer ${known.length < named.length ? 'with a known cost ' : ''}pays at least what it costs.`;
  }
  const first = losing.slice(0, mostNamed);
  const dollars = toProseDollars(...first.map(({ margin }) => margin));
  const names = first.map(({ customer = '', margin }) => `${toShortName(customer)} (${dollars(margin)})`);
  const others = losing.length - names.length;
  const listed = [...names, ...(others > 0 ? [`${toCount(others)} more`] : [])];
  const who = listed.length === 1 ? listed[0] : `${listed.slice(0, -1).join(', ')} and ${listed.at(-1)}`;
  return `${who} ${losing.length === 1 ? 'costs more than it pays' : 'cost more than they pay'}.`;
}
