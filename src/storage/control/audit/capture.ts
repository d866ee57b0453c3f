import { type Kysely, sql } from 'kysely';
import { shortHash } from '../../../lib/short-hash.ts';
import type { ControlSchema } from '../schema.ts';
import { type AuditedTable, listStatedColumns, tablesByName } from './tables-by-name.ts';

/** The statements with which a dialect writes changes of audited tables down, until their transaction commits. */
export interface Capture {
  /** Turns it off until the transaction ends. */
  readonly pause: string;
  /** Turns it on again, before a transaction commits that has paused it; undefined where its end does. */
  readonly resume: string | undefined;
  /** Takes the changes of the transaction: `seq`, `table`, `before` and `after` as JSON, and the time of the store. */
  readonly take: string;
}

export const sqliteCapture: Capture = {
  pause: 'update temp.audit_state set paused = 1',
  resume: 'update temp.audit_state set paused = 0',
  take: `delete from temp.audit_changes
    returning seq, "table", before, after, cast(unixepoch('subsec') * 1000 as integer) as at`,
};

export const postgresCapture: Capture = {
  pause: `set local farthing.records = 'off'`,
  resume: undefined,
  take: `delete from audit_changes
    returning seq, "table", before, after, (extract(epoch from clock_timestamp()) * 1000)::bigint as at`,
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
  `create function audit_change() returns trigger language plpgsql as $$
    begin
      if current_setting('farthing.records', true) = 'on' then
        if tg_op = 'INSERT' then
          insert into audit_changes ("table", after) values (tg_table_name, to_jsonb(new));
        elsif tg_op = 'DELETE' then
          insert into audit_changes ("table", before) values (tg_table_name, to_jsonb(old));
        elsif old is distinct from new then
          insert into audit_changes ("table", before, after) values (tg_table_name, to_jsonb(old), to_jsonb(new));
        end if;
      end if;
      return null;
    end
  $$`,
];

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
  const wanted = [...tablesByName.values()].map((table) => {
    const events = eventsOf(table).join(' or ');
    return { table: table.table, events, name: `audit_change_${shortHash(events)}` };
  });
  const read = sql<{ name: string; table: string }>`
    select tgname as name, relname as "table" from pg_trigger join pg_class on pg_class.oid = tgrelid
      where tgname like 'audit_change_%' and pg_table_is_visible(pg_class.oid)`;
  const listMissing = async () => {
    const { rows } = await read.execute(control);
    const found = new Set(rows.map(({ name, table }) => `${table} ${name}`));
    const missing = wanted.filter(({ name, table }) => !found.has(`${table} ${name}`));
    const tables = new Set(missing.map(({ table }) => table));
    return { missing, stale: rows.filter(({ table }) => tables.has(table)) };
  };
  if ((await listMissing()).missing.length === 0) return;
  // Instances that start at the same time do it one after another.
  await sql`select pg_advisory_xact_lock(${sql.lit(lockKey)})`.execute(control);
  const { missing, stale } = await listMissing();
  for (const { name, table } of stale) await sql.raw(`drop trigger "${name}" on "${table}"`).execute(control);
  for (const { name, table, events } of missing) {
    const statement = `create trigger "${name}" after ${events} on "${table}" for each row execute function audit_change()`;
    await sql.raw(statement).execute(control);
  }
}
