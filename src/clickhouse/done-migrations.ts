import { storeMigrations } from './schema.ts';

/**
 * How many migrations are done: those up to the last that is noted, or whose last table is there, if no earlier one made a
 * table of that name. A migration that drops tables must never be repeated because the note of it was lost.
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
