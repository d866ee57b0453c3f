import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage, pageOf, pageQueryFields } from '../../lib/http/page-envelope.ts';
import { moneyField, nullableMoneyField } from '../../lib/http/row-fields.ts';
import { toJsonNumber } from '../../lib/money.ts';
import { timeField, toTime } from '../../lib/times.ts';
import { parseAmount, toUsd } from '../../reports/facts/counted.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import { deleteEntry, type EntryFilter, listEntries, type StoredEntry, storeEntries } from './entries.ts';
import { entryRange, exampleEntry, externalIdField, rangeCheck, revenueBody } from './parse.ts';

const storedEntry = z.object({
  external_id: z.string(),
  customer: z.string(),
  amount: nullableMoneyField(
    'USD; negative for a refund. Null while its currency has no exchange rate: then it does not count.',
  ),
  currency: z.string().describe('Of `original_amount`; USD for what was posted.'),
  original_amount: moneyField('In `currency`.'),
  source: z.enum(['api', 'stripe']),
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
  created_at: timeField,
  updated_at: timeField,
});
const exampleStored = {
  external_id: exampleEntry.external_id,
  customer: exampleEntry.customer,
  amount: exampleEntry.amount,
  currency: 'USD',
  original_amount: exampleEntry.amount,
  source: 'api' as const,
  date_from: exampleEntry.date_from,
  date_to: exampleEntry.date_to,
  created_at: '2026-11-21T05:26:29.684Z',
  updated_at: '2026-11-21T05:26:29.684Z',
};

const listQuery = z
  .strictObject({
    customer: z.string().optional().describe('Only the entries of this customer.'),
    ...entryRange,
    ...pageQueryFields,
  })
  .check(rangeCheck);

/** `GET/POST /api/revenue/`, `DELETE /api/revenue/{external_id}/` (D2, D8.1). */
export function registerRevenue(app: App, { control, clock }: ControlSources): void {
  app.get('/api/revenue/', {
    config: { access: 'read' },
    schema: {
      summary: 'The revenue entries',
      description: 'Sorted by `external_id`. The dates select the entries with a day in the range.',
      tags: ['Revenue'],
      querystring: listQuery,
      response: { 200: pageOf(storedEntry, exampleStored).meta({ description: 'A page of entries.' }) },
    },
    handler: async (request) => {
      const { customer, date_from: dateFrom, date_to: dateTo, limit, cursor } = request.query;
      const projectId = projectOf(request).id;
      const filter: EntryFilter = { customer, dateFrom, dateTo };
      const question = ['revenue', projectId, customer, dateFrom, dateTo];
      const after = cursor === undefined ? undefined : openCursor(question, cursor, z.tuple([externalIdField]))[0];
      // One extra entry shows whether there is a next page.
      const found = await listEntries(control, projectId, filter, { after, limit: limit + 1 });
      const { rows, end } = cutPage(question, found, limit, ({ external_id: id }) => [id]);
      return { rows: rows.map(toWire), ...end };
    },
  });
  app.post('/api/revenue/', {
    config: { access: 'write' },
    schema: {
      summary: 'Add and replace revenue entries',
      description:
        'All entries are stored or none. An entry replaces the stored one with the same `external_id`. An amount is earned evenly over the days of its entry.',
      tags: ['Revenue'],
      body: revenueBody,
      response: {
        200: z
          .object({ ok: z.literal(true), entries_stored: z.number().int() })
          .meta({ description: 'All entries are stored.', examples: [{ ok: true, entries_stored: 1 }] }),
      },
    },
    handler: async (request) => {
      const entries = request.body.entries.map((entry) => ({
        externalId: entry.external_id,
        customer: entry.customer,
        amount: entry.amount,
        dateFrom: entry.date_from,
        dateTo: entry.date_to ?? entry.date_from,
      }));
      await storeEntries(control, projectOf(request).id, entries, clock);
      return { ok: true as const, entries_stored: entries.length };
    },
  });
  registerDeletion(app, '/api/revenue/:external_id/', {
    summary: 'Delete a revenue entry',
    description: 'It no longer earns anything, also on past days.',
    tags: ['Revenue'],
    params: z.object({ external_id: externalIdField }),
    done: 'The entry is deleted.',
    missing: 'This project has no revenue entry with this external_id.',
    conflict: 'The entry comes from Stripe.',
    run: ({ external_id: id }, projectId) => deleteEntry(control, projectId, id),
  });
}

const toWire = ({ external_id, customer, currency, source, date_from, date_to, ...entry }: StoredEntry) => ({
  ...{ external_id, customer, currency, source, date_from, date_to },
  amount: currency !== 'USD' && entry.rate === null ? null : toJsonNumber(toUsd(entry.amount, entry.rate)),
  original_amount: toJsonNumber(parseAmount(entry.amount)),
  created_at: toTime(entry.created_at),
  updated_at: toTime(entry.updated_at),
});
