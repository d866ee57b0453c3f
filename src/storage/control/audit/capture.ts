import { CompiledQuery, type Kysely, sql } from 'kysely';
import { chunksOf } from '../../../lib/chunks.ts';
import { shortHash } from '../../../lib/short-hash.ts';
import { type AuditEntryRow, entryColumns } from '../schema/entry-row.ts';
import type { ControlSchema } from '../schema/schema.ts';
import { type AuditedTable, listStatedColumns, tablesByName } from './tables-by-name.ts';

/** The statements with which a dialect writes changes of audited tables down, until their transaction commits. */
export interface Capture {
  /** Turns it off until the transaction ends. */
  readonly pause: string;
  /** Turns it on again, before a transaction commits that has paused it; undefined where its end does. */
  readonly resume: string | undefined;
  /** Reads the changes of the transaction: `seq`, `table`, `before` and `after` as JSON, and the time of the store. */
  readonly take: string;
  /** Forgets them; undefined where `take` does. */
  readonly clear: string | undefined;
  readonly write: (entries: readonly AuditEntryRow[]) => CompiledQuery[];
}

const columns = entryColumns.map((name) => `"${name}"`).join(', ');

const toValues = (entry: AuditEntryRow): unknown[] => entryColumns.map((name) => entry[name]);

/** The entries of an INSERT in SQLite. Few sizes, because each is a statement to prepare. */
const insertSizes = [100, 10, 1] as const;
const inserts = new Map(
  insertSizes.map((size) => {
    const row = `(${entryColumns.map(() => '?').join(', ')})`;
    return [size, `insert into audit_entries (${columns}) values ${Array(size).fill(row).join(', ')}`];
  }),
);

export const sqliteCapture: Capture = {
  pause: 'update temp.audit_state set paused = 1',
  resume: 'update temp.audit_state set paused = 0',
  take: `select seq, "table", before, after, cast(unixepoch('subsec') * 1000 as integer) as at from temp.audit_changes`,
  clear: 'delete from temp.audit_changes',
  write: (entries) => {
    const queries: CompiledQuery[] = [];
    for (let from = 0; from < entries.length; ) {
      const size = insertSizes.find((one) => from + one <= entries.length) ?? 1;
      const values = entries.slice(from, from + size).flatMap(toValues);
      queries.push(CompiledQuery.raw(inserts.get(size) ?? '', values));
      from += size;
    }
    return queries;
  },
};

/** The most entries of an INSERT in PostgreSQL, so that none runs long. */
const mostAtOnce = 500;

export const postgresCapture: Capture = {
  pause: `set local farthing.records = 'off'`,
  resume: undefined,
  take: `delete from audit_changes
    returning seq, "table", before, after, (extract(epoch from clock_timestamp()) * 1000)::bigint as at`,
  clear: undefined,
  write: (entries) =>
    [...chunksOf(entries, mostAtOnce)].map((slice) =>
      CompiledQuery.raw(
        `insert into audit_entries (${columns})
          select ${columns} from json_populate_recordset(null::audit_entries, $1::json)`,
        [JSON.stringify(slice)],
      ),
    ),
};

/**
 * A connection that writes the changes of its transactions down says so: the triggers do nothing for an older release
 * that runs beside this one.
 */
export const postgresRecords = `set farthing.records = 'on'`;

/** Unlogged, because it is empty whenever no transaction is under way. */
export const postgresChanges: readonly string[] = [
  `create unlogged table audit_changes (
    seq bigint generated always as identity,
    "table" text not null,
    before text,
    after text
  )`,
];

/**
 * What the triggers of PostgreSQL do. Inserted and deleted rows are recorded once for each statement, in a third of the
 * time. Updates are recorded row by row, which pairs the old row with the new one.
 */
const postgresFunctions = {
  audit_inserts: `insert into audit_changes ("table", after) select tg_table_name, row_to_json(made) from made`,
  audit_deletes: `insert into audit_changes ("table", before) select tg_table_name, row_to_json(gone) from gone`,
  audit_updates: `if old is distinct from new then
      insert into audit_changes ("table", before, after) values (tg_table_name, row_to_json(old), row_to_json(new));
    end if`,
} as const;

const functionText = (name: keyof typeof postgresFunctions): string =>
  `create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      if current_setting('farthing.records', true) = 'on' then
        ${postgresFunctions[name]};
      end if;
      return null;
    end
  $$`;

/** The triggers of a table, each with what comes after its name. */
function postgresTriggersOf(audited: AuditedTable): { function: keyof typeof postgresFunctions; text: string }[] {
  const { table } = audited;
  const stated = listStatedColumns(audited).map((name) => `"${name}"`);
  return [
    { function: 'audit_inserts', text: `after insert on "${table}" referencing new table as made for each statement` },
    { function: 'audit_deletes', text: `after delete on "${table}" referencing old table as gone for each statement` },
    ...(stated.length > 0
      ? [
          {
            function: 'audit_updates' as const,
            text: `after update of ${stated.join(', ')} on "${table}" for each row`,
          },
        ]
      : []),
  ];
}

/** Creates the triggers of every audited table. Those of SQLite are of the connection that writes. */
export async function beginCapture(control: Kysely<ControlSchema>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const create = dialect === 'postgres' ? createPostgresTriggers : createSqliteTriggers;
  await control.transaction().execute(create);
}

const eventsOf = (table: AuditedTable): string[] => {
  const stated = listStatedColumns(table).map((name) => `"${name}"`);
  return ['insert', 'delete', ...(stated.length > 0 ? [`update of ${stated.join(', ')}`] : [])];
};

async function createSqliteTriggers(control: Kysely<ControlSchema>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(control);
  await run('create temp table audit_state (paused integer not null)');
  await run('insert into audit_state values (0)');
  await run(
    'create temp table audit_changes (seq integer primary key, "table" text not null, before text, after text)',
  );
  for (const table of tablesByName.values()) {
    for (const event of eventsOf(table)) {
      const [before, after] = [
        event === 'insert' ? 'null' : rowAs('old', table),
        event === 'delete' ? 'null' : rowAs('new', table),
      ];
      await run(`create temp trigger "audit_${table.table}_${event.slice(0, 6)}" after ${event} on main."${table.table}"
        when not (select paused from audit_state)
        begin
          insert into audit_changes ("table", before, after) values ('${table.table}', ${before}, ${after});
        end`);
    }
  }
}

/** The columns that an entry needs, as JSON. */
function rowAs(row: 'old' | 'new', { columns, kind }: AuditedTable): string {
  const needed = [...columns].flatMap(([name, column]) =>
    column !== 'hidden' || (typeof kind !== 'string' && kind.of === name) ? [`'${name}', ${row}."${name}"`] : [],
  );
  return `json_object(${needed.join(', ')})`;
}

/** Any number that nothing else in the database uses. */
const lockKey = 7_300_871_220_155;

/** Only what is missing, so that a start takes no locks. The name of a trigger says what it is made for. */
async function createPostgresTriggers(control: Kysely<ControlSchema>): Promise<void> {
  const wanted = [...tablesByName.values()].flatMap((table) =>
    postgresTriggersOf(table).map(({ function: name, text }) => ({
      table: table.table,
      name: `audit_change_${shortHash(functionText(name) + text)}`,
      text: `${text} execute function ${name}()`,
    })),
  );
  const read = sql<{ name: string; table: string }>`
    select tgname as name, relname as "table" from pg_trigger join pg_class on pg_class.oid = tgrelid
      where tgname like 'audit_change_%' and pg_table_is_visible(pg_class.oid)`;
  const compare = async () => {
    const { rows } = await read.execute(control);
    const idOf = ({ name, table }: { readonly name: string; readonly table: string }) => `${table} ${name}`;
    const [found, needed] = [new Set(rows.map(idOf)), new Set(wanted.map(idOf))];
    return {
      missing: wanted.filter((trigger) => !found.has(idOf(trigger))),
      stale: rows.filter((trigger) => !needed.has(idOf(trigger))),
    };
  };
  if ((await compare()).missing.length === 0) return;
  // Instances that start at the same time do it one after another.
  await sql`select pg_advisory_xact_lock(${sql.lit(lockKey)})`.execute(control);
  const { missing, stale } = await compare();
  if (missing.length === 0) return;
  for (const name of Object.keys(postgresFunctions) as (keyof typeof postgresFunctions)[])
    await sql.raw(functionText(name)).execute(control);
  for (const { name, table } of stale) await sql.raw(`drop trigger "${name}" on "${table}"`).execute(control);
  for (const { name, text } of missing) await sql.raw(`create trigger "${name}" ${text}`).execute(control);
}
