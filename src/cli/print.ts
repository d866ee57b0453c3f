import Table from 'cli-table3';

/** Rows as a table for people. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) {
    console.log('none');
    return;
  }
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => row.map(toVisible)));
  console.log(table.toString());
}

/** Names come from clients: what would steer the terminal is shown as a box. */
export const toVisible = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\u25a1');

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

/** A time of the API, or a dash. */
export const orDash = (value: string | null | undefined): string => value ?? '–';

const dollarFormat = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});

/** An amount for people, to a millionth of a dollar. JSON has the exact one. */
export const toDollars = (amount: number | null): string => (amount === null ? '–' : dollarFormat.format(amount));

/** A whole number for people. */
export const toCount = (count: number): string => count.toLocaleString('en-US');
