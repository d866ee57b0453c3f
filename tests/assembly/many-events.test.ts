// An id with more events than are read again each time: its calls are those of all its events, at a cost that does not grow.
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { readBatch, writeBatch } from '../../src/calls/assembly/batch.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import type { Parameters } from '../../src/storage/analytic/row-reader.ts';
import { usualOrLong } from '../support/effort.ts';
import type { Json, LoggedEvent } from './model.ts';
import {
  assembleAll,
  at,
  base,
  deliver,
  expectedCalls,
  forgetWriters,
  hour,
  makeAssembler,
  newEventId,
  openWorldOfFile,
  outliveLease,
  readCalls,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();
const {
  engine: { url, username, password },
} = world;

beforeEach(async () => {
  await forgetWriters(world);
});

/** A store that counts the events of calls that are read. */
class CountingStore extends AnalyticStore {
  read = 0;
  most = 0;

  override async select<Row>(sql: string, parameters: Parameters = {}, withinMs?: number): Promise<Row[]> {
    const rows = await super.select<Row>(sql, parameters, withinMs);
    if (sql.includes('has_timestamp')) {
      this.read += rows.length;
      this.most = Math.max(this.most, rows.length);
    }
    return rows;
  }
}

const openCounting = () => new CountingStore({ url, credentials: { username, password } });

const after = (id: string, more: Json = {}): Json => ({
  event_id: id,
  event_type: 'llm.after',
  model: 'm-alpha',
  prompt_tokens: 10,
  ...more,
});

test('D27.7: an event of an id with many events is assembled without reading them again', async () => {
  const writer = new Writer();
  const id = newEventId();
  const receive = (count: number, from: number): LoggedEvent[] =>
    Array.from({ length: count }, (_, index) =>
      writer.receive(
        base + from + index,
        after(id, { tags: { customer: `c${index % 3}`, [`t${index % 9}`]: `${index}` } }),
      ),
    );
  const log = receive(3_000, 0);
  await deliver(world, log);
  await assembleAll(world, { maxEvents: 700 });
  expect(await readCalls(world, [id])).toEqual(expectedCalls(world, log));
  const store = openCounting();
  for (let turn = 1; turn <= 3; turn += 1) {
    const more = receive(2, turn * 10_000);
    log.push(...more);
    await deliver(world, more);
    await assembleAll(world, { store });
    expect(await readCalls(world, [id])).toEqual(expectedCalls(world, log));
  }
  // Two events of each slice and no other.
  expect(store.read).toBe(6);
  const [row] = await world.store.select<{ events: number }>(
    'SELECT toFloat64(events) AS events FROM condensed_ids FINAL WHERE event_id = {id:UUID}',
    { id },
  );
  expect(row).toEqual({ events: 3_006 });
});

test('D27.7: an id whose condensed events are gone is condensed again from the log, a part at a time', async () => {
  const writer = new Writer();
  const id = newEventId();
  const log = Array.from({ length: 12_000 }, (_, index) =>
    writer.receive(base + index, after(id, { tags: { [`t${index % 5}`]: `${index}` } })),
  );
  await deliver(world, log);
  await assembleAll(world);
  await world.store.command('TRUNCATE TABLE condensed_ids');
  const more = [writer.receive(base + 60_000, after(id, { tags: { customer: 'Ada' } }))];
  await deliver(world, more);
  const store = openCounting();
  const select = store.select.bind(store);
  // A statement for all of them at once returns too much.
  store.select = async <Row>(sql: string, parameters: Parameters = {}, withinMs?: number): Promise<Row[]> =>
    await select<Row>(sql.replace(/max_result_bytes = \d+/, 'max_result_bytes = 2000000'), parameters, withinMs);
  await assembleAll(world, { store });
  expect(await readCalls(world, [id])).toEqual(expectedCalls(world, [...log, ...more]));
  expect(store.most).toBeLessThan(10_000);
});

test('D27.7: a batch that is read ahead knows what the batch before keeps', async () => {
  const writer = new Writer();
  const id = newEventId();
  const log = Array.from({ length: 2_400 }, (_, index) =>
    writer.receive(base + index, after(id, { tags: { [`t${index % 5}`]: `${index}` } })),
  );
  await deliver(world, log);
  await assembleAll(world, { maxEvents: 600, readsAhead: true });
  expect(await readCalls(world, [id])).toEqual(expectedCalls(world, log));
});

test('D27.7: a batch that is assembled again after its ids were stored gives the same calls', async () => {
  const writer = new Writer();
  const id = newEventId();
  const log = Array.from({ length: 2_400 }, (_, index) =>
    writer.receive(base + index, after(id, { tags: { [`t${index % 5}`]: `${index}` } })),
  );
  await deliver(world, log);
  outliveLease(world);
  const options = makeAssembler(world, { maxEvents: 1_200 });
  await options.lease.acquire();
  const stopped = {
    ...options,
    afterStep: (step: string) => (step === 'calls' ? Promise.reject(new Error('stop')) : undefined),
  };
  for (let turn = 0; turn < 2; turn += 1) {
    const read = await readBatch(options);
    await expect(writeBatch(stopped, read)).rejects.toThrow('stop');
    await writeBatch(options, await readBatch(options));
    expect(await readCalls(world, [id])).toEqual(expectedCalls(world, log.slice(0, 1_200 * (turn + 1))));
  }
  const [row] = await world.store.select<{ events: number }>(
    'SELECT toFloat64(events) AS events FROM condensed_ids FINAL WHERE event_id = {id:UUID}',
    { id },
  );
  expect(row).toEqual({ events: 2_400 });
});

interface Burst {
  readonly writer: number;
  readonly hours: number;
  readonly count: number;
  readonly phase: 'before' | 'error' | 'after';
  readonly isTimed: boolean;
}

const burst: fc.Arbitrary<Burst> = fc.record({
  writer: fc.nat(2),
  hours: fc.constantFrom(0, 1, 30, 47, 48, 49, 97, 99, 150),
  count: fc.integer({ min: 1, max: 500 }),
  phase: fc.constantFrom('before', 'error', 'after'),
  isTimed: fc.boolean(),
});

test('D27.7, D4.1, D4.2: many events of one id in any order of arrival make the calls of the model', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(burst, { minLength: 6, maxLength: usualOrLong(9, 14) }),
      fc.array(fc.nat(5), { minLength: 3, maxLength: 8 }),
      async (bursts, order) => {
        await forgetWriters(world);
        const id = newEventId();
        const writers = [new Writer(), new Writer(), new Writer()];
        const arrivals = new Map<number, LoggedEvent[][]>();
        bursts
          .toSorted((a, b) => a.hours - b.hours)
          .forEach(({ writer, hours, count, phase, isTimed }, turn) => {
            const of = writers[writer];
            const received = Array.from({ length: count }, (_, index) =>
              of?.receive(base + hours * hour + turn * 1_000 + index, {
                ...after(id, {
                  tags: { customer: `c${turn}`, [`t${index % 4}`]: `${turn}-${index}` },
                  prompt_tokens: index,
                }),
                event_type: `llm.${phase}`,
                ...(isTimed && { timestamp: at(base + (hours - turn * 9) * hour) }),
              }),
            ).filter((event) => event !== undefined);
            arrivals.set(writer, [...(arrivals.get(writer) ?? []), received]);
          });
        // Each writer's bursts arrive in their order; writers by turns as drawn.
        const log: LoggedEvent[] = [];
        for (let turn = 0; [...arrivals.values()].some((queue) => queue.length > 0); turn += 1) {
          const left = [...arrivals.values()].filter((queue) => queue.length > 0);
          const next = left[(order[turn % order.length] ?? 0) % left.length]?.shift() ?? [];
          log.push(...next);
          await deliver(world, next);
          if (turn % 2 === 0) await assembleAll(world, { maxEvents: 300, readsAhead: turn % 4 === 0 });
        }
        await assembleAll(world);
        expect(await readCalls(world, [id])).toEqual(expectedCalls(world, log));
      },
    ),
    { numRuns: usualOrLong(1, 60) },
  );
});
