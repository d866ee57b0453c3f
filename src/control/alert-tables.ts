import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Makes the tables of alerts (D20.3): `AlertWatchRow` and `FiringRow`. `text` is the type of text columns. */
export async function createAlertTables(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('alert_watches')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('settings', text, (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('begun', 'integer', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .addColumn('looked_day', text)
    .addPrimaryKeyConstraint('alert_watches_key', ['project_id', 'kind'])
    .execute();
  await db.schema
    .createTable('firings')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('cause', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('customer', text)
    .addColumn('user', text)
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('is_quiet', 'integer', (column) => column.notNull())
    .addColumn('numbers', text, (column) => column.notNull())
    .addColumn('title', text, (column) => column.notNull())
    .addColumn('text', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .execute();
  // A cause fires once, however many instances look.
  await db.schema
    .createIndex('firings_open')
    .on('firings')
    .columns(['project_id', 'kind', 'cause'])
    .unique()
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  await db.schema.createIndex('firings_listed').on('firings').columns(['project_id', 'started_at', 'id']).execute();
}
