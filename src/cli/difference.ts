import type { CauseOfDifference } from '../calls/rebuild/wire.ts';
import { printTable, toCount, toDollars } from './print.ts';

/** A cost before and after a reprice or a rebuild, in USD. */
export type Difference = Pick<CauseOfDifference, 'before' | 'after'>;

export type Named = Difference & { readonly name: string };

/** Prints the rows that differ, at most `most`; the rest are only counted. */
export function printDifferences(noun: string, rows: readonly Named[], most: number): void {
  const changed = rows.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return;
  printTable(
    [noun, 'before', 'after', 'difference'],
    changed.slice(0, most).map((row) => toRow(row.name, row)),
  );
  if (changed.length > most) console.log(`and ${toCount(changed.length - most)} more: --json shows them`);
}

const namesOfCauses = { reading: 'what the events say', price: 'prices' } as const;

export function printCauses(causes: readonly CauseOfDifference[]): void {
  const rows = causes.map(({ cause, ...row }) => ({ ...row, name: namesOfCauses[cause] }));
  printDifferences('cause', rows, rows.length);
}

export const toRow = (name: string, { before, after }: Difference): string[] => [
  name,
  toDollars(before),
  toDollars(after),
  toDollars(after - before),
];
