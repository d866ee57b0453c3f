// D4.2 and D4.3 by hand-made logs: which day a call is on, and what a repeated outcome does.
import { beforeEach, describe, expect, test } from 'vitest';
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
  newEventId,
  openWorldOfFile,
  readCalls,
  Writer,
} from './world.ts';

const world = await openWorldOfFile();

beforeEach(async () => {
  await forgetWriters(world);
});

/** Delivers and assembles each of the batches in turn, and answers the calls after the last. */
async function assembleEach(...batches: readonly (readonly LoggedEvent[])[]) {
  for (const batch of batches) {
    await deliver(world, batch);
    expect(await assembleAll(world)).toBe(1);
  }
  const log = batches.flat();
  const calls = await readCalls(world, idsOf(log));
  expect(calls).toEqual(expectedCalls(world, log));
  return calls;
}

const day = 24 * hour;
const full: Json = {
  event_type: 'llm.after',
  model: 'm-alpha',
  provider: 'acme',
  prompt_tokens: 1_000,
  completion_tokens: 100,
  tags: { customer: 'Ada', feature: 'search', run: 'run-1', note: 'kept' },
};

describe('an outcome that was received earlier and is delivered later', () => {
  test.each([
    { name: 'on the day before', movedTo: base - day, days: ['2026-01-29', '2026-01-28'] },
    { name: 'in the month after', movedTo: base + 20 * hour + 2.5 * day, days: ['2026-01-31', '2026-02-01'] },
    { name: 'two months before', movedTo: base - 60 * day, days: ['2026-01-29', '2025-11-30'] },
  ])('moves its call: $name', async ({ movedTo, days }) => {
    const [early, late] = [new Writer(), new Writer()];
    const id = newEventId();
    const receivedFirst = movedTo > base ? movedTo - 12 * hour : base;
    // The outcome assembled first says a time on the first of the days.
    const said = movedTo > base ? base + 2 * day : base;
    const first = early.receive(receivedFirst, { ...full, event_id: id, timestamp: at(movedTo) });
    const second = late.receive(receivedFirst + hour, {
      ...full,
      event_id: id,
      event_type: 'llm.error',
      timestamp: at(said),
    });

    await deliver(world, [second]);
    await assembleAll(world);
    expect((await readCalls(world, [id])).map((call) => call.day)).toEqual([days[0]]);

    await deliver(world, [first]);
    await assembleAll(world);
    const calls = await readCalls(world, [id]);
    expect(calls.map((call) => call.day)).toEqual([days[1]]);
    expect(calls).toEqual(expectedCalls(world, [first, second]));
  });

  test('moves its call twice, and back to the day that it had left', async () => {
    const id = newEventId();
    const writers = [new Writer(), new Writer(), new Writer()];
    const times = [base, base + 4 * day, base].map((time) => at(time - 5 * day));
    // Received one after the other, delivered last first.
    const log = writers.map((writer, index) =>
      writer.receive(base + index * hour, { ...full, event_id: id, timestamp: times[index] }),
    );
    const calls = await assembleEach(...log.toReversed().map((logged) => [logged]));
    expect(calls.map((call) => call.day)).toEqual(['2026-01-24']);
  });

  test('takes every call of a used-again id to its right day', async () => {
    const id = newEventId();
    const [early, late] = [new Writer(), new Writer()];
    const seen = [
      late.receive(base, { ...full, event_id: id }),
      late.receive(base + 50 * hour, { ...full, event_id: id }),
    ];
    // With it, the first call begins earlier and ends at `base`, so the outcome at 47 hours begins the second.
    const unseen = [
      early.receive(base - 3 * hour, { ...full, event_id: id }),
      early.receive(base + 47 * hour, { ...full, event_id: id }),
    ];
    const calls = await assembleEach(seen, unseen);
    expect(calls.map((call) => [call.ordinal, call.firstReceivedAt])).toEqual([
      [0, base - 3 * hour],
      [1, base + 47 * hour],
    ]);
  });

  test('changes the price book, when another was in force', async () => {
    const id = newEventId();
    const [early, late] = [new Writer(), new Writer()];
    const usage = { ...full, event_id: id };
    const second = late.receive(base + 40 * hour, usage);
    const first = early.receive(base + 30 * hour, usage);
    await deliver(world, [second]);
    await assembleAll(world);
    // 1,000 × 2.000001 + 100 × 20.5 dollars a million.
    expect((await readCalls(world, [id])).map((call) => call.cost)).toEqual(['4050001000']);
    await deliver(world, [first]);
    await assembleAll(world);
    // 1,000 × 1.25 + 100 × 10 dollars a million.
    expect((await readCalls(world, [id])).map((call) => call.cost)).toEqual(['2250000000']);
  });
});

describe('a repeated outcome', () => {
  /** The first outcome, then one with this after so long: in one batch, and in two. */
  async function repeat(afterMs: number, repetition: Json, ids = [newEventId(), newEventId()]) {
    const writer = new Writer();
    const firsts = ids.map((id) => writer.receive(base, { ...full, event_id: id }));
    const repetitions = ids.map((id) => writer.receive(base + afterMs, { ...repetition, event_id: id }));
    const [together = '', apart = ''] = ids;
    await assembleEach(
      [...firsts, repetitions[0]].filter((logged) => logged !== undefined),
      repetitions.slice(1),
    );
    return { together: await readCalls(world, [together]), apart: await readCalls(world, [apart]) };
  }

  const bare: Json = { event_type: 'after' };
  const stamped: Json = { ...bare, timestamp: at(base + day) };

  test.each([
    { name: '47 hours later', after: 47 * hour, calls: 1 },
    { name: 'exactly 48 hours later', after: 48 * hour, calls: 1 },
    { name: 'a millisecond more than 48 hours later', after: 48 * hour + 1, calls: 2 },
    { name: '49 hours later', after: 49 * hour, calls: 2 },
    { name: 'four months later', after: 120 * day, calls: 2 },
  ])('without timestamp, $name: $calls', async ({ after, calls }) => {
    for (const found of Object.values(await repeat(after, bare))) {
      expect(found).toHaveLength(calls);
      expect(found[0]).toMatchObject({ firstReceivedAt: base, time: base, model: 'm-alpha', customer: 'Ada' });
      if (calls === 2) {
        expect(found[1]).toMatchObject({
          ordinal: 1,
          firstReceivedAt: base + after,
          model: '',
          customer: '',
          tags: {},
        });
      }
    }
  });

  test.each([47 * hour, 49 * hour, 30 * day, 150 * day])(
    'with timestamp, %i ms later, is the same call and strips nothing',
    async (after) => {
      for (const found of Object.values(await repeat(after, stamped))) {
        expect(found).toHaveLength(1);
        expect(found[0]).toMatchObject({
          firstReceivedAt: base,
          time: base,
          day: '2026-01-29',
          model: 'm-alpha',
          provider: 'acme',
          customer: 'Ada',
          feature: 'search',
          run: 'run-1',
          tags: full.tags,
          input: 1_000,
          output: 100,
          cost: '2250000000',
        });
      }
    },
  );

  test('with timestamp, months later, adds what it knows to what was known', async () => {
    const { apart } = await repeat(100 * day, {
      ...stamped,
      model: 'm-beta',
      elapsed_ms: 12.5,
      tags: { note: 'new', user: 'Bo' },
    });
    expect(apart).toHaveLength(1);
    expect(apart[0]).toMatchObject({
      model: 'm-beta',
      elapsedMs: 12.5,
      tags: { customer: 'Ada', feature: 'search', run: 'run-1', note: 'new', user: 'Bo' },
      // The prices of the book that was in force when the call began: 1,000 × 0.3 + 100 × 2.5 dollars a million.
      cost: '550000000',
    });
  });

  test('with an unusable timestamp counts as one without', async () => {
    const { together, apart } = await repeat(49 * hour, { ...bare, timestamp: 'yesterday' });
    expect([together.length, apart.length]).toEqual([2, 2]);
  });

  test('in a chain of three, 40 hours apart, begins a second call at the third, and a third only 48 hours after that', async () => {
    const writer = new Writer();
    const id = newEventId();
    const log = [0, 40, 80, 120, 129].map((hours) => writer.receive(base + hours * hour, { ...full, event_id: id }));
    const calls = await assembleEach(...log.map((logged) => [logged]));
    expect(calls.map((call) => call.firstReceivedAt)).toEqual([0, 80, 129].map((hours) => base + hours * hour));
  });

  test('in a chain, all in one batch', async () => {
    const writer = new Writer();
    const id = newEventId();
    const log = [0, 49, 98, 147].map((hours) => writer.receive(base + hours * hour, { ...full, event_id: id }));
    expect(await assembleEach(log)).toHaveLength(4);
  });

  test('with timestamp, goes to the latest call that had begun', async () => {
    const writer = new Writer();
    const id = newEventId();
    const log = [
      writer.receive(base, { ...full, event_id: id }),
      writer.receive(base + 60 * hour, { ...full, event_id: id }),
      writer.receive(base + 200 * hour, { ...stamped, event_id: id, completion_tokens: 7 }),
    ];
    const calls = await assembleEach(...log.map((logged) => [logged]));
    expect(calls.map((call) => call.output)).toEqual([100, 7]);
  });

  test('of another id in the same batch is looked up on its own, however far back each lies', async () => {
    const writer = new Writer();
    const ids = Array.from({ length: 4 }, newEventId);
    const begun = [0, 100, 140, 148].map((hours, index) =>
      writer.receive(base + hours * hour, { ...full, event_id: ids[index], completion_tokens: index }),
    );
    // 150 hours, 50 hours, 10 hours and 2 hours after; and an id that is new.
    const now = base + 150 * hour;
    const again = [...ids, newEventId()].map((id) =>
      writer.receive(now, { event_id: id, event_type: 'after', timestamp: at(now) }),
    );
    const calls = await assembleEach(begun, again);
    expect(calls).toHaveLength(5);
  });
});

describe('an event before the outcome', () => {
  const before: Json = { event_type: 'llm.before', model: 'm-beta', tags: { customer: 'Eve', extra: 'x' } };
  const outcome: Json = { event_type: 'llm.after', prompt_tokens: 10 };

  test('makes no call, and adds its data when the outcome comes, however late', async () => {
    const writer = new Writer();
    const id = newEventId();
    const first = writer.receive(base, { ...before, event_id: id });
    await deliver(world, [first]);
    await assembleAll(world);
    expect(await readCalls(world, [id])).toEqual([]);
    const last = writer.receive(base + 70 * hour, { ...outcome, event_id: id });
    await deliver(world, [last]);
    await assembleAll(world);
    const calls = await readCalls(world, [id]);
    expect(calls).toEqual(expectedCalls(world, [first, last]));
    expect(calls).toMatchObject([{ model: 'm-beta', customer: 'Eve', firstReceivedAt: base + 70 * hour }]);
  });

  test.each([
    { name: 'within the 48 hours of the first call', hours: 48, models: ['m-beta', ''] },
    { name: 'between the two calls', hours: 49, models: ['', 'm-beta'] },
    { name: 'within the 48 hours of the second call', hours: 100, models: ['', 'm-beta'] },
    { name: 'after both', hours: 109, models: ['', ''] },
  ])('of an id used twice, received $name', async ({ hours, models }) => {
    const [writer, other] = [new Writer(), new Writer()];
    const id = newEventId();
    const outcomes = [0, 60].map((time) => writer.receive(base + time * hour, { ...outcome, event_id: id }));
    const between = other.receive(base + hours * hour, { ...before, event_id: id });
    const calls = await assembleEach(outcomes, [between]);
    expect(calls.map((call) => call.model)).toEqual(models);
  });
});

test('a call of a used-again id that names no run is its own run (D4.4)', async () => {
  const writer = new Writer();
  const id = newEventId();
  await deliver(
    world,
    [0, 49].map((hours) => writer.receive(base + hours * hour, { event_id: id, event_type: 'after' })),
  );
  await assembleAll(world);
  const runs = (await readCalls(world, [id])).map((call) => call.run);
  expect(runs).toHaveLength(2);
  expect(new Set(runs).size).toBe(2);
});

test('an outcome with timestamp that was received in the same millisecond, but before the outcome that begins the next call, stays with its call (D4.2)', async () => {
  const writer = new Writer();
  const id = newEventId();
  const later = base + 50 * hour;
  await assembleEach([
    writer.receive(base, { ...full, event_id: id }),
    writer.receive(later, { ...full, event_id: id, completion_tokens: 5, timestamp: at(base + hour) }),
    writer.receive(later, { ...full, event_id: id, completion_tokens: 9 }),
  ]);
});
