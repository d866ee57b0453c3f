import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../lib/json.ts';
import type { ControlRow } from '../server/backup/control-rows.ts';
import type { CopyPlan } from '../server/backup/copy-in.ts';
import type { BegunBackupWire } from '../server/backup/routes.ts';
import type { AdminApi } from './api.ts';

/** An open backup of a service, ready to be read. */
export interface BackupSource extends CopyPlan {
  readonly id: string;
  readonly createdAt: string;
  readonly events: number;
  control(): Promise<Readable>;
  part(index: number): Promise<Readable>;
}

const attempts = 3;
/** The engine reads one part while another is compressed. */
const concurrency = 2;

/** Begins a backup of a service, runs `read` with it, and ends it. */
export async function withBackup<T>(api: AdminApi, read: (source: BackupSource) => Promise<T>): Promise<T> {
  const begun = await api.post<CopyPlan & Pick<BegunBackupWire, 'id' | 'created_at'>>('/admin/backups/');
  const path = `/admin/backups/${encodeURIComponent(begun.id)}/`;
  try {
    return await read({
      ...begun,
      createdAt: begun.created_at,
      events: begun.parts.reduce((sum, { table, rows }) => sum + (table === 'events' ? rows : 0), 0),
      control: () => api.stream(`${path}control/`),
      part: (index) => api.stream(`${path}parts/${index}/`),
    });
  } finally {
    // If the service is gone, the backup expires by itself.
    await api.delete(path).catch(() => undefined);
  }
}

/** Runs an action up to three times, unless its error `isFinal`. */
export async function withRetries<T>(action: () => Promise<T>, isFinal: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (attempt >= attempts || isFinal(error)) throw error;
      await sleep(500 * attempt);
    }
  }
}

/** Works on items in their order, two at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>) {
  const left = items.entries();
  const take = async () => {
    for (const [index, item] of left) await work(item, index);
  };
  await Promise.all(Array.from({ length: concurrency }, take));
}

/** The rows of a control store, one per line. */
export async function* readControlLines(text: Readable): AsyncGenerator<ControlRow> {
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield parseJson(line) as ControlRow;
  }
}
