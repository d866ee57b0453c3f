// D4.2 and D4.3 by hand-made logs: which day a call is on, and what a repeated outcome does.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json, LoggedEvent, ModelCall } from './model.ts';
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

/**
 * Cases with ids and writers of their own, which share their batches: the first of all cases are assembled together, then
 * the second ones. The function takes the batches of a case, and returns how to read its calls as they were after each.
 */
function shareBatches() {
  const batches: LoggedEvent[][] = [];
  const states: ModelCall[][] = [];
  beforeAll(async () => {
    await forgetWriters(world);
    for (const batch of batches) {
      await deliver(world, batch);
      expect(await assembleAll(world)).toBe(1);
      states.push(await readCalls(world, idsOf(batches.flat())));
    }
  });
  return (...ofCase: readonly (readonly LoggedEvent[])[]) => {
    for (const [index, events] of ofCase.entries()) batches[index] = [...(batches[index] ?? []), ...events];
    const log = ofCase.flat();
    const ids = idsOf(log);
    return () => {
      const after = states.map((calls) => calls.filter(({ eventId }) => ids.includes(eventId)));
      expect(after.at(-1)).toEqual(expectedCalls(world, log));
      return after.slice(0, ofCase.length);
    };
  };
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
  const assembled = shareBatches();

  /** The second outcome is assembled before the first. */
  function deliverLate(firstAt: number, first: Json, secondAt: number, second: Json) {
    const event_id = newEventId();
    const [early, late] = [new Writer(), new Writer()];
    return assembled(
      [late.receive(secondAt, { ...full, event_id, ...second })],
      [early.receive(firstAt, { ...full, event_id, ...first })],
    );
  }

  test.each(
    [
      { name: 'on the day before', movedTo: base - day, days: ['2026-01-29', '2026-01-28'] },
      { name: 'in the month after', movedTo: base + 20 * hour + 2.5 * day, days: ['2026-01-31', '2026-02-01'] },
      { name: 'two months before', movedTo: base - 60 * day, days: ['2026-01-29', '2025-11-30'] },
    ].map(({ movedTo, ...row }) => {
      const receivedFirst = movedTo > base ? movedTo - 12 * hour : base;
      // The outcome assembled first says a time on the first of the days.
      const said = movedTo > base ? base + 2 * day : base;
      const second = { event_type: 'llm.error', timestamp: at(said) };
      return { ...row, read: deliverLate(receivedFirst, { timestamp: at(movedTo) }, receivedFirst + hour, second) };
    }),
  )('moves its call: $name', ({ days, read }) => {
    expect(read().map((calls) => calls.map((call) => call.day))).toEqual(days.map((day) => [day]));
  });

  const withAnotherBook = deliverLate(base + 30 * hour, {}, base + 40 * hour, {});
  test('changes the price book, when another was in force', () => {
    expect(withAnotherBook().map((calls) => calls.map((call) => call.cost))).toEqual([
      // 1,000 × 2.000001 + 100 × 20.5 dollars a million.
      ['4050001000'],
      // 1,000 × 1.25 + 100 × 10 dollars a million.
      ['2250000000'],
    ]);
  });

  const event_id = newEventId();
  const days = [0, 4, 0].map((after) => base + (after - 5) * day);
  // Received one after the other, delivered last first.
  const movedTwice = assembled(
    ...days
      .map((time, index) => [new Writer().receive(base + index * hour, { ...full, event_id, timestamp: at(time) })])
      .toReversed(),
  );
  test('moves its call twice, and back to the day that it had left', () => {
    const after = movedTwice();
    expect(after.map((calls) => calls.map((call) => call.day))).toEqual([
      ['2026-01-24'],
      ['2026-01-28'],
      ['2026-01-24'],
    ]);
  });

  const usedAgain = { ...full, event_id: newEventId() };
  const [early, late] = [new Writer(), new Writer()];
  const withAnEarlier = assembled(
    [late.receive(base, usedAgain), late.receive(base + 50 * hour, usedAgain)],
    // With it, the first call begins earlier and ends at `base`, so the outcome at 47 hours begins the second.
    [early.receive(base - 3 * hour, usedAgain), early.receive(base + 47 * hour, usedAgain)],
  );
  test('takes every call of a used-again id to its right day', () => {
    expect(
      withAnEarlier()
        .at(-1)
        ?.map((call) => [call.ordinal, call.firstReceivedAt]),
    ).toEqual([
      [0, base - 3 * hour],
      [1, base + 47 * hour],
    ]);
  });
});

describe('a repeated outcome', () => {
  const assembled = shareBatches();

  /** The first outcome, then one with this after so long: in one batch, and in two. */
  function repeat(afterMs: number, repetition: Json) {
    const writer = new Writer();
    const ids = [newEventId(), newEventId()];
    const firsts = ids.map((id) => writer.receive(base, { ...full, event_id: id }));
    const repetitions = ids.map((id) => writer.receive(base + afterMs, { ...repetition, event_id: id }));
    const read = assembled([...firsts, ...repetitions.slice(0, 1)], repetitions.slice(1));
    return () => {
      const calls = read().at(-1);
      const [together, apart] = ids.map((id) => calls?.filter(({ eventId }) => eventId === id) ?? []);
      return { together, apart };
    };
  }

  const bare: Json = { event_type: 'after' };
  const stamped: Json = { ...bare, timestamp: at(base + day) };

  test.each(
    [
      { name: '47 hours later', after: 47 * hour, calls: 1 },
      { name: 'exactly 48 hours later', after: 48 * hour, calls: 1 },
      { name: 'a millisecond more than 48 hours later', after: 48 * hour + 1, calls: 2 },
      { name: '49 hours later', after: 49 * hour, calls: 2 },
      { name: 'four months later', after: 120 * day, calls: 2 },
    ].map((row) => ({ ...row, read: repeat(row.after, bare) })),
  )('without timestamp, $name: $calls', ({ after, calls, read }) => {
    for (const found of Object.values(read())) {
      expect(found).toHaveLength(calls);
      expect(found?.[0]).toMatchObject({ firstReceivedAt: base, time: base, model: 'm-alpha', customer: 'Ada' });
      if (calls === 2) {
        expect(found?.[1]).toMatchObject({
          ordinal: 1,
          firstReceivedAt: base + after,
          model: '',
          customer: '',
          tags: {},
        });
      }
    }
  });

  test.each([47 * hour, 49 * hour, 30 * day, 150 * day].map((after) => ({ after, read: repeat(after, stamped) })))(
    'with timestamp, $after ms later, is the same call and strips nothing',
    ({ read }) => {
      for (const found of Object.values(read())) {
        expect(found).toHaveLength(1);
        expect(found?.[0]).toMatchObject({
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

  const withMore = repeat(100 * day, {
    ...stamped,
    model: 'm-beta',
    elapsed_ms: 12.5,
    tags: { note: 'new', user: 'Bo' },
  });
  test('with timestamp, months later, adds what it knows to what was known', () => {
    const { apart } = withMore();
    expect(apart).toHaveLength(1);
    expect(apart?.[0]).toMatchObject({
      model: 'm-beta',
      elapsedMs: 12.5,
      tags: { customer: 'Ada', feature: 'search', run: 'run-1', note: 'new', user: 'Bo' },
      // The prices of the book that was in force when the call began: 1,000 × 0.3 + 100 × 2.5 dollars a million.
      cost: '550000000',
    });
  });

  const unusable = repeat(49 * hour, { ...bare, timestamp: 'yesterday' });
  test('with an unusable timestamp counts as one without', () => {
    const { together, apart } = unusable();
    expect([together?.length, apart?.length]).toEqual([2, 2]);
  });

  /** The same outcome after each of these hours. */
  function makeChain(...hours: number[]) {
    const [writer, event_id] = [new Writer(), newEventId()];
    return hours.map((after) => writer.receive(base + after * hour, { ...full, event_id }));
  }

  const chain = assembled(...makeChain(0, 40, 80, 120, 129).map((logged) => [logged]));
  test('in a chain of three, 40 hours apart, begins a second call at the third, and a third only 48 hours after that', () => {
    const calls = chain().at(-1);
    expect(calls?.map((call) => call.firstReceivedAt)).toEqual([0, 80, 129].map((hours) => base + hours * hour));
  });

  const atOnce = assembled(makeChain(0, 49, 98, 147));
  test('in a chain, all in one batch', () => {
    expect(atOnce().at(-1)).toHaveLength(4);
  });

  const [writer, event_id] = [new Writer(), newEventId()];
  const ofLatest = assembled(
    [writer.receive(base, { ...full, event_id })],
    [writer.receive(base + 60 * hour, { ...full, event_id })],
    [writer.receive(base + 200 * hour, { ...stamped, event_id, completion_tokens: 7 })],
  );
  test('with timestamp, goes to the latest call that had begun', () => {
    expect(
      ofLatest()
        .at(-1)
        ?.map((call) => call.output),
    ).toEqual([100, 7]);
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

  const assembled = shareBatches();

  const [writer, event_id] = [new Writer(), newEventId()];
  const late = assembled(
    [writer.receive(base, { ...before, event_id })],
    [writer.receive(base + 70 * hour, { ...outcome, event_id })],
  );
  test('makes no call, and adds its data when the outcome comes, however late', () => {
    const [none, calls] = late();
    expect(none).toEqual([]);
    expect(calls).toMatchObject([{ model: 'm-beta', customer: 'Eve', firstReceivedAt: base + 70 * hour }]);
  });

  test.each(
    [
      { name: 'within the 48 hours of the first call', hours: 48, models: ['m-beta', ''] },
      { name: 'between the two calls', hours: 49, models: ['', 'm-beta'] },
      { name: 'within the 48 hours of the second call', hours: 100, models: ['', 'm-beta'] },
      { name: 'after both', hours: 109, models: ['', ''] },
    ].map(({ hours, ...row }) => {
      const [writer, other] = [new Writer(), new Writer()];
      const event_id = newEventId();
      const outcomes = [0, 60].map((time) => writer.receive(base + time * hour, { ...outcome, event_id }));
      const between = other.receive(base + hours * hour, { ...before, event_id });
      return { ...row, read: assembled(outcomes, [between]) };
    }),
  )('of an id used twice, received $name', ({ models, read }) => {
    expect(
      read()
        .at(-1)
        ?.map((call) => call.model),
    ).toEqual(models);
  });
});

const assembled = shareBatches();

const bareWriter = new Writer();
const bareId = newEventId();
const withoutRun = assembled(
  [0, 49].map((hours) => bareWriter.receive(base + hours * hour, { event_id: bareId, event_type: 'after' })),
);
test('a call of a used-again id that names no run is its own run (D4.4)', () => {
  const runs = withoutRun()
    .at(-1)
    ?.map((call) => call.run);
  expect(runs).toHaveLength(2);
  expect(new Set(runs).size).toBe(2);
});

const sameWriter = new Writer();
const same = { ...full, event_id: newEventId() };
const later = base + 50 * hour;
const inTheSameMillisecond = assembled([
  sameWriter.receive(base, same),
  sameWriter.receive(later, { ...same, completion_tokens: 5, timestamp: at(base + hour) }),
  sameWriter.receive(later, { ...same, completion_tokens: 9 }),
]);
test('an outcome with timestamp that was received in the same millisecond, but before the outcome that begins the next call, stays with its call (D4.2)', () => {
  expect(inTheSameMillisecond().at(-1)).toHaveLength(2);
});
