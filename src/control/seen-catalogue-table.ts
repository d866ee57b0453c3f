import type { Kysely, RawBuilder } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Makes the table of the newest catalogue that was seen. `text` is the type of text columns. */
export async function createSeenCatalogue(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('seen_catalogue')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('package_version', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('data', text, (column) => column.notNull())
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .execute();
}
