import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ControlSchema } from './schema.ts';

/** Makes the tables of notifications: endpoints, outbox, and the log of attempts (D20.5). */
export async function createNotificationTables(db: Kysely<ControlSchema>, text: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('notification_endpoints')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('target', text, (column) => column.notNull())
    .addColumn('secret', text)
    .addColumn('old_secret', text)
    .addColumn('old_secret_until', 'bigint')
    .addColumn('alerts', text)
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('disabled_reason', text)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('notification_endpoints_by_project')
    .on('notification_endpoints')
    .columns(['project_id', 'id'])
    .execute();
  // Without references to endpoints: one may be deleted while a notification for it is stored.
  await db.schema
    .createTable('notification_deliveries')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('endpoint_id', text, (column) => column.notNull())
    .addColumn('notification_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('event', text, (column) => column.notNull())
    .addColumn('content', text)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('claimed_by', text)
    .addColumn('claimed_until', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addUniqueConstraint('notification_deliveries_once', ['endpoint_id', 'notification_id'])
    .execute();
  for (const column of ['next_attempt_at', 'finished_at'] as const) {
    // Holds only the waiting or the finished rows, because every step of the job looks for due ones.
    await db.schema
      .createIndex(`notification_deliveries_${column}`)
      .on('notification_deliveries')
      .column(column)
      .where(sql.ref(column), 'is not', null)
      .execute();
  }
  await db.schema
    .createTable('notification_attempts')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('endpoint_id', text, (column) => column.notNull())
    .addColumn('delivery_id', text, (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('error', text)
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('notification_attempts_by_endpoint')
    .on('notification_attempts')
    .columns(['endpoint_id', 'id'])
    .execute();
  await db.schema.createIndex('notification_attempts_by_time').on('notification_attempts').column('at').execute();
}
