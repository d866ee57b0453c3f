import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createAlertTables } from './alert-tables.ts';
import { createApartTables } from './apart-tables.ts';
import { createBudgetTable } from './budget-table.ts';
import { createCloseFactTables } from './close-fact-tables.ts';
import { createCloseTables } from './close-tables.ts';
import { createFurtherPrices } from './further-prices-table.ts';
import { createInvoiceTables } from './invoice-tables.ts';
import { createNotificationTables } from './notification-tables.ts';
import type { ControlSchema } from './schema.ts';
import { createSeenCatalogue } from './seen-catalogue-table.ts';
import { createStripeTables } from './stripe-tables.ts';

type Db = Kysely<ControlSchema>;

/**
 * The schema's history, forward only. Column types are those that both dialects have:
 * text (code-point order: `COLLATE "C"` in PostgreSQL, SQLite's default), bigint, integer and double precision.
 */
export const migrations = (dialect: 'sqlite' | 'postgres'): Record<string, Migration> => {
  const text = dialect === 'postgres' ? sql`text collate "C"` : sql`text`;
  return {
    '0001_foundation': {
      async up(db: Db) {
        await db.schema
          .createTable('projects')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('name', text, (column) => column.notNull())
          .addColumn('type', text, (column) => column.notNull())
          .addColumn('timezone', text, (column) => column.notNull())
          .addColumn('at_risk_below_pct', 'double precision')
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('deleted_at', 'bigint')
          .addColumn('purged_at', 'bigint')
          .execute();
        await db.schema
          .createTable('clients')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('name', text)
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('revoked_at', 'bigint')
          .execute();
        await db.schema.createIndex('clients_by_project').on('clients').columns(['project_id', 'id']).execute();
        await db.schema
          .createTable('client_secrets')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('client_id', text, (column) => column.notNull().references('clients.id'))
          .addColumn('hash', text, (column) => column.notNull().unique())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('last_used_at', 'bigint')
          .addColumn('expires_at', 'bigint')
          .addColumn('revoked_at', 'bigint')
          .execute();
        await db.schema
          .createIndex('client_secrets_by_client')
          .on('client_secrets')
          .columns(['client_id', 'id'])
          .execute();
        await db.schema
          .createTable('api_keys')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('name', text)
          .addColumn('scopes', text, (column) => column.notNull())
          .addColumn('hash', text, (column) => column.notNull().unique())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('last_used_at', 'bigint')
          .addColumn('expires_at', 'bigint')
          .addColumn('revoked_at', 'bigint')
          .execute();
        await db.schema.createIndex('api_keys_by_project').on('api_keys').columns(['project_id', 'id']).execute();
        await db.schema
          .createTable('dimension_tags')
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('dimension', text, (column) => column.notNull())
          .addColumn('name', text, (column) => column.notNull())
          .addColumn('key', text, (column) => column.notNull())
          .addColumn('value', text, (column) => column.notNull())
          .addPrimaryKeyConstraint('dimension_tags_key', ['project_id', 'dimension', 'name', 'key'])
          .execute();
        await db.schema
          .createIndex('dimension_tags_by_key')
          .on('dimension_tags')
          .columns(['project_id', 'dimension', 'key', 'name'])
          .execute();
        await db.schema
          .createTable('price_overrides')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('definition', text, (column) => column.notNull())
          .execute();
        await db.schema
          .createIndex('price_overrides_by_project')
          .on('price_overrides')
          .columns(['project_id', 'id'])
          .execute();
        await db.schema
          .createTable('price_data')
          .addColumn('hash', text, (column) => column.primaryKey())
          .addColumn('data', text, (column) => column.notNull())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createTable('price_books')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('catalogue_hash', text, (column) => column.notNull().references('price_data.hash'))
          .addColumn('corrections_hash', text, (column) => column.notNull().references('price_data.hash'))
          .addColumn('overrides', text, (column) => column.notNull())
          .addColumn('activated_at', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createIndex('price_books_by_project')
          .on('price_books')
          .columns(['project_id', 'activated_at'])
          .execute();
        await db.schema
          .createTable('writers')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('started_at', 'bigint', (column) => column.notNull())
          .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
          .addColumn('assembled_seq', 'bigint', (column) => column.notNull())
          .addColumn('assembled_received_at', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createTable('lease')
          .addColumn('id', 'integer', (column) => column.primaryKey())
          .addColumn('holder', text, (column) => column.notNull())
          .addColumn('epoch', 'bigint', (column) => column.notNull())
          .addColumn('expires_at', 'bigint', (column) => column.notNull())
          .addColumn('version', 'bigint', (column) => column.notNull())
          .execute();
        await db.insertInto('lease').values({ id: 1, holder: '', epoch: 0, expires_at: 0, version: 0 }).execute();
        await db.schema
          .createTable('days')
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('day', text, (column) => column.notNull())
          .addColumn('generation', 'bigint', (column) => column.notNull())
          .addPrimaryKeyConstraint('days_key', ['project_id', 'day'])
          .execute();
      },
    },
    '0002_whole_interface': {
      async up(db: Db) {
        await db.schema.alterTable('projects').addColumn('pending_timezone', text).execute();
        await db.schema
          .alterTable('projects')
          .addColumn('base_generation', 'bigint', (column) => column.notNull().defaultTo(0))
          .execute();
        await db.schema
          .alterTable('price_books')
          .addColumn('timezone', text, (column) => column.notNull().defaultTo('UTC'))
          .execute();
        await db
          .updateTable('price_books')
          .set({ timezone: sql<string>`(select timezone from projects where projects.id = price_books.project_id)` })
          .execute();
        await db.schema
          .createTable('rebuilds')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('kind', text, (column) => column.notNull())
          .addColumn('dry_run', 'integer', (column) => column.notNull())
          .addColumn('state', text, (column) => column.notNull())
          .addColumn('requested_by', text, (column) => column.notNull())
          .addColumn('date_from', text)
          .addColumn('date_to', text)
          .addColumn('timezone', text, (column) => column.notNull())
          .addColumn('price_book_id', text, (column) => column.references('price_books.id'))
          .addColumn('generation', 'bigint', (column) => column.notNull())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('finished_at', 'bigint')
          .addColumn('cleaned_at', 'bigint')
          .addColumn('mark', 'bigint')
          .addColumn('position', 'bigint')
          .addColumn('events_total', 'bigint', (column) => column.notNull())
          .addColumn('events_done', 'bigint', (column) => column.notNull())
          .addColumn('report', text)
          .addColumn('failure', text)
          .execute();
        await db.schema
          .createIndex('rebuilds_by_project')
          .on('rebuilds')
          .columns(['project_id', 'generation'])
          .unique()
          .execute();
        await db.schema
          .createTable('credit_grants')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('name', text)
          .addColumn('provider', text, (column) => column.notNull())
          .addColumn('models', text)
          .addColumn('amount', text, (column) => column.notNull())
          .addColumn('starts_on', text, (column) => column.notNull())
          .addColumn('expires_on', text)
          .addColumn('priority', 'integer', (column) => column.notNull())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createIndex('credit_grants_by_project')
          .on('credit_grants')
          .columns(['project_id', 'id'])
          .execute();
        await db.schema
          .createTable('revenue_entries')
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('external_id', text, (column) => column.notNull())
          .addColumn('customer', text, (column) => column.notNull())
          .addColumn('amount', text, (column) => column.notNull())
          .addColumn('date_from', text, (column) => column.notNull())
          .addColumn('date_to', text, (column) => column.notNull())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('updated_at', 'bigint', (column) => column.notNull())
          .addPrimaryKeyConstraint('revenue_entries_key', ['project_id', 'external_id'])
          .execute();
        await db.schema
          .createIndex('revenue_entries_by_days')
          .on('revenue_entries')
          .columns(['project_id', 'date_to', 'date_from'])
          .execute();
        await db.schema
          .createIndex('revenue_entries_by_customer')
          .on('revenue_entries')
          .columns(['project_id', 'customer'])
          .execute();
        await db.schema
          .createTable('key_metrics')
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('name', text, (column) => column.notNull())
          .addColumn('event_type', text, (column) => column.notNull())
          .addColumn('aggregation', text, (column) => column.notNull())
          .addColumn('field', text)
          .addColumn('features', text)
          .addColumn('unit', text)
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('updated_at', 'bigint', (column) => column.notNull())
          .addPrimaryKeyConstraint('key_metrics_key', ['project_id', 'name'])
          .execute();
        await db.schema
          .createTable('sessions')
          .addColumn('id_hash', text, (column) => column.primaryKey())
          .addColumn('credential_hash', text, (column) => column.notNull())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('expires_at', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createTable('erasures')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('dimension', text, (column) => column.notNull())
          .addColumn('name', text, (column) => column.notNull())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('step', 'integer', (column) => column.notNull())
          .addColumn('finished_at', 'bigint')
          .execute();
        await db.schema
          .createTable('catalogue_updates')
          .addColumn('hash', text, (column) => column.primaryKey().references('price_data.hash'))
          .addColumn('package_version', text, (column) => column.notNull())
          .addColumn('fetched_at', 'bigint', (column) => column.notNull())
          .execute();
      },
    },
    '0003_sealed_days': {
      async up(db: Db) {
        for (const column of ['touched', 'touched_at', 'sealed', 'seal'] as const) {
          await db.schema
            .alterTable('days')
            .addColumn(column, 'bigint', (added) => added.notNull().defaultTo(column === 'touched' ? 1 : 0))
            .execute();
        }
      },
    },
    // The rollups of days are in other tables: every day is sealed again.
    '0004_cell_tables': {
      async up(db: Db) {
        await sql`update days set sealed = 0`.execute(db);
      },
    },
    '0005_retention': {
      async up(db: Db) {
        for (const column of ['retention_days', 'frozen_at'] as const) {
          await db.schema.alterTable('projects').addColumn(column, 'bigint').execute();
        }
        for (const column of ['frozen_before', 'cleared_before', 'clearing_before'] as const) {
          await db.schema.alterTable('projects').addColumn(column, text).execute();
        }
        await db.schema
          .alterTable('projects')
          .addColumn('clearing_step', 'bigint', (column) => column.notNull().defaultTo(0))
          .execute();
        await db.schema
          .createTable('kept_readings')
          .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
          .addColumn('reading', text, (column) => column.notNull())
          .addColumn('kept_from', text, (column) => column.notNull())
          .addColumn('kept_before', text, (column) => column.notNull())
          .addPrimaryKeyConstraint('kept_readings_key', ['project_id', 'reading', 'kept_from'])
          .execute();
      },
    },
    '0006_backups': {
      async up(db: Db) {
        await db.schema
          .createTable('backups')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('created_at', 'bigint', (column) => column.notNull())
          .addColumn('expires_at', 'bigint', (column) => column.notNull())
          .addColumn('plan', text, (column) => column.notNull())
          .execute();
      },
    },
    '0007_stored_sequences': {
      async up(db: Db) {
        await db.schema.alterTable('writers').addColumn('stored_seq', 'bigint').execute();
      },
    },
    '0008_releases': {
      async up(db: Db) {
        await db.schema
          .createTable('releases')
          .addColumn('version', text, (column) => column.primaryKey())
          .addColumn('first_started_at', 'bigint', (column) => column.notNull())
          .execute();
      },
    },
    '0009_crossing_runs_in_cells': { up: openSealedDays },
    '0010_rereads': {
      async up(db: Db) {
        await db.schema
          .alterTable('rebuilds')
          .addColumn('reread', 'integer', (column) => column.notNull().defaultTo(0))
          .execute();
        // Every batch of assembly reads this index, which is nearly always empty.
        await db.schema
          .createIndex('rebuilds_rereads')
          .on('rebuilds')
          .columns(['project_id', 'generation'])
          .where(sql.ref('reread'), '=', sql.lit(1))
          .execute();
      },
    },
    '0011_keep_content': {
      async up(db: Db) {
        await sql`alter table projects add column keep_content integer not null default 0`.execute(db);
      },
    },
    '0012_budgets': { up: (db: Db) => createBudgetTable(db, text) },
    '0013_notifications': { up: (db: Db) => createNotificationTables(db, text) },
    '0014_alerts': { up: (db: Db) => createAlertTables(db, text) },
    '0015_stripe': { up: (db: Db) => createStripeTables(db, text) },
    '0016_invoices': { up: (db: Db) => createInvoiceTables(db, text) },
    '0017_closes': { up: (db: Db) => createCloseTables(db, text) },
    '0018_close_facts': { up: (db: Db) => createCloseFactTables(db, text) },
    '0019_seen_catalogue': {
      async up(db: Db) {
        await createSeenCatalogue(db, text);
      },
    },
    '0020_assumptions': {
      async up(db: Db) {
        await db.schema.alterTable('rebuilds').addColumn('assumption', text).execute();
      },
    },
    '0021_run_cells': { up: openSealedDays },
    '0022_coverage': { up: openSealedDays },
    '0023_apart': { up: (db: Db) => createApartTables(db, text) },
    '0024_further_prices': { up: (db: Db) => createFurtherPrices(db, text) },
    // The days of entries from Stripe are counted otherwise.
    '0025_stripe_days': {
      async up(db: Db) {
        await sql`insert into stripe_remakes (project_id, after_invoice)
          select distinct project_id, '' from stripe_objects where true
          on conflict (project_id) do update set after_invoice = ''`.execute(db);
      },
    },
    '0029_join_alike': {
      async up(db: Db) {
        await sql`alter table projects add column join_alike integer not null default 1`.execute(db);
      },
    },
  };
};

/** Opens every day, so that it is sealed again in another form. Frozen days stay: their calls are deleted. */
async function openSealedDays(db: Db): Promise<void> {
  await sql`update days set sealed = 0 where not exists (
    select 1 from projects where projects.id = days.project_id and days.day < projects.frozen_before
  )`.execute(db);
}
