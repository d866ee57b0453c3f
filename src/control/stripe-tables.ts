import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Makes the tables for Stripe (D17), and the columns of its revenue entries. `text` is the type of text columns. */
export async function createStripeTables(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  const entries = () => db.schema.alterTable('revenue_entries');
  await entries()
    .addColumn('currency', text, (column) => column.notNull().defaultTo('USD'))
    .execute();
  await entries()
    .addColumn('source', text, (column) => column.notNull().defaultTo('api'))
    .execute();
  for (const column of ['rate_day', 'stripe_customer', 'stripe_invoice'] as const) {
    await entries().addColumn(column, text).execute();
  }
  await entries()
    .addColumn('is_named', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // Holds only entries from Stripe, so that other entries cost no more to write.
  for (const column of ['stripe_invoice', 'stripe_customer'] as const) {
    await db.schema
      .createIndex(`revenue_entries_by_${column}`)
      .on('revenue_entries')
      .columns(['project_id', column])
      .where(sql.ref(column), 'is not', null)
      .execute();
  }
  await db.schema
    .createTable('stripe_hooks')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('old_secret', text)
    .addColumn('customer_key', text)
    .addColumn('events', 'bigint', (column) => column.notNull())
    .addColumn('last_event_at', 'bigint')
    .addColumn('refused_at', 'bigint')
    .addColumn('refusal', text)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute();
  await db.schema.createIndex('stripe_hooks_by_project').on('stripe_hooks').columns(['project_id', 'id']).execute();
  await db.schema
    .createTable('stripe_objects')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('invoice_id', text)
    .addColumn('payment', text)
    .addColumn('stripe_customer', text)
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('stripe_objects_key', ['project_id', 'id'])
    .execute();
  for (const column of ['invoice_id', 'payment', 'stripe_customer'] as const) {
    await db.schema
      .createIndex(`stripe_objects_by_${column}`)
      .on('stripe_objects')
      .columns(['project_id', column])
      .execute();
  }
  await db.schema
    .createTable('stripe_customers')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('stripe_customer', text, (column) => column.notNull())
    .addColumn('customer', text, (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('stripe_customers_key', ['project_id', 'stripe_customer'])
    .execute();
  await db.schema
    .createTable('stripe_remakes')
    .addColumn('project_id', text, (column) => column.primaryKey().references('projects.id'))
    .addColumn('after_invoice', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('exchange_rates')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('currency', text, (column) => column.notNull())
    .addColumn('day', text, (column) => column.notNull())
    .addColumn('usd', text, (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('exchange_rates_key', ['project_id', 'currency', 'day'])
    .execute();
}
