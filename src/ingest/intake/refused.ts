import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventRow } from '../../calls/events/event-columns.ts';
import { toTime } from '../../lib/times.ts';
import { type InsertBatch, type InsertOptions, insertBatch } from './insert.ts';

/** A row that the store refuses, alone or with others. */
interface RefusedRow {
  readonly row: EventRow;
  readonly cause: unknown;
}

export interface SetAside {
  readonly folder: string;
  /** Told how many events were set aside, and in which file they are. */
  readonly onSetAside: (events: number, path: string) => void;
}

/** How long to wait before the file is written again after a failure, in milliseconds. */
const writeAgainMs = 1_000;

/**
 * Stores rows; where the store refuses some, halves of them, down to those, which are kept in a file. Returns the
 * number of rows stored; undefined when `goesOn` has given up.
 */
export async function insertOrSetAside(
  batch: InsertBatch,
  { folder, onSetAside }: SetAside,
  options: InsertOptions,
): Promise<number | undefined> {
  const refused = await insertTakenRows(batch, options);
  if (!refused) return undefined;
  if (refused.length > 0) {
    const path = join(folder, refusedFile);
    if (!(await appendInTime(path, refused, batch.goesOn))) return undefined;
    onSetAside(refused.length, path);
  }
  return batch.rows.length - refused.length;
}

async function insertTakenRows(batch: InsertBatch, options: InsertOptions): Promise<RefusedRow[] | undefined> {
  const { rows, token } = batch;
  let refusal: { readonly cause: unknown } | undefined;
  const goesOn = (cause: unknown): boolean => {
    if (!options.store.isRefusedRow(cause)) return batch.goesOn(cause);
    refusal = { cause };
    return false;
  };
  if (await insertBatch({ ...batch, goesOn }, options)) return [];
  if (!refusal) return undefined;
  const [row] = rows;
  if (row && rows.length === 1) return [{ row, cause: refusal.cause }];
  const refused: RefusedRow[] = [];
  const middle = rows.length >> 1;
  for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
    const found = await insertTakenRows(
      { ...batch, rows: half, ...(token && { token: `${token}:${half[0]?.seq}` }) },
      options,
    );
    if (!found) return undefined;
    refused.push(...found);
  }
  return refused;
}

/** The file of a data folder's journal with the events that the store has refused, a line each. */
const refusedFile = 'refused.ndjson';

/** Appends the rows once the file can be written; false when `goesOn` has given up. */
async function appendInTime(
  path: string,
  refused: readonly RefusedRow[],
  goesOn: InsertBatch['goesOn'],
): Promise<boolean> {
  for (;;) {
    try {
      await append(path, refused.map(toLine).join(''));
      return true;
    } catch (cause) {
      if (!goesOn(cause)) return false;
      await sleep(writeAgainMs);
    }
  }
}

/** A line of JSON with the event as it was sent; a line break in it is space between its members. */
function toLine({ row: { event, receivedAtMs }, cause }: RefusedRow): string {
  const about = {
    project_id: event.projectId,
    client_id: event.clientId,
    received_at: toTime(receivedAtMs),
    reason: String(cause),
  };
  const text = Buffer.from(event.text)
    .toString()
    .replaceAll(/[\r\n]/g, ' ');
  return `${JSON.stringify(about).slice(0, -1)},"event":${text}}\n`;
}

/** Appends to a file that only its owner reads; durable when this resolves. */
async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.appendFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}
