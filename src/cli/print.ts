import Table from 'cli-table3';

/** Rows as a table for people. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) {
    console.log('none');
    return;
  }
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => [...row]));
  console.log(table.toString());
}

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

/** A time of the API, or a dash. */
export const orDash = (value: string | null | undefined): string => value ?? '–';
