import Table from 'cli-table3';

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) {
    console.log('none');
    return;
  }
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => row.map(toVisible)));
  console.log(table.toString());
}

/** Replaces what controls a terminal, or the direction of text, with a box: names come from clients. */
export const toVisible = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\u25a1');

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

export const printDone = ({ json }: { readonly json?: boolean }, text: string): void =>
  json ? printJson({ ok: true }) : console.log(text);

/** The text, or a dash when there is none. */
export const orDash = (value: string | null | undefined): string => value ?? '–';

let dollarFormat: Intl.NumberFormat | undefined;

/** Made at its first use: making it takes a tenth of the time of a short command, and most commands print no amount. */
const openDollarFormat = (): Intl.NumberFormat => {
  dollarFormat ??= new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });
  return dollarFormat;
};

/** An amount in dollars, to a millionth. JSON output has the exact amount. */
export const toDollars = (amount: number | null): string => (amount === null ? '–' : openDollarFormat().format(amount));

/** A whole number with thousands separators. */
export const toCount = (count: number): string => count.toLocaleString('en-US');
