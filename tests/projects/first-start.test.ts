import { rm } from 'node:fs/promises';
import { afterEach, expect, inject, test } from 'vitest';
import { ApiKeys } from '../../src/accounts/api-keys.ts';
import { Clients } from '../../src/accounts/clients.ts';
import { type FirstProject, makeFirstProject } from '../../src/accounts/first-start.ts';
import { LastUsed } from '../../src/accounts/last-used.ts';
import { Projects } from '../../src/accounts/projects.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { openControlStore } from '../../src/storage/control/control-store.ts';
import { createDatabase } from '../support/postgres.ts';
import { makeDataDir } from '../support/service.ts';

const clock = Date.now;
const ignore = () => undefined;
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An instance at its first start, on SQLite or a PostgreSQL database. */
async function openInstance(postgresUrl: string | undefined) {
  const dataDir = makeDataDir();
  const control = await openControlStore({ dataDir, postgresUrl, onError: ignore });
  const lastUsed = new LastUsed(control, ignore);
  closing.push(async () => {
    await lastUsed.close();
    await control.destroy();
    await rm(dataDir, { recursive: true });
  });
  const clients = new Clients(control, clock, lastUsed);
  const apiKeys = new ApiKeys(control, clock, lastUsed);
  const projects = new Projects(control, clock);
  const priceBooks = new PriceBooks(control, clock);
  const start = (keep: (first: FirstProject) => void) =>
    makeFirstProject({ projects, clients, apiKeys, priceBooks, now: clock(), keep });
  return { control, clients, projects, start };
}

test('D1.6: of instances that start at once on an empty PostgreSQL, one makes the project', async () => {
  const postgresUrl = await createDatabase(inject('postgresUrl'));
  const instances = [];
  for (let count = 0; count < 4; count += 1) instances.push(await openInstance(postgresUrl));
  const kept: FirstProject[] = [];
  const made = await Promise.all(instances.map(({ start }) => start((first) => kept.push(first))));
  expect(made.filter((one) => one !== undefined)).toEqual(kept);
  expect(kept).toHaveLength(1);
  expect((await instances[0]?.projects.list())?.map(({ name }) => name)).toEqual(['default']);
});

test.each(['sqlite', 'postgres'])(
  'D1.6: on %s, a first start whose secrets could not be kept has made nothing, and is done again',
  async (store) => {
    const postgresUrl = store === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined;
    const { control, clients, projects, start } = await openInstance(postgresUrl);
    const full = new Error('the disk is full');
    await expect(
      start(() => {
        throw full;
      }),
    ).rejects.toBe(full);
    for (const table of ['projects', 'clients', 'client_secrets', 'api_keys', 'price_books'] as const) {
      expect(await control.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    const kept: FirstProject[] = [];
    const first = await start((one) => kept.push(one));
    expect(kept).toEqual([first]);
    const [project] = await projects.list();
    expect(await clients.authenticate(first?.clientId ?? '', first?.secret ?? '')).toBe(project?.id);
    expect(await start((one) => kept.push(one))).toBeUndefined();
    expect(kept).toHaveLength(1);
  },
);
