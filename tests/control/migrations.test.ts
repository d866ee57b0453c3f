import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, expect, test } from 'vitest';
import { migrations } from '../../src/control/migrations.ts';
import type { ControlSchema } from '../../src/control/schema.ts';
import { sqliteDialect } from '../../src/control/sqlite.ts';
import { makeDataDir } from '../support/service.ts';

let close: () => Promise<void>;

afterEach(() => close());

/** A control store as it was after a migration, with one project. */
async function openAt(name: string) {
  const dataDir = makeDataDir();
  const db = new Kysely<ControlSchema>({ dialect: sqliteDialect(join(dataDir, 'control.sqlite')) });
  close = async () => {
    await db.destroy();
    await rm(dataDir, { recursive: true });
  };
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations('sqlite') } });
  const migrateTo = async (next: string) => {
    const { error } = await migrator.migrateTo(next);
    if (error !== undefined) throw error;
  };
  await migrateTo(name);
  await sql`insert into projects (id, name, type, timezone, created_at)
    values ('p', 'P', 'revenue', 'UTC', 0)`.execute(db);
  return { db, migrateTo };
}

const addSealedDays = async (db: Kysely<ControlSchema>, days: readonly string[]) => {
  for (const day of days)
    await sql`insert into days (project_id, day, generation, touched, sealed) values ('p', ${day}, 1, 3, 3)`.execute(
      db,
    );
};

const listSealed = async (db: Kysely<ControlSchema>): Promise<unknown[]> =>
  (await sql<{ day: string }>`select day from days where sealed > 0 order by day`.execute(db)).rows.map(
    ({ day }) => day,
  );

test.each([
  ['0003_sealed_days', '0004_cell_tables'],
  ['0008_releases', '0009_crossing_runs_in_cells'],
  ['0020_assumptions', '0021_run_cells'],
])('D12.1: after %s, %s has every day sealed again: what was sealed has another form', async (before, after) => {
  const { db, migrateTo } = await openAt(before);
  await addSealedDays(db, ['2025-05-01', '2025-05-02']);
  await migrateTo(after);
  expect(await listSealed(db)).toEqual([]);
});

test.each([
  ['0008_releases', '0009_crossing_runs_in_cells'],
  ['0020_assumptions', '0021_run_cells'],
])('D4.7, D12.1: after %s, %s leaves frozen days sealed: their calls are deleted', async (before, after) => {
  const { db, migrateTo } = await openAt(before);
  await addSealedDays(db, ['2025-05-01', '2025-05-02', '2025-05-03']);
  await sql`update projects set frozen_before = '2025-05-02'`.execute(db);
  await migrateTo(after);
  expect(await listSealed(db)).toEqual(['2025-05-01']);
});

test('D17.1: 0025_stripe_days has entries from Stripe made again, for they have other days', async () => {
  const { db, migrateTo } = await openAt('0024_further_prices');
  await sql`insert into stripe_objects (project_id, kind, id, invoice_id, payment, stripe_customer, content, updated_at)
    values ('p', 'invoice', 'in_1', 'in_1', null, null, '{}', 0)`.execute(db);
  await sql`insert into stripe_remakes (project_id, after_invoice) values ('p', 'in_9')`.execute(db);
  await migrateTo('0025_stripe_days');
  const { rows } = await sql`select project_id, after_invoice from stripe_remakes`.execute(db);
  expect(rows).toEqual([{ project_id: 'p', after_invoice: '' }]);
});
