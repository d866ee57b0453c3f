import type { Kysely, RawBuilder } from 'kysely';
import type { ControlSchema } from './schema.ts';

/**
 * Makes the tables of the facts that closes pin (D19.1), with the indexes of the tables that hold the current ones.
 * `text` is the type of text columns.
 */
export async function createCloseFactTables(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  const begin = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('close_id', text, (column) => column.notNull())
      .addColumn('project_id', text, (column) => column.notNull().references('projects.id'));
  await begin('pinned_settings')
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('at_risk_below_pct', 'double precision')
    .addPrimaryKeyConstraint('pinned_settings_key', ['close_id'])
    .execute();
  await begin('pinned_tags')
    .addColumn('dimension', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('value', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('pinned_tags_key', ['close_id', 'dimension', 'name', 'key'])
    .execute();
  await db.schema
    .createIndex('pinned_tags_by_key')
    .on('pinned_tags')
    .columns(['close_id', 'dimension', 'key', 'name'])
    .execute();
  await begin('pinned_grants')
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('name', text)
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('models', text)
    .addColumn('amount', text, (column) => column.notNull())
    .addColumn('starts_on', text, (column) => column.notNull())
    .addColumn('expires_on', text)
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('pinned_grants_key', ['close_id', 'id'])
    .execute();
  await begin('pinned_revenue')
    .addColumn('external_id', text, (column) => column.notNull())
    .addColumn('customer', text, (column) => column.notNull())
    .addColumn('amount', text, (column) => column.notNull())
    .addColumn('date_from', text, (column) => column.notNull())
    .addColumn('date_to', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('pinned_revenue_key', ['close_id', 'external_id'])
    .execute();
  await db.schema
    .createIndex('pinned_revenue_by_days')
    .on('pinned_revenue')
    .columns(['close_id', 'date_to', 'date_from'])
    .execute();
  await db.schema
    .createIndex('pinned_revenue_by_customer')
    .on('pinned_revenue')
    .columns(['close_id', 'customer'])
    .execute();
  await begin('pinned_key_metrics')
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('event_type', text, (column) => column.notNull())
    .addColumn('aggregation', text, (column) => column.notNull())
    .addColumn('field', text)
    .addColumn('features', text)
    .addColumn('unit', text)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('pinned_key_metrics_key', ['close_id', 'name'])
    .execute();
  await begin('pinned_readings')
    .addColumn('reading', text, (column) => column.notNull())
    .addColumn('kept_from', text, (column) => column.notNull())
    .addColumn('kept_before', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('pinned_readings_key', ['close_id', 'reading', 'kept_from'])
    .execute();
  // Erasures and purges look for the rows of a project.
  for (const table of ['pinned_tags', 'pinned_revenue'] as const) {
    await db.schema
      .createIndex(`${table}_of_project`)
      .on(table)
      .columns(['project_id', table === 'pinned_tags' ? 'name' : 'customer'])
      .execute();
  }
}
