// An intake buffer on a real engine; the test decides what becomes of each INSERT.

import { readEvent } from '../../src/calls/events/event.ts';
import type { EventToStore } from '../../src/calls/events/event-columns.ts';
import { type BufferJournal, IntakeBuffer } from '../../src/ingest/intake/buffer.ts';
import type { StoredBatch } from '../../src/ingest/intake/group.ts';
import { newId } from '../../src/lib/ids.ts';
import { Problem } from '../../src/lib/problem.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import type { Column } from '../../src/storage/analytic/native-block.ts';
import type { EngineStore } from '../support/stores.ts';
import { newEventId } from './world.ts';

interface Attempt {
  readonly token: string | undefined;
  readonly rows: readonly unknown[];
}

/** A store in which the test decides what becomes of each INSERT into `events`; the real engine carries them out. */
export class UnsureStore extends AnalyticStore {
  readonly attempts: Attempt[] = [];
  /** Called with the real INSERT, once an attempt; the default does it. */
  way: (insert: () => Promise<void>, attempt: number) => Promise<void> = (insert) => insert();
  readonly #underWay = new Set<Promise<void>>();

  /** Resolves once the INSERTs that are under way have an outcome. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  override async insertRows<Row>(
    table: string,
    columns: readonly Column<Row>[],
    rows: readonly Row[],
    options: { deduplicationToken?: string } = {},
  ): Promise<void> {
    this.attempts.push({ token: options.deduplicationToken, rows: structuredClone(rows) });
    const attempt = this.way(() => super.insertRows(table, columns, rows, options), this.attempts.length);
    this.#underWay.add(attempt);
    await attempt.finally(() => this.#underWay.delete(attempt));
  }
}

/** The first of February 2026: partitions are months of receipt. */
export const month = Date.UTC(2026, 1, 1);

interface StoredRow {
  readonly seq: string;
  readonly id: string;
  readonly receivedAt: string;
}

/** A buffer on `engine`, with a clock and a store that the test moves, and what it told its owner. */
export function startBuffer(
  engine: EngineStore,
  {
    maxBufferedBytes = 1_000_000,
    now = month - 3_600_000,
    isShared = false,
    writer = newId('wrt'),
    journaled,
  }: {
    maxBufferedBytes?: number;
    now?: number;
    isShared?: boolean;
    writer?: string;
    journaled?: BufferJournal;
  } = {},
) {
  const { url, username, password } = engine.engine;
  const store = new UnsureStore({ url, credentials: { username, password } });
  const clock = { now };
  const stored: StoredBatch[] = [];
  const errors: unknown[] = [];
  const buffer = new IntakeBuffer({
    store,
    writer,
    journaled,
    clock: () => clock.now,
    notBefore: now,
    maxBufferedBytes,
    onStored: (batch) => stored.push(batch),
    onError: (cause) => errors.push(cause),
    isShared: () => isShared,
  });
  return {
    store,
    writer,
    buffer,
    clock,
    stored,
    errors,
    /** Sends the events of one request as the intake does. */
    send: (ids: readonly string[], projectId = 'prj_test') => {
      const receivedAt = buffer.receivedAt();
      return buffer.store(
        ids.map((id) => eventOf(id, receivedAt, projectId)),
        receivedAt,
      );
    },
    /** What the log holds of this writer. */
    rows: async () =>
      await engine.store.select<StoredRow>(
        'SELECT seq, event_id AS id, toUnixTimestamp64Milli(received_at) AS receivedAt FROM events WHERE writer = {writer:String} ORDER BY seq',
        { writer },
      ),
    [Symbol.asyncDispose]: async () => {
      store.way = (insert) => insert();
      await buffer.close();
      await store.close();
    },
  };
}

export function eventOf(id: string, receivedAt: number, projectId: string): EventToStore {
  const event = { event_id: id, event_type: 'llm.after', tags: { customer: 'Ada "and"\n Bo' } };
  const reading = readEvent(event, receivedAt, { maxTags: 100 });
  if (!reading.ok) throw new Error('the event is valid');
  return { projectId, clientId: 'cl_test', columns: reading.columns, text: Buffer.from(JSON.stringify(event)) };
}

export const ids = (count: number) => Array.from({ length: count }, newEventId);
export const seqs = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
export const codeOf = async (sent: Promise<void>): Promise<string> =>
  await sent.then(
    () => 'stored',
    (cause) => (cause instanceof Problem ? cause.code : String(cause)),
  );
export const lost = new Error('the answer was lost');
