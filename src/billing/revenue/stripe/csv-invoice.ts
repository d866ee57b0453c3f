import { parseDecimal } from '../../../lib/money.ts';
import { fractionalDigits } from './currencies.ts';

type Row = Readonly<Record<string, unknown>>;

/** Whether a row is an invoice from the CSV export of Stripe's dashboard. */
export const isCsvInvoice = (row: object): row is Row => !('object' in row) && 'id' in row && 'Total' in row;

type CsvInvoice =
  | { readonly invoice: Record<string, unknown>; readonly faults?: never }
  | { readonly invoice?: never; readonly faults: readonly string[] };

/** To the form of Stripe's API, with one line over all periods: the row lists none. Lines from the API replace it. */
export function csvInvoice(row: Row): CsvInvoice {
  const faults: string[] = [];
  const text = (column: string): string => {
    const value = row[column];
    if (typeof value === 'string') return value.trim();
    faults.push(`has no column ${column}`);
    return '';
  };
  const currency = text('Currency').toUpperCase();
  const minor = (column: string, isOptional = false): number => {
    const value = isOptional && !(column in row) ? '' : text(column);
    if (value === '') return 0;
    const amount = parseDecimal(/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(value) ? value.replaceAll(',', '') : value);
    const digits = fractionalDigits(currency);
    if (amount !== null && amount.scale <= digits)
      return Number(amount.mantissa * 10n ** BigInt(digits - amount.scale));
    faults.push(`${column} must be an amount of ${currency || 'a currency'}, such as 1234.5, and is ${value}`);
    return 0;
  };
  const time = (column: string): number | null => {
    const value = typeof row[column] === 'string' ? row[column].trim() : '';
    if (value === '') return null;
    const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?Z?$/.exec(value);
    const ms = match ? Date.parse(`${match[1]}T${match[2]}${match[3] ?? ':00'}Z`) : Number.NaN;
    if (!Number.isNaN(ms)) return ms / 1_000;
    faults.push(`${column} must be a time such as 2026-11-01 10:00, and is ${value}`);
    return null;
  };
  const id = text('id');
  const created = time('Date (UTC)') ?? time('Created (UTC)') ?? 0;
  const total = minor('Total');
  const tax = minor('Tax', true) || minor('Exclusive Tax Amount', true) + minor('Inclusive Tax Amount', true);
  const start = time('Minimum Line Item Period Start (UTC)') ?? created;
  const invoice = {
    object: 'invoice',
    ...{ id, created, total, tax, customer: text('Customer') || null, currency, status: text('Status') },
    status_transitions: {
      finalized_at: time('Finalized At (UTC)'),
      paid_at: time('Paid At (UTC)'),
      voided_at: time('Voided At (UTC)'),
      marked_uncollectible_at: time('Marked Uncollectible At (UTC)'),
    },
    metadata: metadataOf(row),
    lines: {
      // Marks the list as incomplete, so that complete lines from the API or a webhook replace it.
      has_more: true,
      data: [
        {
          id: 'csv',
          amount: total - tax,
          period: { start, end: time('Maximum Line Item Period End (UTC)') ?? start },
        },
      ],
    },
  };
  if (created === 0 && faults.length === 0) faults.push('has no time in the column Date (UTC)');
  return faults.length > 0 ? { faults } : { invoice };
}

/** Columns such as `plan (metadata)`. */
const metadataOf = (row: Row): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([column, value]) => {
      const key = /^(.+) \(metadata\)$/.exec(column)?.[1];
      return key === undefined || value === '' ? [] : [[key, value]];
    }),
  );
