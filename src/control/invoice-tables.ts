import type { Kysely, RawBuilder } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Makes the table of invoices (D18.1): `InvoiceEntryRow`. `text` is the type of text columns. */
export async function createInvoiceTables(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('invoice_entries')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('external_id', text, (column) => column.notNull())
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('date_from', text, (column) => column.notNull())
    .addColumn('date_to', text, (column) => column.notNull())
    .addColumn('model', text)
    .addColumn('amount', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('description', text)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('invoice_entries_key', ['project_id', 'external_id'])
    .execute();
  await db.schema
    .createIndex('invoice_entries_by_day')
    .on('invoice_entries')
    .columns(['project_id', 'date_to', 'date_from'])
    .execute();
}
