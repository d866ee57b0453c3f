import type { AnalyticStore } from '../clickhouse/analytic-store.ts';
import { projectTables } from '../clickhouse/schema.ts';
import type { ControlStore } from '../control/control-store.ts';
import type { Clock } from '../lib/clock.ts';

export interface PurgeOptions {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly clock: Clock;
}

/** The tables that hold rows of projects, those that refer to another before it. */
const tablesOfProjects = [
  'clients',
  'api_keys',
  'dimension_tags',
  'rebuilds',
  'price_overrides',
  'price_books',
  'days',
  'credit_grants',
  'revenue_entries',
  'key_metrics',
  'erasures',
] as const;

/** How long after a deletion its data goes: events that were on their way in have arrived by then, in milliseconds. */
const graceMs = 15_000;

/**
 * Empties every table of a project that was deleted (D2). It can be stopped anywhere and goes on where it was: each step
 * can be repeated, and the project counts as purged only after the last. True when there was one to purge.
 */
export async function purgeDeletedProject({ store, control, clock }: PurgeOptions): Promise<boolean> {
  const project = await control
    .selectFrom('projects')
    .select('id')
    .where('deleted_at', '<', clock() - graceMs)
    .where('purged_at', 'is', null)
    .orderBy('deleted_at')
    .executeTakeFirst();
  if (!project) return false;
  const { id } = project;

  for (const table of projectTables) {
    await store.command(`ALTER TABLE ${table} DELETE WHERE project = {project:String} SETTINGS mutations_sync = 1`, {
      project: id,
    });
  }
  await control.transaction().execute(async (transaction) => {
    const clients = transaction.selectFrom('clients').select('clients.id').where('project_id', '=', id);
    await transaction.deleteFrom('client_secrets').where('client_id', 'in', clients).execute();
    for (const table of tablesOfProjects) await transaction.deleteFrom(table).where('project_id', '=', id).execute();
    await transaction.updateTable('projects').set({ name: '', purged_at: clock() }).where('id', '=', id).execute();
  });
  return true;
}
