import { expect, test } from 'vitest';
import { countDone } from '../../src/clickhouse/done-migrations.ts';
import { storeMigrations } from '../../src/clickhouse/schema.ts';

const tablesOf = (count: number): Set<string> => {
  const tables = new Set(['migrations']);
  for (const statement of storeMigrations.slice(0, count).flatMap(({ statements }) => statements)) {
    const [, verb, name = ''] = /^(CREATE TABLE IF NOT EXISTS|DROP TABLE IF EXISTS) (\w+)/.exec(statement) ?? [];
    if (verb?.startsWith('CREATE')) tables.add(name);
    else tables.delete(name);
  }
  return tables;
};
const idsOf = (count: number) => new Set(storeMigrations.slice(0, count).map(({ id }) => id));

test('a noted migration is done, and so are those before it', () => {
  for (let done = 0; done <= storeMigrations.length; done += 1) {
    expect(countDone(idsOf(done), tablesOf(done))).toBe(done);
  }
  const last = storeMigrations.at(-1)?.id ?? '';
  expect(countDone(new Set([last]), new Set())).toBe(storeMigrations.length);
});

test('a store that has lost its notes is not emptied by a migration that drops tables', () => {
  const all = storeMigrations.length;
  // Those after the last that makes a table can be repeated: they drop nothing that is there when all are done.
  const made =
    1 + storeMigrations.findLastIndex(({ statements }) => statements.some((one) => one.startsWith('CREATE')));
  expect(countDone(new Set(), tablesOf(all))).toBe(made);
  const rest = storeMigrations.slice(made).flatMap(({ statements }) => statements);
  for (const statement of rest) {
    const [, dropped] = /^DROP TABLE IF EXISTS (\w+)$/.exec(statement) ?? [];
    if (dropped === undefined)
      expect(statement).toMatch(
        /^ALTER TABLE \w+ (MODIFY SETTING|MODIFY COLUMN|ADD COLUMN IF NOT EXISTS|ADD INDEX IF NOT EXISTS) /,
      );
    else expect(tablesOf(all)).not.toContain(dropped);
  }
  const dropping = storeMigrations.findIndex(({ statements }) => statements.some((one) => one.startsWith('DROP')));
  expect(countDone(idsOf(dropping), tablesOf(all))).toBe(made);
});

test('a migration that was cut off is done again', () => {
  for (const [index, { statements }] of storeMigrations.entries()) {
    const begun = tablesOf(index);
    // All but the last table.
    for (const statement of statements.slice(0, -1)) {
      const [, name] = /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement) ?? [];
      if (name !== undefined) begun.add(name);
    }
    expect(countDone(idsOf(index), begun)).toBe(index);
  }
});
