import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import { dayField } from '../../lib/day-field.ts';
import type { App } from '../../lib/http/app.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { cutPage, pageOf, pageQueryFields } from '../../lib/http/page-envelope.ts';
import { moneyField } from '../../lib/http/row-fields.ts';
import { toJsonNumber } from '../../lib/money.ts';
import { timeField, toTime } from '../../lib/times.ts';
import { type ControlSources, deleteRows } from '../../storage/control/control-store.ts';
import { entryRange, externalIdField, rangeCheck } from '../revenue/parse.ts';
import {
  deleteInvoicesWithin,
  type InvoiceFilter,
  listInvoices,
  type StoredInvoiceEntry,
  storeInvoices,
} from './entries.ts';
import { invoiceKinds } from './entry.ts';
import { exampleEntry, invoicesBody, providerField, toEntries } from './parse.ts';

const storedEntry = z.object({
  external_id: z.string(),
  provider: z.string(),
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
  model: z.string().nullable(),
  amount: moneyField('USD; negative for a discount or credit.'),
  kind: z.enum(invoiceKinds),
  description: z.string().nullable(),
  created_at: timeField,
  updated_at: timeField,
});

const exampleStored = {
  ...exampleEntry,
  created_at: '2026-11-21T05:26:29.684Z',
  updated_at: '2026-11-21T05:26:29.684Z',
};

const invoicesPage = pageOf(storedEntry, exampleStored);

export type InvoicesPage = z.output<typeof invoicesPage>;

const deletedFields = z.object({ deleted: z.number().int() });
export type DeletedInvoicesWire = z.output<typeof deletedFields>;

const listQuery = z
  .strictObject({
    provider: z.string().optional().describe('Only entries of this provider, as stored.'),
    ...entryRange,
    ...pageQueryFields,
  })
  .check(rangeCheck);

const deleteQuery = z
  .strictObject({
    provider: providerField,
    date_from: dayField.describe('First day.'),
    date_to: dayField.describe('Last day. Entries with a day before or after these are kept.'),
  })
  .check(rangeCheck);

/** `GET/POST/DELETE /api/invoices/`, `DELETE /api/invoices/{external_id}/` (D18.1). */
export function registerInvoices(app: App, { control, clock }: ControlSources): void {
  app.get('/api/invoices/', {
    config: { access: 'read' },
    schema: {
      summary: 'The entries of invoices',
      description: 'Sorted by `external_id`. The dates select the entries with a day in the range.',
      tags: ['Invoices'],
      querystring: listQuery,
      response: { 200: invoicesPage },
    },
    handler: async (request) => {
      const { provider, date_from: dateFrom, date_to: dateTo, limit, cursor } = request.query;
      const projectId = projectOf(request).id;
      const filter: InvoiceFilter = { provider, dateFrom, dateTo };
      const question = ['invoices', projectId, provider, dateFrom, dateTo];
      const after = cursor === undefined ? undefined : openCursor(question, cursor, z.tuple([externalIdField]))[0];
      // One extra entry shows whether there is a next page.
      const found = await listInvoices(control, projectId, filter, { after, limit: limit + 1 });
      const { rows, end } = cutPage(question, found, limit, ({ externalId }) => [externalId]);
      return { rows: rows.map(toWire), ...end };
    },
  });
  app.post('/api/invoices/', {
    config: { access: 'write' },
    schema: {
      summary: 'Add and replace entries of invoices',
      description:
        'All entries are stored or none. An entry replaces the stored one with the same `external_id`. No cost changes.',
      tags: ['Invoices'],
      body: invoicesBody,
      response: {
        201: z
          .object({ stored: z.number().int() })
          .meta({ description: 'All entries are stored.', examples: [{ stored: 1 }] }),
      },
    },
    handler: async (request, reply) => {
      const entries = toEntries(request.body);
      await storeInvoices(control, projectOf(request).id, entries, clock);
      return reply.code(201).send({ stored: entries.length });
    },
  });
  app.delete('/api/invoices/', {
    config: { access: 'write' },
    schema: {
      summary: 'Delete the invoices of a provider in a range of days',
      description: 'Deletes the entries whose days are all in the range.',
      tags: ['Invoices'],
      querystring: deleteQuery,
      response: {
        200: deletedFields.meta({ description: 'How many entries are deleted.', examples: [{ deleted: 30 }] }),
      },
    },
    handler: async (request) => {
      const { provider, date_from: dateFrom, date_to: dateTo } = request.query;
      return {
        deleted: await deleteInvoicesWithin(control, projectOf(request).id, { provider, dateFrom, dateTo }),
      };
    },
  });
  registerDeletion(app, '/api/invoices/:external_id/', {
    summary: 'Delete an entry of an invoice',
    description: 'The entry no longer counts in reconciliations. No cost changes.',
    tags: ['Invoices'],
    params: z.object({ external_id: externalIdField }),
    done: 'The entry is deleted.',
    missing: 'This project has no entry of an invoice with this external_id.',
    run: (key, projectId) => deleteRows(control, 'invoice_entries', { project_id: projectId, ...key }),
  });
}

const toWire = (entry: StoredInvoiceEntry) => ({
  external_id: entry.externalId,
  provider: entry.provider,
  date_from: entry.dateFrom,
  date_to: entry.dateTo,
  model: entry.model ?? null,
  amount: toJsonNumber(entry.amount),
  kind: entry.kind,
  description: entry.description ?? null,
  created_at: toTime(entry.createdAt),
  updated_at: toTime(entry.updatedAt),
});
