// The calls are a function of the log: not of the order in which writers' batches arrive, nor of how they are cut into batches.
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { someOf, usualOrLong } from '../support/effort.ts';
import type { Json, LoggedEvent } from './model.ts';
import {
  assembleAll,
  at,
  base,
  deliver,
  expectedCalls,
  forgetWriters,
  hour,
  idsOf,
  minute,
  newEventId,
  openWorldOfFile,
  readCalls,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();

beforeEach(async () => {
  await forgetWriters(world);
});

async function expectCalls(log: readonly LoggedEvent[]): Promise<void> {
  expect(await readCalls(world, idsOf(log))).toEqual(expectedCalls(world, log));
}

/** Every order of the items. */
function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/**
 * Four batches whose events are of the same four calls, received in turns: the batches of each writer are in order, the
 * first of each writer holds the first outcome of some call, and every batch says something different of each.
 */
function makeBatches(writers: readonly [Writer, Writer, Writer, Writer]): LoggedEvent[][] {
  const ids = Array.from({ length: 4 }, newEventId);
  const batches = writers.map((): LoggedEvent[] => []);
  const say = (batch: number, afterMs: number, event: Json) => {
    const writer = writers[batch];
    if (!writer) throw new Error('there are four batches');
    batches[batch]?.push(writer.receive(base + afterMs, event));
  };
  ids.forEach((event_id, index) => {
    // Times of receipt interleave within the first two batches, and within the last two.
    const turn = index * minute;
    const [one, other] = index % 2 === 0 ? [0, 1] : [1, 0];
    say(one, turn, {
      event_id,
      event_type: index === 3 ? 'llm.before' : 'llm.error',
      model: 'm-alpha',
      timestamp: at(base - index * 20 * hour),
      tags: { customer: 'Ada', from: 'one' },
    });
    say(other, turn + 1, {
      event_id,
      event_type: 'llm.after',
      prompt_tokens: 100 + index,
      timestamp: at(base - 45 * 24 * hour),
      tags: { from: 'two' },
    });
  });
  ids.forEach((event_id, index) => {
    const turn = 49 * hour + index * minute;
    const [one, other] = index % 2 === 0 ? [2, 3] : [3, 2];
    say(one, turn, { event_id, event_type: 'llm.after', completion_tokens: 10 + index, tags: { from: 'three' } });
    say(other, turn + 1, {
      event_id,
      event_type: 'llm.after',
      model: 'm-beta',
      timestamp: at(base),
      elapsed_ms: index,
      tags: { from: 'four', feature: 'late' },
    });
  });
  return batches;
}

describe('four batches that tell of the same calls', () => {
  test.each(someOf(permutations([0, 1, 2, 3]), 1))(
    'of four writers, assembled in the order %i %i %i %i',
    async (...order) => {
      const batches = makeBatches([new Writer(), new Writer(), new Writer(), new Writer()]);
      for (const index of order) {
        await deliver(world, batches[index] ?? []);
        expect(await assembleAll(world)).toBe(1);
      }
      await expectCalls(batches.flat());
    },
  );

  // One writer's batches are stored in their order, always: its sequences commit without gaps.
  const interleavings = permutations([0, 1, 2, 3]).filter(
    (order) => order.indexOf(0) < order.indexOf(2) && order.indexOf(1) < order.indexOf(3),
  );
  const ways = ['each', 'together', 'two events at a time'] as const;

  test.each(
    someOf(
      interleavings.flatMap((order, index) =>
        ways.map((_way, step) => ({ order, way: ways[(index + step) % ways.length] ?? 'each' })),
      ),
      1,
    ),
  )('of two writers, delivered in the order $order, assembled $way', async ({ order, way }) => {
    const [left, right] = [new Writer(), new Writer()];
    const batches = makeBatches([left, right, left, right]);
    for (const index of order) {
      await deliver(world, batches[index] ?? []);
      if (way === 'each') await assembleAll(world);
    }
    const rest = await assembleAll(world, { maxEvents: way === 'two events at a time' ? 2 : 20_000 });
    expect(rest).toBe({ each: 0, together: 1, 'two events at a time': 4 }[way]);
    await expectCalls(batches.flat());
  });
});

// Around how far the other events of a few are looked for at first (a minute), and the steps after it.
const apart = [
  1_000,
  minute - 1,
  minute,
  minute + 1,
  3 * minute,
  10 * minute - 1,
  10 * minute,
  10 * minute + 1,
  7 * hour,
];

test.each(someOf(apart, 1))(
  'a call whose end comes %i ms after its beginning, in a batch of its own, is one call',
  async (ms) => {
    const writer = new Writer();
    const event_id = newEventId();
    const begun = writer.receive(base, {
      event_id,
      event_type: 'llm.before',
      model: 'm-alpha',
      tags: { customer: 'Ada' },
    });
    const ended = writer.receive(base + ms, { event_id, event_type: 'llm.after', prompt_tokens: 100 });
    for (const event of [begun, ended]) {
      await deliver(world, [event]);
      expect(await assembleAll(world)).toBe(1);
    }
    await expectCalls([begun, ended]);
  },
);

describe('any log', () => {
  const waits = [
    0,
    1,
    1_000,
    3 * minute,
    30 * minute,
    5 * hour,
    20 * hour,
    47 * hour,
    48 * hour,
    48 * hour + 1,
    49 * hour,
    2_000 * hour,
  ];
  // Nothing at all is the most frequent: many events of one request share their time of receipt.
  const wait = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(0, 0, 1, 1_000) }, fc.constantFrom(...waits));
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
  const tags = fc.dictionary(
    fc.constantFrom('customer', 'user', 'feature', 'run', 'note', '__proto__'),
    fc.constantFrom('a', 'b', 'ü \\ "\n', ''),
    { noNullPrototype: true },
  );
  /** Relative to the time of receipt; the last two are no times that count. */
  const timestamp = fc.constantFrom(
    -3_000 * hour,
    -50 * hour,
    -20 * hour,
    -hour,
    0,
    23 * hour,
    25 * hour,
    10_000_000 * hour,
  );
  const event = fc.record({
    id: fc.nat({ max: 3 }),
    wait,
    writer: fc.nat({ max: 1 }),
    type: fc.constantFrom('llm.before', 'llm.after', 'llm.after', 'llm.error', 'after', 'before.custom'),
    timestamp: maybe(timestamp),
    fields: fc.record({
      model: maybe(fc.constantFrom('m-alpha', 'm-beta', 'm-none', '')),
      provider: maybe(fc.constantFrom('acme', 'other')),
      customer: maybe(fc.constantFrom('top', '')),
      user: maybe(fc.constantFrom('top')),
      feature: maybe(fc.constantFrom('top')),
      run_id: maybe(fc.constantFrom('run-1', 'run-2')),
      elapsed_ms: maybe(fc.constantFrom(0, 12.25, 90_000)),
      error_type: maybe(fc.constantFrom('timeout')),
      prompt_tokens: maybe(fc.nat({ max: 5_000 })),
      completion_tokens: maybe(fc.nat({ max: 5_000 })),
      // Rare: a call whose cost is reported is not priced.
      cost: fc.constantFrom(...Array.from({ length: 12 }, () => undefined), 0, 0.000_001_5, 12.5),
      tags: maybe(tags),
    }),
  });
  /** How the log is delivered and assembled: how many events of which writer come next, and whether a batch runs then. */
  const delivery = fc.record({
    writer: fc.nat({ max: 1 }),
    count: fc.integer({ min: 1, max: 12 }),
    assemble: fc.boolean(),
  });
  const plan = fc.record({
    events: fc.array(event, { minLength: 30, maxLength: 60 }),
    deliveries: fc.array(delivery, { minLength: 4, maxLength: 10 }),
    maxEvents: fc.constantFrom(...usualOrLong([7, 17, 1_000], [3, 7, 17, 1_000])),
    readsAhead: fc.boolean(),
  });

  type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

  /** The log of a plan, with ids and writers of its own. */
  function makeLog({ events }: Plan): LoggedEvent[] {
    const ids = Array.from({ length: 4 }, newEventId);
    const writers = [new Writer(), new Writer()];
    let now = base;
    return events.map(({ id, wait, writer: index, type, timestamp, fields }) => {
      now += wait;
      const writer = writers[index];
      if (!writer) throw new Error('there are two writers');
      const said = timestamp === undefined ? {} : { timestamp: sayTime(now + timestamp) };
      return writer.receive(now, { event_id: ids[id], event_type: type, ...fields, ...said });
    });
  }

  const sayTime = (time: number): string => (time > Date.UTC(2900, 0) ? 'in the far future' : at(time));

  /** Of a log that shows something: a call takes the id of an earlier one, and a call has a price. */
  const richPlan = plan.filter((planned) => {
    const calls = expectedCalls(world, makeLog(planned));
    return calls.some(({ ordinal }) => ordinal > 0) && calls.some(isPriced);
  });
  const isPriced = ({ source, cost }: ReturnType<typeof expectedCalls>[number]): boolean =>
    source === 'override' && cost !== '0';

  test('gives the calls of the model, with batches of any order and size', async () => {
    await fc.assert(
      fc.asyncProperty(richPlan, async (planned) => {
        await forgetWriters(world);
        const log = makeLog(planned);
        const [left = '', right = ''] = new Set(log.map(({ writer }) => writer));
        const queues = [left, right].map((writer) => log.filter((logged) => logged.writer === writer));
        const { maxEvents, readsAhead } = planned;
        for (const { writer, count, assemble } of planned.deliveries) {
          await deliver(world, queues[writer]?.splice(0, count) ?? []);
          if (assemble) await assembleAll(world, { maxEvents, readsAhead });
        }
        await deliver(world, queues.flat());
        await assembleAll(world, { maxEvents, readsAhead });
        const calls = await readCalls(world, idsOf(log));
        expect(calls).toEqual(expectedCalls(world, log));
      }),
      { numRuns: usualOrLong(1, 40) },
    );
  });
});
