// D4.1, D4.2: a call is made of all its events, in whatever batches they come.
import { beforeEach, expect, test } from 'vitest';
import { readBatch, writeBatch } from '../../src/calls/assembly/batch.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import type { Column } from '../../src/storage/analytic/native-block.ts';
import {
  assembleAll,
  base,
  deliver,
  expectedCalls,
  forgetWriters,
  idsOf,
  makeAssembler,
  minute,
  newEventId,
  openWorldOfFile,
  outliveLease,
  readCalls,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();

beforeEach(async () => {
  await forgetWriters(world);
});

const beginning = (id: string) => ({
  event_id: id,
  event_type: 'llm.before',
  model: 'm-alpha',
  provider: 'acme',
  tags: { customer: 'Ada' },
});
const end = (id: string) => ({ event_id: id, event_type: 'llm.after', prompt_tokens: 1_000 });

test('a beginning and an end that were received in the same millisecond are one call, whatever batch they are in', async () => {
  const own = new Writer();
  const ids = [newEventId(), newEventId()];
  const log = [...ids.map((id) => own.receive(base, beginning(id))), ...ids.map((id) => own.receive(base, end(id)))];
  await deliver(world, log);
  expect(await assembleAll(world, { maxEvents: 1 })).toBe(4);
  const calls = await readCalls(world, ids);
  expect(calls).toEqual(expectedCalls(world, log));
  expect(calls.map(({ customer }) => customer)).toEqual(['Ada', 'Ada']);
});

test('an event of another writer that was assembled before, and received after those of the slice, is in the call', async () => {
  const [prompt, slow] = [new Writer(), new Writer()];
  const id = newEventId();
  const last = prompt.receive(base + 5_000, end(id));
  await deliver(world, [last]);
  await assembleAll(world);
  // Received first, stored last.
  const first = slow.receive(base, beginning(id));
  const other = slow.receive(base + minute, end(newEventId()));
  await deliver(world, [first, other]);
  await assembleAll(world);
  const log = [last, first, other];
  expect(await readCalls(world, idsOf(log))).toEqual(expectedCalls(world, log));
});

test('an id that comes again in every batch is merged from all its events', async () => {
  const own = new Writer();
  const id = newEventId();
  const repeated = Array.from({ length: 300 }, (_, index) =>
    own.receive(base + index, { ...end(id), completion_tokens: index, tags: { [`tag-${index % 7}`]: String(index) } }),
  );
  await deliver(world, repeated);
  expect(await assembleAll(world, { maxEvents: 100 })).toBe(3);
  expect(await readCalls(world, [id])).toEqual(expectedCalls(world, repeated));
});

/** A store in which ids are noted only when the test says so. */
class SlowToNote extends AnalyticStore {
  until: Promise<void> = Promise.resolve();

  override async insertRows<Row>(table: string, columns: readonly Column<Row>[], rows: readonly Row[]): Promise<void> {
    if (table === 'event_ids') await this.until;
    await super.insertRows(table, columns, rows);
  }
}

test('a batch that is read ahead knows the ids of the one before it', async () => {
  const own = new Writer();
  const id = newEventId();
  const log = [own.receive(base, beginning(id)), own.receive(base + 1, end(id))];
  await deliver(world, log);
  const store = new SlowToNote({ url: world.engine.url, credentials: world.engine });
  const { promise, resolve } = Promise.withResolvers<void>();
  store.until = promise;
  const options = { ...makeAssembler(world, { maxEvents: 1 }), store };
  outliveLease(world);
  expect(await options.lease.acquire()).toBe(true);
  const first = await readBatch(options);
  const second = readBatch(options, first);
  // It would have asked for the ids by then.
  expect(await Promise.race([second, new Promise((after) => setTimeout(after, 500, 'waits'))])).toBe('waits');
  resolve();
  await writeBatch(options, first);
  await writeBatch(options, await second);
  await options.lease.release();
  expect(await readCalls(world, [id])).toEqual(expectedCalls(world, log));
});

test('no call is written before its id is noted', async () => {
  const own = new Writer();
  const id = newEventId();
  await deliver(world, [own.receive(base, end(id))]);
  const store = new SlowToNote({ url: world.engine.url, credentials: world.engine });
  store.until = Promise.reject(new Error('the store is gone'));
  store.until.catch(() => undefined);
  const options = { ...makeAssembler(world), store };
  outliveLease(world);
  expect(await options.lease.acquire()).toBe(true);
  const read = await readBatch(options);
  await expect(writeBatch(options, read)).rejects.toThrow('the store is gone');
  await options.lease.release();
  expect(await readCalls(world, [id])).toEqual([]);
});
