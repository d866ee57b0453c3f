// The migrator of the control store, over a release that brings one more migration.
import { rm } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { type ControlStore, openControlStore } from '../../src/storage/control/control-store.ts';
import { type ControlMigrations, controlMigrations } from '../../src/storage/control/migrations.ts';
import { NewerRelease } from '../../src/storage/control/releases.ts';
import { createDatabase } from '../support/postgres.ts';
import { makeDataDir } from '../support/service.ts';

const dialects = ['sqlite', 'postgres'] as const;

/** The migrations of that release. `last` is called after the last statement, before any of it is committed. */
const laterMigrations = (dialect: (typeof dialects)[number], last: () => void): ControlMigrations => ({
  ...controlMigrations(dialect),
  '9999_made_up': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('days').addColumn('made_up', 'text').execute();
      await sql`update days set made_up = day`.execute(db);
      last();
    },
  },
});

const listDone = async (control: ControlStore): Promise<unknown[]> =>
  (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(control)).rows.map(
    ({ name }) => name,
  );
const readDays = async (control: ControlStore) => (await sql<object>`select * from days`.execute(control)).rows;

test.each(dialects)(
  'D12.1, D13.1: a later migration of %s changes tables with rows as a whole or not at all; an older release then refuses them',
  async (dialect) => {
    const dataDir = makeDataDir();
    const postgresUrl = dialect === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined;
    const open = async <T>(work: (control: ControlStore) => Promise<T>, migrations?: ControlMigrations): Promise<T> => {
      const control = await openControlStore({ dataDir, postgresUrl, onError: () => undefined }, migrations);
      return await work(control).finally(() => control.destroy());
    };
    const rows = await open(async (control) => {
      await sql`insert into projects (id, name, type, timezone, base_generation, keep_content, join_alike, clearing_step, created_at)
        values ('p', 'P', 'revenue', 'UTC', 0, 0, 1, 0, 0)`.execute(control);
      await sql`insert into days values ('p', '2026-01-15', 1, 3, 0, 3, 1, '[]')`.execute(control);
      return await readDays(control);
    });
    expect(rows).toMatchObject([{ day: '2026-01-15', touched: 3, seal: 1 }]);

    const fails = laterMigrations(dialect, () => {
      throw new Error('cut off here');
    });
    await expect(open(listDone, fails)).rejects.toThrow('could not be brought up to date');
    expect(await open(readDays)).toEqual(rows);

    const works = laterMigrations(dialect, () => undefined);
    const starts = postgresUrl ? 3 : 1;
    for (const done of await Promise.all(Array.from({ length: starts }, () => open(listDone, works)))) {
      expect(done).toEqual([...Object.keys(controlMigrations(dialect)), '9999_made_up']);
    }
    const migrated = await open(readDays, works);
    expect(migrated).toEqual(rows.map((row) => ({ ...row, made_up: '2026-01-15' })));

    const refused = await open(listDone).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NewerRelease);
    expect(String(refused)).toContain('9999_made_up');
    expect(await open(readDays, works)).toEqual(migrated);
    await rm(dataDir, { recursive: true });
  },
);

test('D6.3: names are ordered by code point in every table of PostgreSQL', async () => {
  const postgresUrl = await createDatabase(inject('postgresUrl'));
  const control = await openControlStore({ dataDir: '', postgresUrl, onError: () => undefined });
  const { rows } = await sql<{ collation_name: string | null }>`select distinct collation_name
    from information_schema.columns where data_type = 'text' and table_name in (${sql.join(
      (await control.introspection.getTables()).map(({ name }) => name),
    )})`.execute(control);
  await control.destroy();
  expect(rows).toEqual([{ collation_name: 'C' }]);
});
