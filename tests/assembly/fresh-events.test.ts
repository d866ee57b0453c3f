// Events that go from memory into the calls, without a way over the log.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FreshEvents } from '../../src/calls/assembly/fresh-events.ts';
import { selectEventsOfSlice } from '../../src/calls/assembly/slice-sql.ts';
import { eventColumns } from '../../src/calls/events/event-columns.ts';
import type { LoggedEvent as ReadEvent } from '../../src/calls/merging/merge.ts';
import { parseMoney } from '../../src/lib/money.ts';
import { usualOrLong } from '../support/effort.ts';
import type { Json, LoggedEvent } from './model.ts';
import {
  assembleAll,
  base,
  deliver,
  expectedCalls,
  idsOf,
  newEventId,
  openWorldOfFile,
  readCalls,
  toRow,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();
const always = () => true;

const outcome = (writer: Writer, event: Json = {}): LoggedEvent =>
  writer.receive(base, { event_id: newEventId(), event_type: 'x.after', cost: 1, ...event });
const hold = (fresh: FreshEvents, events: readonly LoggedEvent[]): void =>
  fresh.hold(events.map((event) => toRow(world.projectId, event)));

const text = fc.oneof(
  fc.constantFrom('__proto__', '10', "o'neil \0", '😀', 'half \ud83d'),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const amount = fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.integer({ min: 0, max: 1_000_000_000 }));
const anyEvent: fc.Arbitrary<Json> = fc.record(
  {
    event_id: fc.uuid().map((id) => id.toUpperCase()),
    event_type: fc.constantFrom('x.before', 'x.after', 'x.error', 'x'),
    timestamp: fc.constantFrom('2026-01-29T19:59:59.9999Z', '2026-01-01T00:00:00+05:45', 'never'),
    model: text,
    provider: text,
    tags: fc.dictionary(text, fc.oneof(text, fc.boolean(), amount), { maxKeys: 4 }),
    elapsed_ms: amount,
    error_type: text,
    cost: amount,
    service_tier: text,
    usage: fc.record({ input_tokens: fc.nat(1e6), output_tokens: fc.nat(1e6), audio_seconds: amount }),
    web_searches: fc.nat(100),
    audio_seconds: amount,
  },
  { requiredKeys: ['event_id', 'event_type'] },
);

/** Decimals compare as numbers: their texts may end in zeros. */
const comparable = (event: ReadEvent) => ({
  ...event,
  tags: { ...event.tags },
  fields: { ...event.fields },
  cost: event.cost === null ? null : parseMoney(event.cost),
  units: Object.fromEntries(Object.entries(event.units).map(([unit, count]) => [unit, parseMoney(count)])),
});

test('D4.1: an event in memory is as it is read from the log', async () => {
  const given = fc.array(anyEvent, { minLength: 40, maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(given, async (events) => {
      const writer = new Writer();
      const rows = events.map((event) => toRow(world.projectId, writer.receive(base, event)));
      await world.store.insertRows('events', eventColumns, rows);
      const fresh = new FreshEvents(always);
      fresh.hold(rows);
      const from = { writer: writer.id, seq: 0, receivedAt: 0, lastSeenAt: 1, storedSeq: null };
      const { sql, parameters } = selectEventsOfSlice([{ from, toSeq: rows.length }], []);
      const read = (await world.store.select<ReadEvent>(sql, parameters)).sort((a, b) => a.seq - b.seq);
      expect(fresh.take(writer.id, { afterSeq: 0, toSeq: rows.length }).map(comparable)).toEqual(read.map(comparable));
    }),
    { numRuns: usualOrLong(3, 100) },
  );
});

const taken = (fresh: FreshEvents, writer: Writer, afterSeq: number, toSeq = Number.MAX_SAFE_INTEGER): number[] =>
  fresh.take(writer.id, { afterSeq, toSeq }).map(({ seq }) => seq);

test('D4.1: memory gives the events after a sequence without a gap, or none', () => {
  const [own, other] = [new Writer(), new Writer()];
  const events = Array.from({ length: 8 }, () => outcome(own));
  const fresh = new FreshEvents(always);
  hold(fresh, events.slice(0, 2));
  hold(fresh, events.slice(2, 5));
  expect(taken(fresh, other, 0)).toEqual([]);
  expect(taken(fresh, own, 0, 3)).toEqual([1, 2, 3]);
  // A batch that failed is read again.
  expect(taken(fresh, own, 0)).toEqual([1, 2, 3, 4, 5]);
  expect(taken(fresh, own, 3)).toEqual([4, 5]);
  // Earlier ones are gone.
  expect(taken(fresh, own, 2)).toEqual([]);
  // The sixth was kept back by the store.
  hold(fresh, events.slice(6));
  expect(taken(fresh, own, 3)).toEqual([]);
  expect(taken(fresh, own, 5)).toEqual([]);
  expect(taken(fresh, own, 6)).toEqual([7, 8]);
  expect(taken(fresh, own, 8)).toEqual([]);
  hold(fresh, [outcome(other)]);
  fresh.clear();
  expect(taken(fresh, other, 0)).toEqual([]);
});

test('D3.7: memory holds a bounded amount, and nothing while another process assembles', () => {
  let isHolder = true;
  const own = new Writer();
  const fresh = new FreshEvents(() => isHolder);
  const row = toRow(world.projectId, outcome(own));
  const rows = Array.from({ length: 70_000 }, (_, index) => ({ ...row, seq: index + 1 }));
  fresh.hold(rows.slice(0, 40_000));
  fresh.hold(rows.slice(40_000));
  expect(taken(fresh, own, 0)).toEqual([]);
  expect(taken(fresh, own, 40_000, 40_002)).toEqual([40_001, 40_002]);
  // What is assembled makes room.
  expect(taken(fresh, own, 69_999)).toEqual([70_000]);
  const large = { ...row.event, text: Buffer.alloc(1_048_576) };
  const largeRows = Array.from({ length: 70 }, (_, index) => ({ ...row, event: large, seq: 70_001 + index }));
  fresh.hold(largeRows.slice(0, 60));
  expect(taken(fresh, own, 70_058)).toEqual([70_059, 70_060]);
  fresh.hold(largeRows);
  expect(taken(fresh, own, 70_000)).toEqual([]);
  isHolder = false;
  fresh.hold([{ ...row, seq: 70_061 }]);
  expect(taken(fresh, own, 70_060)).toEqual([]);
});

test('D2: what is cleared while its INSERT is under way is not held', () => {
  let isHolder = true;
  const own = new Writer();
  const fresh = new FreshEvents(() => isHolder);
  const rows = [outcome(own), outcome(own)].map((event) => toRow(world.projectId, event));
  const onInserted = fresh.expect();
  // A job deletes events from the log, and only then the answer to the INSERT arrives.
  fresh.clear();
  onInserted(rows);
  expect(taken(fresh, own, 0)).toEqual([]);
  isHolder = false;
  const underOtherLease = fresh.expect();
  isHolder = true;
  underOtherLease(rows);
  expect(taken(fresh, own, 0)).toEqual([]);
  fresh.expect()(rows);
  expect(taken(fresh, own, 0)).toEqual([1, 2]);
});

test('D4.1: calls are the same, whichever events of a log are still in memory', async () => {
  const ids = Array.from({ length: 4 }, newEventId);
  const event = fc.record({
    event_id: fc.constantFrom(...ids),
    event_type: fc.constantFrom('x.before', 'x.after', 'x.error'),
    model: fc.constantFrom('m-alpha', 'm-beta'),
    prompt_tokens: fc.nat(1_000),
    tags: fc.record({ customer: fc.constantFrom('a', 'b') }),
  });
  const part = fc.record({
    events: fc.array(event, { minLength: 1, maxLength: 6 }),
    isHeld: fc.boolean(),
    isAssembled: fc.boolean(),
    maxEvents: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 2, maxLength: 5 }), async (parts) => {
      const own = new Writer();
      const fresh = new FreshEvents(always);
      // Ids of their own in every run.
      const idOf = new Map(ids.map((id) => [id, newEventId()]));
      const log: LoggedEvent[] = [];
      for (const { events, isHeld, isAssembled, maxEvents } of parts) {
        const received = events.map((fields) => own.receive(base, { ...fields, event_id: idOf.get(fields.event_id) }));
        log.push(...received);
        await deliver(world, received);
        if (isHeld) hold(fresh, received);
        if (isAssembled) await assembleAll(world, { fresh, maxEvents, readsAhead: true });
      }
      await assembleAll(world, { fresh });
      expect(await readCalls(world, idsOf(log))).toEqual(expectedCalls(world, log));
    }),
    { numRuns: usualOrLong(2, 60) },
  );
});
