import type { Kysely, RawBuilder } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Makes the tables of `ApartWatermarkRow` and `SetAsideIdRow`. `text` is the type of text columns. */
export async function createApartTables(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('apart_watermarks')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('writer', text, (column) => column.notNull())
    .addColumn('assembled_seq', 'bigint', (column) => column.notNull())
    .addColumn('assembled_received_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('apart_watermarks_key', ['project_id', 'writer'])
    .execute();
  await db.schema
    .createTable('set_aside_ids')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('event_id', text, (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('set_aside_ids_key', ['project_id', 'event_id'])
    .execute();
}
