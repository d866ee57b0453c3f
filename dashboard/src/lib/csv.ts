/** Rows as CSV (RFC 4180). An apostrophe is put before text that a spreadsheet would read as a formula. */
export function toCsv(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [head, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

/** As in the service's own CSV (src/exports/csv.ts). */
const formula = /^(?:[\t\r]|[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

function toCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
