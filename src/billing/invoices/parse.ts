import { z } from 'zod';
import { dayField } from '../../lib/day-field.ts';
import { storableText } from '../../lib/tag-map.ts';
import { amountField, entriesField, entryDaysChecks, externalIdField } from '../revenue/parse.ts';
import { type InvoiceEntry, type InvoiceKind, invoiceKinds } from './entry.ts';

/** The body of `POST /api/invoices/` (D18.1). */

export const exampleEntry = {
  external_id: 'openai-2026-11-01-gpt-4o-input',
  provider: 'openai',
  date_from: '2026-11-01',
  date_to: '2026-11-01',
  model: 'gpt-4o-2024-08-06',
  amount: 12.34,
  kind: 'usage' as const,
  description: 'gpt-4o-2024-08-06, input',
};

export const providerField = storableText(1_024)
  .describe('The provider, as named on its calls; upper and lower case are the same.')
  .meta({ example: exampleEntry.provider });

/** Kinds that lower an invoice. A positive amount of such a kind nearly always lacks its sign. */
const lowering: ReadonlySet<InvoiceKind> = new Set(['discount', 'credit']);

const hasKindAndAmount = ({ value }: { readonly value: unknown }): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'amount' in value &&
  typeof value.amount === 'bigint' &&
  'kind' in value;

const entry = z
  .strictObject({
    external_id: externalIdField,
    provider: providerField,
    date_from: dayField.describe('First day, inclusive, in UTC, as providers count days.'),
    date_to: dayField.optional().describe('Last day, inclusive; default: date_from.'),
    model: storableText(1_024)
      .nullish()
      .transform((model) => model ?? undefined)
      .describe('The model, as the invoice names it. Leave it out if the invoice names none.'),
    amount: amountField(', as it changes the invoice: discounts and credits are negative.', exampleEntry.amount),
    kind: z.enum(invoiceKinds).default('usage').describe('What the amount is for.'),
    description: storableText(1_024)
      .nullish()
      .transform((text) => text ?? undefined)
      .describe('What the invoice calls it.'),
  })
  .check(...entryDaysChecks)
  .refine(({ amount, kind }) => !lowering.has(kind) || amount <= 0n, {
    error: 'must not be above 0: a discount or credit lowers the invoice',
    path: ['amount'],
    params: { code: 'out_of_range' },
    when: hasKindAndAmount,
  });

export const invoicesBody = z
  .strictObject({ entries: entriesField(entry) })
  .meta({ examples: [{ entries: [exampleEntry] }] });

export type InvoiceWire = z.input<typeof entry>;

export const toEntries = ({ entries }: z.output<typeof invoicesBody>): InvoiceEntry[] =>
  entries.map((one) => ({
    externalId: one.external_id,
    provider: one.provider,
    dateFrom: one.date_from,
    dateTo: one.date_to ?? one.date_from,
    model: one.model,
    amount: one.amount,
    kind: one.kind,
    description: one.description,
  }));
