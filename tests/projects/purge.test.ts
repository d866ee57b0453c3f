import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiKeys } from '../../src/accounts/api-keys.ts';
import { Clients } from '../../src/accounts/clients.ts';
import { changeTags } from '../../src/accounts/customers/tag-store.ts';
import { LastUsed } from '../../src/accounts/last-used.ts';
import { Members } from '../../src/accounts/members.ts';
import { Projects } from '../../src/accounts/projects.ts';
import { Sessions } from '../../src/accounts/sessions.ts';
import { insertFirings, toFiringRow } from '../../src/alerting/alerts/firings.ts';
import { enqueue } from '../../src/alerting/notifications/enqueue.ts';
import { setApart, setAsideId } from '../../src/calls/assembly/left-out.ts';
import { requestRebuild } from '../../src/calls/rebuild/rebuilds.ts';
import { hashSecret, newId } from '../../src/lib/ids.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { pinFacts } from '../../src/reports/facts/pin-facts.ts';
import { requestErasure } from '../../src/server/erasure/erasures.ts';
import { purgeDeletedProjects } from '../../src/server/operations/purge.ts';
import { textColumns } from '../../src/storage/analytic/native-block.ts';
import { projectTables } from '../../src/storage/analytic/project-tables.ts';
import type { Parameters } from '../../src/storage/analytic/row-reader.ts';
import { longTest } from '../support/long-test.ts';
import { backgroundWithin } from '../support/poll.ts';
import { openStores, type Stores } from '../support/stores.ts';

let now = Date.UTC(2026, 0, 15);
const clock = () => now;
let stores: Stores;

beforeAll(async () => {
  stores = await openStores();
});

afterAll(async () => {
  await stores?.close();
});

/** Tables of both stores that hold nothing of a project; members, and a backup under way, which purges wait for, are of the instance. */
const sharedTables = [
  'analytic migrations',
  'control backups',
  'control catalogue_updates',
  'control invitations',
  'control kysely_migration',
  'control kysely_migration_lock',
  'control lease',
  'control members',
  'control price_data',
  'control releases',
  'control price_list_updates',
  'control seen_catalogue',
  'control writers',
];

interface Made {
  readonly id: string;
  /** The values that identify its rows. */
  readonly marks: readonly string[];
}

/** A project with something in every table of both stores. */
async function makeProject(): Promise<Made> {
  const { store, control } = stores;
  const lastUsed = new LastUsed(control, () => undefined);
  const projects = new Projects(control, clock);
  const priceBooks = new PriceBooks(control, () => 0);
  const apiKeys = new ApiKeys(control, clock, lastUsed);
  const fields = { name: 'p', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  const { id } = await projects.create(fields, priceBooks);
  const { client } = await new Clients(control, clock, lastUsed).create(id, null);
  const { apiKey } = await apiKeys.create({ projectId: id, name: null, scopes: ['read'], expiresAt: null });
  const members = new Members({ control, clock });
  const sessions = new Sessions({ control, clock, apiKeys, members, lastUsed, adminTokenHash: hashSecret('admin') });
  expect(await sessions.signIn({ apiKey })).toBeDefined();
  const ada = { email: `${randomUUID()}@example.com`, name: null, isAdmin: false };
  await control
    .transaction()
    .execute((transaction) => members.add({ ...ada, roles: [{ projectId: id, role: 'owner' }] }, transaction));
  const override = { provider: null, terms: {}, units: {}, effectiveFrom: null, effectiveTo: null, perRequest: null };
  const unset = { cacheReadPerMtok: null, cacheWritePerMtok: null, inputAudioPerMtok: null, outputAudioPerMtok: null };
  const rates = { ...unset, reasoningPerMtok: null, inputPerMtok: '1', outputPerMtok: '1' };
  await priceBooks.add(id, { ...override, ...rates, model: 'm' });
  await control
    .insertInto('dimension_tags')
    .values({ project_id: id, dimension: 'customer', name: 'c', key: 'k', value: 'v' })
    .execute();
  await control
    .insertInto('days')
    .values({ project_id: id, day: '2026-01-01', generation: 1, touched: 1, touched_at: 0, sealed: 0, seal: 0 })
    .execute();
  const span = { date_from: '2026-01-01', date_to: '2026-01-02' };
  const times = { created_at: 0, updated_at: 0 };
  await control
    .insertInto('credit_grants')
    .values({
      ...{ id: newId('grt'), project_id: id, name: null, provider: 'p', models: null, amount: '1', created_at: 0 },
      ...{ starts_on: '2026-01-01', expires_on: null, priority: 0 },
    })
    .execute();
  await control
    .insertInto('revenue_entries')
    .values({ project_id: id, external_id: 'e', customer: 'c', amount: '1', ...span, ...times })
    .execute();
  await control
    .insertInto('invoice_entries')
    .values({
      ...{ project_id: id, external_id: 'i', provider: 'p', model: null, amount: '1', kind: 'usage', ...span },
      ...{ description: null, ...times },
    })
    .execute();
  const shared = { ...{ project_id: id, external_id: 's', name: 'GPU', amount: '1' }, ...span };
  await control
    .insertInto('shared_costs')
    .values({ ...shared, allocate_by: 'calls', scope: '{}', ...times })
    .execute();
  await control
    .insertInto('stripe_hooks')
    .values({
      ...{ id: newId('shk'), project_id: id, secret: 's', old_secret: null, customer_key: null, events: 0, ...times },
      ...{ last_event_at: null, refused_at: null, refusal: null, deleted_at: null },
    })
    .execute();
  await control
    .insertInto('stripe_objects')
    .values({
      ...{ project_id: id, id: 'in_1', kind: 'invoice' as const, invoice_id: 'in_1', payment: null, updated_at: 0 },
      ...{ stripe_customer: 'cus_1', content: '{}' },
    })
    .execute();
  await control
    .insertInto('stripe_customers')
    .values({ project_id: id, stripe_customer: 'cus_1', customer: 'c', updated_at: 0 })
    .execute();
  const accountId = newId('pva');
  await control
    .insertInto('provider_accounts')
    .values({
      ...{
        id: accountId,
        project_id: id,
        kind: 'openai',
        mode: 'meter',
        secret: 's',
        since: '2026-01-01',
        names: '[]',
      },
      ...{ revision: 1, read_through: '{}', next_at: 9e15, not_before: 0, failures: 0, ...times, succeeded_at: null },
      ...{ last_read: null, fault: null, fault_at: null, switched: null, deleted_at: null },
    })
    .execute();
  await control
    .insertInto('provider_calls')
    .values({
      ...{ project_id: id, account_id: accountId, event_id: 'e', part: 'p', day: '2026-01-01', content_hash: null },
    })
    .execute();
  await control.insertInto('stripe_remakes').values({ project_id: id, after_invoice: '' }).execute();
  await setApart(control, id, [{ writer: 'wrt_1', seq: 0, receivedAt: 0 }]);
  await setAsideId(control, { projectId: id, eventId: crypto.randomUUID() }, 0);
  await control
    .insertInto('exchange_rates')
    .values({ project_id: id, currency: 'EUR', day: '2026-01-01', usd: '1.1', updated_at: 0 })
    .execute();
  await control
    .insertInto('key_metrics')
    .values({
      ...{ project_id: id, name: 'n', event_type: 't', aggregation: 'count' as const, ...times },
      ...{ field: null, features: null, unit: null },
    })
    .execute();
  await control
    .insertInto('plan_simulations')
    .values({ project_id: id, name: 'n', question: '{}', ...times })
    .execute();
  await control
    .insertInto('budgets')
    .values({
      ...{ project_id: id, name: 'n', amount: '1', period: 'day' as const, scope: '{}', each_of: null, ...times },
      ...{ thresholds: '[100]', apply_credits: 0 },
    })
    .execute();
  await control
    .insertInto('kept_readings')
    .values({ project_id: id, reading: 'r', kept_from: '', kept_before: '2026-01-01' })
    .execute();
  await control
    .insertInto('notification_endpoints')
    .values({
      ...{ id: `nep_${id}`, project_id: id, kind: 'email' as const, target: 'a@example.com', alerts: null, enabled: 1 },
      ...{ secret: null, old_secret: null, old_secret_until: null, disabled_reason: null, ...times },
    })
    .execute();
  const alert = { id: 'n', projectId: id, kind: 'no_events' as const, event: 'fired' as const, at: 0 };
  await enqueue(control, { ...alert, title: 't', text: 't', path: '/', data: {} });
  await control
    .insertInto('notification_attempts')
    .values({
      ...{ id: newId('nat'), project_id: id, endpoint_id: `nep_${id}`, delivery_id: 'd', at: 0, status: 250 },
      ...{ error: null, duration_ms: 1, next_attempt_at: null },
    })
    .execute();
  const close = `cls_${id}`;
  await control
    .insertInto('closes')
    .values({
      ...{ id: close, project_id: id, through: '2026-01-02', note: null, requested_at: 0, closed_at: 0, moves: 0 },
      ...{ timezone: 'UTC', base_generation: 0, frozen_before: null, readings_version: 0 },
    })
    .execute();
  await control
    .insertInto('close_days')
    .values({ close_id: close, project_id: id, day: '2026-01-01', generation: 0, seal: 0, readings: 0 })
    .execute();
  await control.insertInto('pinned_copies').values({ project_id: id, generation: 0 }).execute();
  await control
    .transaction()
    .execute((transaction) => pinFacts(transaction, { closeId: close, projectId: id, through: '2026-01-02' }));
  const watch = { project_id: id, kind: 'no_events', enabled: 1, settings: '{}', since: 0, begun: 1 };
  await control
    .insertInto('alert_watches')
    .values({ ...watch, changed_at: 0, looked_day: null })
    .execute();
  const cause = { subject: {}, state: 'holds' as const, numbers: {}, title: 't', text: 't', path: '/' };
  await insertFirings(control, [toFiringRow(cause, { projectId: id, kind: 'no_events', now: 0, isQuiet: false })]);
  await requestErasure({ control, clock }, id, 'customer', 'c');
  await requestRebuild(control, {
    ...{ projectId: id, kind: 'rebuild' as const, isDryRun: false, requestedBy: 'admin', days: undefined },
    ...{ timezone: 'UTC', priceBookId: undefined, now: 0 },
  });
  for (const table of projectTables) await store.insertRows(table, textColumns(['project']), [[id]]);
  await lastUsed.close();
  return { id, marks: [id, client.id, hashSecret(apiKey)] };
}

/** Steps until a project is purged: each waits for nothing. */
const purgeAll = () =>
  expect.poll(() => purgeDeletedProjects({ ...stores, clock }), { timeout: backgroundWithin, interval: 20 }).toBe(1);

/** Every table there is: a new one can't be left out. */
const analyticTables = async (): Promise<string[]> => {
  const rows = await stores.store.select<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
  );
  return rows.map(({ name }) => name);
};
const controlTables = async (): Promise<string[]> => {
  const tables = await stores.control.introspection.getTables({ withInternalKyselyTables: true });
  return tables.map(({ name }) => name).sort();
};

/** Rows of each table of both stores that have one of some texts anywhere in them; only tables that have any. */
async function countRows({ marks }: Made): Promise<Record<string, number>> {
  const { store, control } = stores;
  const counts: Record<string, number> = {};
  for (const table of await analyticTables()) {
    const rows = await store.select<{ n: string }>(
      `SELECT count() AS n FROM ${table} WHERE multiSearchAny(toString(tuple(*)), {marks:Array(String)})`,
      { marks },
    );
    counts[`analytic ${table}`] = Number(rows[0]?.n);
  }
  for (const table of await controlTables()) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(control);
    const texts = rows.map((row) => JSON.stringify(row));
    counts[`control ${table}`] = texts.filter((text) => marks.some((mark) => text.includes(mark))).length;
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** All that stays of a deleted project: the row that keeps its id taken, and who made and who deleted it. */
const tombstone = { 'control projects': 1, 'control audit_entries': 2 };

test('D2: a deleted project leaves no row in either store, other projects are whole, and its id stays taken', async () => {
  const { control } = stores;
  const [deleted, kept] = [await makeProject(), await makeProject()];
  const before = await countRows(kept);
  // Every table there is was filled: a new one is to be filled above too.
  const tables = [
    ...(await analyticTables()).map((table) => `analytic ${table}`),
    ...(await controlTables()).map((table) => `control ${table}`),
  ];
  expect([...Object.keys(before), ...sharedTables].sort()).toEqual(tables.sort());
  expect(await new Projects(control, clock).delete(deleted.id)).toBe(true);

  // What was on its way in when the project was deleted may still arrive.
  expect(await purgeDeletedProjects({ ...stores, clock })).toBe(0);
  expect(Object.keys(await countRows(deleted))).toContain('analytic calls');
  now += 20_000;
  await purgeAll();
  expect(await purgeDeletedProjects({ ...stores, clock })).toBe(0);

  expect(await countRows(deleted)).toEqual(tombstone);
  expect(await countRows(kept)).toEqual(before);
  const row = await control.selectFrom('projects').selectAll().where('id', '=', deleted.id).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ name: '', purged_at: now });
  const log = await control.selectFrom('audit_entries').selectAll().where('subject', '=', deleted.id).execute();
  const stays = { project_id: null, kind: 'project', before: null, after: null };
  expect(log).toMatchObject([
    { action: 'created', ...stays },
    { action: 'deleted', ...stays },
  ]);
});

test('D2: what a project has stated is deleted in slices, because requests wait for each statement', async () => {
  const { store, control } = stores;
  const project = await makeProject();
  const tags = new Map(Array.from({ length: 50 }, (_, key) => [`k${key}`, 'v']));
  const customers = Array.from({ length: 50 }, (_, index) => ({ name: `c${index}`, tags }));
  expect(await changeTags(control, project.id, 'customer', customers, { upsert: true })).toEqual({ ok: true });
  await new Projects(control, clock).delete(project.id);
  now += 20_000;
  const changed: number[] = [];
  const watched = control.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      changed.push(Number(result.numAffectedRows ?? 0));
      return result;
    },
  });
  await expect
    .poll(() => purgeDeletedProjects({ store, control: watched, clock }), { timeout: backgroundWithin, interval: 20 })
    .toBe(1);
  expect(Math.max(...changed)).toBe(1_000);
  expect(await countRows(project)).toEqual(tombstone);
});

longTest('D2: a purge that was stopped between its steps goes on', async () => {
  const { store, control } = stores;
  const project = await makeProject();
  await new Projects(control, clock).delete(project.id);
  now += 20_000;
  const stopping = {
    select: store.select.bind(store),
    isDeleting: store.isDeleting.bind(store),
    command: async (sql: string, parameters?: Parameters) => {
      if (sql.includes('TABLE calls')) throw new Error('killed here');
      await store.command(sql, parameters);
    },
  };
  await expect(purgeDeletedProjects({ store: stopping, control, clock })).rejects.toThrow('killed here');
  expect(Object.keys(await countRows(project))).toContain('analytic calls');
  await purgeAll();
  expect(await countRows(project)).toEqual(tombstone);
});
