import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { unrecorded } from '../../lib/actor.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { type CopyBy, copyEntry } from '../../storage/control/audit/copy-entry.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { type ControlRow, type FirstEvent, writeControlRows } from './control-rows.ts';
import { allTime, type CopyScope, type FrozenDays, keptTable, keptTables } from './kept-tables.ts';
import { type BackupPart, isSameContent, readContent } from './parts.ts';

/** The stores that a backup or another service is copied into. No service runs on them. */
export interface CopyTarget {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
}

/** The content of the target after the copy. */
export interface CopyPlan {
  readonly frozen: FrozenDays;
  readonly parts: readonly BackupPart[];
}

/** Everything that a copy has brought. */
const allOf = (frozen: FrozenDays): CopyScope => ({
  mark: undefined,
  frozen,
  rereads: undefined,
  closes: undefined,
  pins: undefined,
});

/** Prefix of the row in `migrations` that marks an incomplete copy. */
const unfinishedPrefix = 'unfinished-copy:';
/** Tables that are rebuilt from the copied events. */
const derivedTables = ['calls', 'event_ids', 'condensed_ids', 'report_keys'];

/** A copy can't continue. The message says what to do. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

/** The service refuses to start, because a copy into its stores is incomplete. */
export class UnfinishedCopy extends Error {
  override readonly name = 'UnfinishedCopy';
  readonly code = 'unfinished_copy';

  constructor() {
    super(
      'A restore or a move into these stores was not finished: run it again to the end. Empty a data folder before that.',
    );
  }
}

/** The id of the unfinished copy into these stores, if there is one. */
export async function readUnfinishedCopy(store: AnalyticStore): Promise<string | undefined> {
  const [row] = await store.select<{ id: string }>(
    'SELECT id FROM migrations WHERE startsWith(id, {prefix:String}) LIMIT 1',
    { prefix: unfinishedPrefix },
  );
  return row?.id.slice(unfinishedPrefix.length);
}

/**
 * Prepares stores for a copy. No service starts on them until `releaseCopy`.
 * @throws CopyRefused when they hold data that is not from this copy
 */
export async function beginCopy({ store, control }: CopyTarget, id: string): Promise<void> {
  const unfinished = await readUnfinishedCopy(store);
  if (unfinished === undefined) {
    const [event] = await store.select('SELECT 1 FROM events LIMIT 1');
    const project = await control.selectFrom('projects').select('id').limit(1).executeTakeFirst();
    if (event || project) throw new CopyRefused('The stores already hold data: use empty ones.');
    await store.noteMigration(`${unfinishedPrefix}${id}`);
  } else if (unfinished !== id) {
    throw new CopyRefused('Another copy into these stores was not finished: finish it, or use empty stores.');
  }
  const rollups = keptTables.map(({ name }) => name).filter((name) => name !== 'events');
  for (const table of [...derivedTables, ...rollups]) await store.command(`TRUNCATE TABLE ${table}`);
}

/**
 * Copies a part into its table, unless it is already there. Can be repeated after any interruption.
 * @throws CopyRefused when the copied rows are not those of the part
 */
export async function copyPart(
  { store }: CopyTarget,
  part: BackupPart,
  frozen: FrozenDays,
  open: () => Promise<Readable>,
): Promise<'copied' | 'present'> {
  const scope = allOf(frozen);
  const found = await readContent(store, part, scope);
  if (isSameContent(found, part)) return 'present';
  const table = keptTable(part.table);
  if (found.rows > 0) await deleteFrom(store, part.table, table.within(part));
  await store.insertNative(part.table, table.columns, await open());
  const copied = await readContent(store, part, scope);
  if (!isSameContent(copied, part)) {
    throw new CopyRefused(
      `A part of ${part.table} is wrong: ${copied.rows} rows where ${part.rows} are expected, or different ones. The copy can't be used.`,
    );
  }
  return 'copied';
}

/**
 * Completes a copy once all parts are in place: deletes events that belong to no part, then writes the control store in
 * one transaction. The service that starts on it assembles all calls from the events.
 * @throws CopyRefused when the number of events is wrong
 */
export async function completeCopy(
  target: CopyTarget,
  { parts }: CopyPlan,
  controlRows: AsyncIterable<ControlRow>,
  by: CopyBy,
): Promise<void> {
  const { store, control } = target;
  const events = parts.filter(({ table }) => table === 'events');
  const expected = events.reduce((sum, { rows }) => sum + rows, 0);
  const all = { table: 'events', ...allTime };
  const scope = allOf({ projects: [], seals: [] });
  if ((await readContent(store, all, scope)).rows !== expected) {
    await deleteFrom(store, 'events', {
      sql: 'NOT arrayExists((part_from, part_to) -> received_at >= fromUnixTimestamp64Milli(part_from) AND received_at < fromUnixTimestamp64Milli(part_to), {froms:Array(Int64)}, {tos:Array(Int64)})',
      parameters: { froms: events.map(({ from }) => from * 1_000), tos: events.map(({ to }) => to * 1_000) },
    });
    const { rows } = await readContent(store, all, scope);
    if (rows !== expected)
      throw new CopyRefused(`There are ${rows} events where ${expected} are expected: copy again.`);
  }
  const writers = await readFirstEvents(store);
  await unrecorded(
    async () =>
      await control.transaction().execute(async (transaction) => {
        await writeControlRows(transaction, controlRows, writers);
        await transaction
          .insertInto('audit_entries')
          .values(copyEntry(by, expected, Date.now()))
          .execute();
      }),
  );
}

/** Marks the copy as complete, so that a service can start on the stores. */
export async function releaseCopy({ store }: CopyTarget): Promise<void> {
  await deleteFrom(store, 'migrations', {
    sql: 'startsWith(id, {prefix:String})',
    parameters: { prefix: unfinishedPrefix },
  });
}

/** Deletes rows and waits until they are gone. */
async function deleteFrom(store: AnalyticStore, table: string, where: Clause): Promise<void> {
  await store.command(`ALTER TABLE ${table} DELETE WHERE ${where.sql}`, where.parameters);
  while (await store.isDeleting([table])) await sleep(100);
}

async function readFirstEvents(store: AnalyticStore): Promise<FirstEvent[]> {
  const rows = await store.select<{ writer: string; seq: string; received_at: string }>(
    `SELECT toString(writer) AS writer, min(seq) AS seq, toUnixTimestamp64Milli(min(received_at)) AS received_at
      FROM events GROUP BY writer ORDER BY writer`,
    {},
    600_000,
  );
  return rows.map((row) => ({ writer: row.writer, seq: Number(row.seq), receivedAt: Number(row.received_at) }));
}
