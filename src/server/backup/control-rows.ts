import { sql } from 'kysely';
import { noGeneration } from '../../calls/generations.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { ControlSchema } from '../../storage/control/schema/schema.ts';
import { frozenBeforeOf } from './frozen-days.ts';
import type { CopyScope } from './kept-tables.ts';
import { generationsInBackup } from './pinned-days.ts';

/** One line of a backup's control store: a row and its table. */
export interface ControlRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Every table with its key columns, or undefined if backups leave it out. Referenced tables come first. */
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
  plan_simulations: ['project_id', 'name'],
  budgets: ['project_id', 'name'],
  erasures: ['id'],
  members: ['id'],
  member_roles: ['member_id', 'project_id'],
  price_list_updates: ['list'],
  catalogue_updates: ['hash'],
  notification_endpoints: ['id'],
  notification_deliveries: ['id'],
  notification_attempts: ['id'],
  alert_watches: ['project_id', 'kind'],
  firings: ['id'],
  invoice_entries: ['project_id', 'external_id'],
  closes: ['id'],
  close_days: ['close_id', 'day'],
  pinned_copies: ['project_id', 'generation'],
  stripe_hooks: ['id'],
  stripe_objects: ['project_id', 'id'],
  stripe_customers: ['project_id', 'stripe_customer'],
  stripe_remakes: ['project_id'],
  exchange_rates: ['project_id', 'currency', 'day'],
  provider_accounts: ['id'],
  provider_calls: ['account_id', 'event_id'],
  shared_costs: ['project_id', 'external_id'],
  pinned_settings: ['close_id'],
  pinned_tags: ['close_id', 'dimension', 'name', 'key'],
  pinned_grants: ['close_id', 'id'],
  pinned_revenue: ['close_id', 'external_id'],
  pinned_key_metrics: ['close_id', 'name'],
  pinned_readings: ['close_id', 'reading', 'kept_from'],
  pinned_shared_costs: ['close_id', 'external_id'],
  audit_entries: ['id'],
  // A restore doesn't need these: assembly starts over, people sign in again by new links, the restoring release records
  // itself, and newer list prices are fetched again.
  writers: undefined,
  apart_watermarks: undefined,
  set_aside_ids: undefined,
  sessions: undefined,
  invitations: undefined,
  backups: undefined,
  releases: undefined,
  seen_catalogue: undefined,
} as const satisfies { readonly [T in keyof ControlSchema]: readonly (keyof ControlSchema[T])[] | undefined };

const keys: ReadonlyMap<string, readonly string[] | undefined> = new Map(Object.entries(keysOfTables));
const tables = Object.keys(keysOfTables) as (keyof ControlSchema)[];

/** How many rows one SELECT reads. */
const pageRows = 2_000;
/** How many rows one INSERT writes, because SQLite takes at most 32,766 values. */
const chunkRows = 500;

/** Passes every row that is in a backup of this scope to `take`, page by page. Waits for `take` after each page. */
export async function readControlRows(
  snapshot: ControlQueries,
  scope: Pick<CopyScope, 'closes' | 'pins'>,
  take: (rows: readonly ControlRow[]) => Promise<void>,
): Promise<void> {
  const inBackup = await asInBackup(snapshot, scope);
  for (const table of tables) {
    const key = keys.get(table);
    if (key === undefined) continue;
    const columns = sql.join(key.map((column) => sql.ref(column)));
    for (let last: readonly unknown[] | undefined; ; ) {
      const after = last === undefined ? sql`` : sql`where (${columns}) > (${sql.join(last)})`;
      const { rows } = await sql<Record<string, unknown>>`
        select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(pageRows)}`.execute(snapshot);
      await take(
        rows.flatMap((row) => {
          const held = inBackup(table, row);
          return held ? [{ table, row: held }] : [];
        }),
      );
      const end = rows.at(-1);
      if (end === undefined || rows.length < pageRows) break;
      last = key.map((column) => end[column]);
      // SQLite reads synchronously, so let other requests run between pages.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

type Row = Readonly<Record<string, unknown>>;

/**
 * The form that a row has in a backup; undefined for a row that is not in it. A close that was made after the backup
 * began is left out, because the backup lacks the calls that it pins.
 */
async function asInBackup(
  snapshot: ControlQueries,
  { closes, pins = [] }: Pick<CopyScope, 'closes' | 'pins'>,
): Promise<(table: keyof ControlSchema, row: Row) => Row | undefined> {
  const isHeld = closes && new Set(closes);
  const made = await snapshot.selectFrom('closes').select(['id', 'project_id', 'through']).orderBy('through').execute();
  const held = made.filter(({ id }) => isHeld?.has(id) ?? true);
  const isLeftOut = new Set<unknown>(made.filter((close) => !held.includes(close)).map(({ id }) => id));
  const closedThrough = new Map<unknown, string>(held.map(({ project_id, through }) => [project_id, through]));
  const generationOf = generationsInBackup(pins);
  return (table, row) => {
    if (table === 'projects') return { ...row, closed_through: closedThrough.get(row.id) ?? null };
    const close = closeOf(table, row);
    if (close !== undefined && isLeftOut.has(close)) return undefined;
    return table === 'close_days' ? { ...row, generation: generationOf(row) } : row;
  };
}

/** The close that a row is of, or is the entry of in the audit log. */
function closeOf(table: keyof ControlSchema, row: Row): unknown {
  if (table === 'closes') return row.id;
  return table === 'audit_entries' && row.kind === 'close' ? row.subject : row.close_id;
}

/** The first event of a writer, at which assembly starts. */
export interface FirstEvent {
  readonly writer: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/**
 * Replaces the content of the control store with these rows. They are adjusted for a store whose calls are not
 * assembled yet: only frozen days stay sealed, running rebuilds are queued again, and unfinished erasures delete again.
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
      // The table is in the list above, and the row has its columns.
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
  for (const chunk of chunksOf(writers, chunkRows)) {
    await control
      .insertInto('writers')
      .values(
        chunk.map(({ writer, seq, receivedAt }) => ({
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

/** The row as a store without calls needs it; undefined for a row to leave out. */
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
    case 'close_days':
      // The rollups of frozen days are in the backup; other days are sealed again.
      return { ...row, seal: row.generation === noGeneration ? row.seal : 0 };
    case 'lease':
      return { ...row, holder: '', epoch: 0, expires_at: 0, version: Math.max(version, Number(row.version)) };
    case 'rebuilds':
      return row.state === 'running'
        ? { ...row, state: 'queued', mark: null, position: null, events_total: 0, events_done: 0 }
        : { ...row };
    case 'erasures':
      return { ...row, step: row.finished_at === null ? Math.min(1, Number(row.step)) : row.step };
    case 'provider_accounts':
      // The log may lack events of calls that it names: all is read and posted again.
      return { ...row, read_through: '{}', next_at: 0, revision: Number(row.revision) + 1 };
    case 'provider_calls':
      return { ...row, content_hash: null };
    case 'notification_deliveries':
      return { ...row, claimed_by: null, claimed_until: null };
    default:
      return { ...row };
  }
}
