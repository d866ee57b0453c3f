import { PostgresAdapter, sql } from 'kysely';
import { unrecorded } from '../../lib/actor.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { projectTables } from '../../storage/analytic/project-tables.ts';
import type { BackgroundJob } from '../../storage/background-job.ts';
import type { ControlSources, ControlStore } from '../../storage/control/control-store.ts';

export interface PurgeOptions extends ControlSources {
  readonly store: Pick<AnalyticStore, 'select' | 'command' | 'isDeleting'>;
}

export class Purger implements BackgroundJob {
  readonly name = 'purge';
  readonly restsDuringBackup = true;
  readonly #options: PurgeOptions & { readonly logger: Logger };

  constructor(options: PurgeOptions & { readonly logger: Logger }) {
    this.#options = options;
  }

  async step(): Promise<boolean> {
    const purged = await purgeDeletedProjects(this.#options);
    if (purged > 0) this.#options.logger.info({ projects: purged }, 'deleted projects were purged');
    return purged > 0;
  }
}

/** The tables that hold rows of projects; referring tables come before the ones they refer to. */
const tablesOfProjects = [
  ...(['clients', 'api_keys', 'dimension_tags', 'rebuilds', 'price_overrides', 'price_books', 'days'] as const),
  ...(['credit_grants', 'revenue_entries', 'key_metrics', 'kept_readings', 'budgets', 'erasures'] as const),
  ...(['plan_simulations', 'member_roles'] as const),
  ...(['notification_attempts', 'notification_deliveries', 'notification_endpoints', 'alert_watches'] as const),
  ...(['firings', 'invoice_entries', 'close_days', 'closes', 'pinned_copies', 'exchange_rates'] as const),
  ...(['stripe_hooks', 'stripe_objects', 'stripe_customers', 'stripe_remakes'] as const),
  ...(['provider_calls', 'provider_accounts'] as const),
  ...(['apart_watermarks', 'set_aside_ids', 'pinned_settings', 'pinned_tags', 'pinned_grants'] as const),
  ...(['pinned_revenue', 'pinned_key_metrics', 'pinned_readings'] as const),
  ...(['shared_costs', 'pinned_shared_costs', 'audit_entries'] as const),
];

/** Milliseconds from deletion to purge: events that are being received get stored before that. */
const graceMs = 15_000;

/** Rows of the control store deleted by one statement, because requests wait while SQLite runs it. */
const sliceRows = 1_000;
/** How long a step deletes rows of the control store, in milliseconds, because assembly waits meanwhile. */
const factsMs = 100;

/** The most projects purged in one step. */
const maxAtOnce = 100;

/**
 * Deletes all rows of deleted projects (D2). One call is one step. It does not wait, because the engine deletes in the
 * background, even after a restart. Steps can be interrupted and repeated. A project counts as purged when no table has
 * rows of it. Returns the number of projects purged.
 */
export async function purgeDeletedProjects({ store, control, clock }: PurgeOptions): Promise<number> {
  const projects = await control
    .selectFrom('projects')
    .select('id')
    .where('deleted_at', '<', clock() - graceMs)
    .where('purged_at', 'is', null)
    .orderBy('deleted_at')
    .limit(maxAtOnce)
    .execute();
  if (projects.length === 0 || (await store.isDeleting(projectTables))) return 0;
  const ids = projects.map(({ id }) => id);

  let isEmpty = true;
  for (const table of projectTables) {
    const rows = await store.select(
      `SELECT 1 FROM ${table} WHERE project IN (SELECT arrayJoin({projects:Array(String)})) LIMIT 1`,
      { projects: ids },
    );
    if (rows.length === 0) continue;
    isEmpty = false;
    await store.command(`ALTER TABLE ${table} DELETE WHERE project IN (SELECT arrayJoin({projects:Array(String)}))`, {
      projects: ids,
    });
  }
  if (isEmpty) return await unrecorded(async () => ((await purgeFacts({ control, clock }, ids)) ? ids.length : 0));
  return 0;
}

/** Deletes what the control store has of projects. False while there may be more. */
async function purgeFacts({ control, clock }: ControlSources, ids: readonly string[]): Promise<boolean> {
  if (!(await deleteFacts(control, ids))) return false;
  await control.transaction().execute(async (transaction) => {
    const keys = transaction.selectFrom('api_keys').select('api_keys.hash').where('project_id', 'in', ids);
    await transaction.deleteFrom('sessions').where('credential_hash', 'in', keys).execute();
    const clients = transaction.selectFrom('clients').select('clients.id').where('project_id', 'in', ids);
    await transaction.deleteFrom('client_secrets').where('client_id', 'in', clients).execute();
    for (const table of tablesOfProjects) {
      await transaction.deleteFrom(table).where('project_id', 'in', ids).execute();
    }
    // The log of the service keeps who made and who deleted a project.
    await transaction
      .updateTable('audit_entries')
      .set({ before: null, after: null })
      .where('kind', '=', 'project')
      .where('subject', 'in', ids)
      .execute();
    await transaction.updateTable('projects').set({ name: '', purged_at: clock() }).where('id', 'in', ids).execute();
  });
  return true;
}

/**
 * Deletes what projects have stated, slice by slice: there may be a million tags. False while there may be more. What
 * other rows refer to is left.
 */
async function deleteFacts(control: ControlStore, ids: readonly string[]): Promise<boolean> {
  const until = performance.now() + factsMs;
  const rowId = sql.ref(control.getExecutor().adapter instanceof PostgresAdapter ? 'ctid' : 'rowid');
  for (const name of tablesOfProjects) {
    if (name === 'clients' || name === 'api_keys') continue;
    const table = sql.table(name);
    const slice = sql`select ${rowId} from ${table} where project_id in (${sql.join(ids)}) limit ${sliceRows}`;
    for (;;) {
      const { numAffectedRows = 0n } = await sql`delete from ${table} where ${rowId} in (${slice})`.execute(control);
      if (numAffectedRows === 0n) break;
      if (performance.now() > until) return false;
    }
  }
  return true;
}
