import { setTimeout as sleep } from 'node:timers/promises';
import { listAppliedRereads } from '../../calls/applied-rereads.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { type ControlSources, type ControlStore, changeRows, lockStore } from '../../storage/control/control-store.ts';
import { readFrozenDays } from './frozen-days.ts';
import { type CopyScope, keptTables, type Mark } from './kept-tables.ts';
import { type BackupPart, listParts } from './parts.ts';
import { readMadeCloses, readPinnedDays } from './pinned-days.ts';

export interface BackupSources extends ControlSources {
  readonly store: AnalyticStore;
  /** Resolves once the log has every event that was acknowledged before. */
  readonly flush: () => Promise<void>;
}

/** An open backup. Its content is fixed when it begins. */
export interface Backup {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly scope: CopyScope;
  readonly parts: readonly BackupPart[];
}

/** How long an open backup lasts after the last read from it, in milliseconds. Deletions wait until then. */
const lastsMs = 10 * 60_000;
/** How long a new backup waits for running deletions, in milliseconds. */
const patienceMs = 20_000;

/**
 * Begins a backup of every event acknowledged so far. Until it ends, nothing in it is deleted. It has no later events.
 * @throws Problem `unavailable` when the store takes no events, or running deletions take longer than 20 seconds
 */
export async function beginBackup({ store, control, clock, flush }: BackupSources): Promise<Backup> {
  const id = newId('bak');
  const createdAt = clock();
  await control.deleteFrom('backups').where('expires_at', '<=', createdAt).execute();
  // Insert the row first, so that no new deletion starts while the content of the backup is listed.
  await control
    .insertInto('backups')
    .values({ id, created_at: createdAt, expires_at: createdAt + lastsMs, plan: '' })
    .execute();
  try {
    await flush();
    await waitForDeletions(store, clock);
    // Closes can be made meanwhile. So first read which closes are in the backup, and then everything that they need.
    const closes = await readMadeCloses(control);
    const scope: CopyScope = {
      mark: await readMark(store),
      frozen: await readFrozenDays(control),
      rereads: await readRereads(control),
      closes,
      pins: await readPinnedDays(control, closes),
    };
    const backup = { id, createdAt, scope, parts: await listParts(store, scope) };
    const plan = JSON.stringify({ scope: backup.scope, parts: backup.parts });
    await changeRows(control, 'backups', { id }, { plan, expires_at: clock() + lastsMs });
    return backup;
  } catch (error) {
    await endBackup(control, id);
    throw error;
  }
}

/** The backup with this id, its expiry extended; undefined when it has ended or expired. */
export async function findBackup({ control, clock }: BackupSources, id: string): Promise<Backup | undefined> {
  const row = await control
    .updateTable('backups')
    .set({ expires_at: clock() + lastsMs })
    .where('id', '=', id)
    .where('expires_at', '>', clock())
    .returning(['created_at', 'plan'])
    .executeTakeFirst();
  if (!row || row.plan === '') return undefined;
  const { scope, parts } = parseJson(row.plan) as Pick<Backup, 'scope' | 'parts'>;
  return { id, createdAt: row.created_at, scope, parts };
}

export async function endBackup(control: ControlStore, id: string): Promise<void> {
  await control.deleteFrom('backups').where('id', '=', id).execute();
}

/** No other reread takes effect from now on: it takes the same lock, and waits for open backups. */
async function readRereads(control: ControlStore): Promise<[project: string, generation: number][]> {
  return await control.transaction().execute(async (transaction) => {
    await lockStore(transaction);
    return await listAppliedRereads(transaction);
  });
}

async function waitForDeletions(store: AnalyticStore, clock: Clock): Promise<void> {
  const until = clock() + patienceMs;
  // Don't wait for deletions of calls: they never delete calls that a close pins.
  const tables = keptTables.map(({ name }) => name).filter((name) => name !== 'calls');
  while (await store.isDeleting(tables)) {
    if (clock() >= until) {
      throw new Problem('unavailable', 'Rows are being deleted, and a backup waits for that: try again.', {
        headers: { 'retry-after': '5' },
      });
    }
    await sleep(250);
  }
}

/** The last sequence of every writer. Sequences commit in their order, so all earlier events are stored too. */
async function readMark(store: AnalyticStore): Promise<Mark> {
  const rows = await store.select<{ writer: string; seq: string }>(
    'SELECT toString(writer) AS writer, max(seq) AS seq FROM events GROUP BY writer ORDER BY writer',
    {},
    60_000,
  );
  return { writers: rows.map(({ writer }) => writer), seqs: rows.map(({ seq }) => Number(seq)) };
}
