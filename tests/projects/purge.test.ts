import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectTables } from '../../src/clickhouse/schema.ts';
import { PriceBooks } from '../../src/pricing/price-books.ts';
import { ApiKeys } from '../../src/projects/api-keys.ts';
import { Clients } from '../../src/projects/clients.ts';
import { LastUsed } from '../../src/projects/last-used.ts';
import { Projects } from '../../src/projects/projects.ts';
import { purgeDeletedProjects } from '../../src/projects/purge.ts';
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

/** A project with something in every table of both stores. */
async function makeProject(): Promise<string> {
  const { store, control } = stores;
  const lastUsed = new LastUsed(control, () => undefined);
  const fields = { name: 'p', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  const { id } = await new Projects(control, clock).create(fields, new PriceBooks(control, () => 0));
  await new Clients(control, clock, lastUsed).create(id, null);
  await new ApiKeys(control, clock, lastUsed).create({ projectId: id, name: null, scopes: ['read'], expiresAt: null });
  await control
    .insertInto('dimension_tags')
    .values({ project_id: id, dimension: 'customer', name: 'c', key: 'k', value: 'v' })
    .execute();
  await control
    .insertInto('days')
    .values({ project_id: id, day: '2026-01-01', generation: 1, touched: 1, touched_at: 0, sealed: 0, seal: 0 })
    .execute();
  for (const table of projectTables) await store.insertLines(table, ['project'], JSON.stringify([id]));
  await lastUsed.close();
  return id;
}

/** Steps until a project is purged: each waits for nothing. */
const purgeAll = () =>
  expect.poll(() => purgeDeletedProjects({ ...stores, clock }), { timeout: 20_000, interval: 20 }).toBe(1);

/** Rows of a project in each table that has any. */
async function countRows(id: string): Promise<Record<string, number>> {
  const { store, control } = stores;
  const counts: Record<string, number> = {};
  for (const table of projectTables) {
    const rows = await store.select<{ n: string }>(`SELECT count() AS n FROM ${table} WHERE project = {id:String}`, {
      id,
    });
    counts[table] = Number(rows[0]?.n);
  }
  for (const table of ['clients', 'api_keys', 'dimension_tags', 'price_overrides', 'price_books', 'days'] as const) {
    counts[table] = (
      await control.selectFrom(table).select('project_id').where('project_id', '=', id).execute()
    ).length;
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

test('D2: a deleted project is emptied in both stores, others are not, and its id stays taken', async () => {
  const { control } = stores;
  const [deleted, kept] = [await makeProject(), await makeProject()];
  const before = await countRows(kept);
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['events', 'event_ids', 'calls', 'clients', 'api_keys', 'days']),
  );
  expect(await new Projects(control, clock).delete(deleted)).toBe(true);

  // What was on its way in when the project was deleted may still arrive.
  expect(await purgeDeletedProjects({ ...stores, clock })).toBe(0);
  expect(Object.keys(await countRows(deleted))).toContain('calls');
  now += 20_000;
  await purgeAll();
  expect(await purgeDeletedProjects({ ...stores, clock })).toBe(0);

  expect(await countRows(deleted)).toEqual({});
  expect(await countRows(kept)).toEqual(before);
  const row = await control.selectFrom('projects').selectAll().where('id', '=', deleted).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ name: '', purged_at: now });
});

test('D2: a purge that was stopped between its steps goes on', async () => {
  const { store, control } = stores;
  const id = await makeProject();
  await new Projects(control, clock).delete(id);
  now += 20_000;
  const stopping = {
    select: store.select.bind(store),
    isDeleting: store.isDeleting.bind(store),
    command: async (sql: string, parameters?: Record<string, unknown>) => {
      if (sql.includes('TABLE calls')) throw new Error('killed here');
      await store.command(sql, parameters);
    },
  };
  await expect(purgeDeletedProjects({ store: stopping, control, clock })).rejects.toThrow('killed here');
  expect(Object.keys(await countRows(id))).toContain('calls');
  await purgeAll();
  expect(await countRows(id)).toEqual({});
});
