import { sql } from 'kysely';
import type { ControlQueries } from '../control/control-store.ts';
import type { ControlSchema } from '../control/schema.ts';
import { frozenBeforeOf } from './frozen-days.ts';

/** One line of a backup's control store: a row and its table. */
export interface ControlRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Every table with its key columns, or undefined when backups leave it out. Referenced tables come first. */
const keysOfTables = {
  projects: ['id'],
  clients: ['id'],
  client_secrets: ['id'],
  api_keys: ['id'],
  dimension_tags: ['project_id', 'dimension', 'name', 'key'],
  price_overrides: ['id'],
  price_data: ['hash'],
  price_books: ['id'],
  lease: ['id'],
  days: ['project_id', 'day'],
  rebuilds: ['id'],
  credit_grants: ['id'],
  revenue_entries: ['project_id', 'external_id'],
  key_metrics: ['project_id', 'name'],
  kept_readings: ['project_id', 'reading', 'kept_from'],
  erasures: ['id'],
  catalogue_updates: ['hash'],
  // After a restore, assembly starts over, people sign in again, and the restoring release has noted itself.
  writers: undefined,
  sessions: undefined,
  backups: undefined,
  releases: undefined,
} as const satisfies { readonly [T in keyof ControlSchema]: readonly (keyof ControlSchema[T])[] | undefined };

const keys: ReadonlyMap<string, readonly string[] | undefined> = new Map(Object.entries(keysOfTables));
const tables = Object.keys(keysOfTables) as (keyof ControlSchema)[];

/** How many rows one SELECT reads. */
const pageRows = 2_000;
/** How many rows one INSERT writes: SQLite takes at most 32,766 values. */
const chunkRows = 500;

/** Passes every row that a backup holds to `take`, page by page; waits for `take` after each page. */
export async function readControlRows(
  snapshot: ControlQueries,
  take: (rows: readonly ControlRow[]) => Promise<void>,
): Promise<void> {
  for (const table of tables) {
    const key = keys.get(table);
    if (key === undefined) continue;
    const columns = sql.join(key.map((column) => sql.ref(column)));
    for (let last: readonly unknown[] | undefined; ; ) {
      const after = last === undefined ? sql`` : sql`where (${columns}) > (${sql.join(last)})`;
      const { rows } = await sql<Record<string, unknown>>`
        select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(pageRows)}`.execute(snapshot);
      await take(rows.map((row) => ({ table, row })));
      const end = rows.at(-1);
      if (end === undefined || rows.length < pageRows) break;
      last = key.map((column) => end[column]);
      // SQLite reads synchronously: let other requests run between pages.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The first event of a writer: assembly starts there. */
export interface FirstEvent {
  readonly writer: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/**
 * Replaces the content of the control store with these rows, adjusted for a store whose calls are not assembled yet:
 * only frozen days stay sealed, running rebuilds are queued again, and unfinished erasures delete again.
 * Run it in a transaction.
 */
export async function writeControlRows(
  control: ControlQueries,
  rows: AsyncIterable<ControlRow>,
  writers: readonly FirstEvent[],
): Promise<void> {
  const [lease] = await control.selectFrom('lease').select('version').execute();
  for (const table of tables.toReversed()) await control.deleteFrom(table).execute();
  const frozenBefore = new Map<string, string>();
  let waiting: Record<string, unknown>[] = [];
  let of: keyof ControlSchema | undefined;
  const flush = async () => {
    if (of !== undefined && waiting.length > 0) {
      // The table is one of the list above; the row has that table's columns.
      await control
        .insertInto(of)
        .values(waiting as never)
        .execute();
    }
    waiting = [];
  };
  for await (const { table, row } of rows) {
    const name = tables.find((known) => known === table);
    if (name === undefined || keys.get(name) === undefined) throw new Error(`A backup holds no table ${table}`);
    const frozen = name === 'projects' ? frozenBeforeOf(row) : undefined;
    if (frozen !== undefined) frozenBefore.set(String(row.id), frozen);
    const begun = atBeginning(name, row, { frozenBefore, version: lease?.version ?? 0 });
    if (begun === undefined) continue;
    if (name !== of || waiting.length >= chunkRows) await flush();
    of = name;
    waiting.push(begun);
  }
  await flush();
  for (let at = 0; at < writers.length; at += chunkRows) {
    await control
      .insertInto('writers')
      .values(
        writers.slice(at, at + chunkRows).map(({ writer, seq, receivedAt }) => ({
          id: writer,
          started_at: receivedAt,
          last_seen_at: 0,
          assembled_seq: seq - 1,
          assembled_received_at: receivedAt,
        })),
      )
      .execute();
  }
}

interface Beginning {
  readonly frozenBefore: ReadonlyMap<string, string>;
  /** The highest version used in the target store. */
  readonly version: number;
}

/** The row for a store that has no calls yet; undefined for a row to leave out. */
function atBeginning(
  table: keyof ControlSchema,
  row: Readonly<Record<string, unknown>>,
  { frozenBefore, version }: Beginning,
): Record<string, unknown> | undefined {
  switch (table) {
    case 'days': {
      const before = frozenBefore.get(String(row.project_id));
      return before !== undefined && String(row.day) < before ? { ...row } : undefined;
    }
    case 'projects':
      return 'frozen_before' in row ? { ...row, frozen_before: frozenBeforeOf(row) ?? null } : { ...row };
    case 'kept_readings': {
      // Readings of later days are made again when those days are frozen again.
      const before = frozenBefore.get(String(row.project_id));
      if (before === undefined || String(row.kept_from) >= before) return undefined;
      return { ...row, kept_before: String(row.kept_before) < before ? row.kept_before : before };
    }
    case 'lease':
      return { ...row, holder: '', epoch: 0, expires_at: 0, version: Math.max(version, Number(row.version)) };
    case 'rebuilds':
      return row.state === 'running'
        ? { ...row, state: 'queued', mark: null, position: null, events_total: 0, events_done: 0 }
        : { ...row };
    case 'erasures':
      return { ...row, step: row.finished_at === null ? Math.min(1, Number(row.step)) : row.step };
    default:
      return { ...row };
  }
}
