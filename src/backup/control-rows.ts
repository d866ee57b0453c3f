import { sql } from 'kysely';
import type { ControlQueries } from '../control/control-store.ts';
import type { ControlSchema } from '../control/schema.ts';
import { frozenBeforeOf } from './frozen-days.ts';

/** A row of a table of the control store, as a line of a backup has it. */
export interface ControlRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Every table: with the columns of its key where it is kept, those that others refer to first. */
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
  // How far assembly is begins anew, and who was signed in signs in again.
  writers: undefined,
  sessions: undefined,
  backups: undefined,
} as const satisfies { readonly [T in keyof ControlSchema]: readonly (keyof ControlSchema[T])[] | undefined };

const keys: ReadonlyMap<string, readonly string[] | undefined> = new Map(Object.entries(keysOfTables));
const tables = Object.keys(keysOfTables) as (keyof ControlSchema)[];

/** How many rows are read at once: reading waits for nothing, and nobody for it. */
const pageRows = 2_000;
/** How many are written at once: SQLite takes at most 32,766 values. */
const chunkRows = 500;

/** Gives every row that is kept to `take`, which may make it wait. */
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
      // SQLite reads without ever giving way.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** How far assembly begins for a writer: before its first event. */
export interface FirstEvent {
  readonly writer: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/**
 * Puts rows in the place of whatever the control store has, as they are to be where all calls are still to be made of the
 * events: only the seals of frozen days count, a rebuild that was under way begins anew, and an erasure deletes once more.
 * To be run in a transaction.
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
      // Rows of a table that is in the list above, with the columns that it had.
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
  /** The last version that the rows of the store written to may have. */
  readonly version: number;
}

/** A row as it is where no call is made yet; undefined for one that must not be there. */
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
      // Days that are frozen again are read again.
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
