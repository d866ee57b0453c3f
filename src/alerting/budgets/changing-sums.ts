import { inTurns } from '../../lib/in-turns.ts';
import { parseWideMoney, type WideMoney } from '../../lib/money.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type SumsRecord, type SumsSelection, selectChangedSums, selectSums } from './sums-sql.ts';

/** Of open days, kept between reads: of very many values, only those with calls of a newer version are read again. */
export interface ChangingSums {
  /** The newest version of a call in them. Calls of this version may be missing: their batch may not have ended. */
  version: number;
  /** By budget of the group: the sum of each value, and of all values. */
  readonly ofBudgets: readonly { readonly sums: Map<string, WideMoney>; total: WideMoney }[];
}

/** Undefined when there are more values than wanted. @throws Problem as the store's `select` does */
export async function readChangingSums(
  store: Pick<AnalyticStore, 'select'>,
  selection: SumsSelection,
): Promise<ChangingSums | undefined> {
  const { sql, parameters } = selectSums(selection);
  const rows = await store.select<SumsRecord>(sql, parameters);
  if (rows.length > selection.rows.most) return undefined;
  const read: ChangingSums = {
    version: 0,
    ofBudgets: selection.group.planned.map(() => ({ sums: new Map(), total: 0n })),
  };
  await inTurns(rows, (row) => take(read, row));
  return read;
}

/**
 * Updates the sums; false when all must be read again. A call that moved to another value, or was deleted, leaves no
 * newer version at its former value. The updated sums then do not add up to the sum of all calls.
 */
export async function renewChangingSums(
  store: Pick<AnalyticStore, 'select'>,
  selection: SumsSelection,
  known: ChangingSums,
): Promise<boolean> {
  const { sql, parameters } = selectChangedSums(selection, known.version);
  const rows = await store.select<SumsRecord>(sql, parameters);
  const whole = rows.find(({ value }) => value === '');
  if (!whole || rows.length > selection.rows.most) return false;
  await inTurns(rows, (row) => {
    if (row !== whole) take(known, row);
  });
  known.version = Math.max(known.version, Number(whole.version));
  return known.ofBudgets.every(({ total }, index) => total === sumOf(whole, index));
}

function take(known: ChangingSums, row: SumsRecord): void {
  const { value = '', version } = row;
  known.version = Math.max(known.version, Number(version));
  for (const [index, ofBudget] of known.ofBudgets.entries()) {
    const sum = sumOf(row, index);
    ofBudget.total += sum - (ofBudget.sums.get(value) ?? 0n);
    if (sum === 0n) ofBudget.sums.delete(value);
    else ofBudget.sums.set(value, sum);
  }
}

const sumOf = (row: SumsRecord, index: number): WideMoney => parseWideMoney(row[`sum_${index}`] ?? '0');
