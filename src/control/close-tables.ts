import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Makes the tables of `CloseRow`, `CloseDayRow` and `PinnedCopyRow` (D19.1). `text` is the type of text columns. */
export async function createCloseTables(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('closed_through', text).execute();
  await db.schema
    .createTable('closes')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('through', text, (column) => column.notNull())
    .addColumn('note', text)
    .addColumn('requested_at', 'bigint', (column) => column.notNull())
    .addColumn('closed_at', 'bigint')
    .addColumn('timezone', text, (column) => column.notNull())
    .addColumn('base_generation', 'bigint', (column) => column.notNull())
    .addColumn('frozen_before', text)
    .addColumn('readings_version', 'bigint', (column) => column.notNull())
    .addColumn('moves', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('closes_listed').on('closes').columns(['project_id', 'through']).execute();
  // A project has at most one close under way.
  await db.schema
    .createIndex('closes_waiting')
    .on('closes')
    .columns(['project_id'])
    .unique()
    .where(sql.ref('closed_at'), 'is', null)
    .execute();
  await db.schema
    .createTable('close_days')
    .addColumn('close_id', text, (column) => column.notNull().references('closes.id'))
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('day', text, (column) => column.notNull())
    .addColumn('generation', 'bigint', (column) => column.notNull())
    .addColumn('seal', 'bigint', (column) => column.notNull())
    .addColumn('readings', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('close_days_key', ['close_id', 'day'])
    .execute();
  await db.schema.createIndex('close_days_pinned').on('close_days').columns(['project_id', 'day']).execute();
  await db.schema
    .createIndex('close_days_unsealed')
    .on('close_days')
    .columns(['project_id', 'day'])
    .where(sql.ref('seal'), '=', sql.lit(0))
    .execute();
  await db.schema
    .createTable('pinned_copies')
    .addColumn('project_id', text, (column) => column.notNull())
    .addColumn('generation', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('pinned_copies_key', ['project_id', 'generation'])
    .execute();
}
