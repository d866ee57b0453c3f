import { storeMigrations } from './schema.ts';

/**
 * How many migrations are done: all up to the last one with a record, or with a last table that exists and that no
 * earlier one creates. The tables count because a record may be lost, and a migration that drops tables must never run
 * twice.
 */
export function countDone(noted: ReadonlySet<string>, tables: ReadonlySet<string>): number {
  const made = new Set<string>();
  let done = 0;
  for (const [index, { id, statements }] of storeMigrations.entries()) {
    const names = statements.flatMap((statement) => /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1] ?? []);
    const last = names.at(-1);
    if (noted.has(id) || (last !== undefined && !made.has(last) && tables.has(last))) done = index + 1;
    for (const name of names) made.add(name);
  }
  return done;
}
