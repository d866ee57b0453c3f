import type { Kysely, RawBuilder } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Adds the further lists to price books, and makes the table of fetched ones. `text` is the type of text columns. */
export async function createFurtherPrices(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .alterTable('price_books')
    .addColumn('further_hash', text, (column) => column.references('price_data.hash'))
    .execute();
  await db.schema
    .createTable('price_list_updates')
    .addColumn('list', text, (column) => column.primaryKey())
    .addColumn('version', text, (column) => column.notNull())
    .addColumn('date', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull().references('price_data.hash'))
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .execute();
}
