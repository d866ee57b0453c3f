// What the intake buffer gathers into one INSERT, and what it refuses to take, against a real engine.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Overload } from '../../src/lib/problem.ts';
import { longTest } from '../support/long-test.ts';
import { poll } from '../support/poll.ts';
import { codeOf, eventOf, ids, month, startBuffer } from './unsure-store.ts';
import { newEventId, startEngineOfFile } from './world.ts';

const engine = await startEngineOfFile();

describe('batches', () => {
  test('hold one month of receipt each', async () => {
    await using setup = startBuffer(engine, { now: month - 2 });
    const requests: string[][] = [];
    const answers: Promise<void>[] = [];
    // The last milliseconds of January and the first of February, all waiting at once.
    for (let index = 0; index < 4; index += 1) {
      const request = ids(2);
      requests.push(request);
      answers.push(setup.send(request));
      setup.clock.now += 1;
    }
    await Promise.all(answers);
    expect(setup.store.attempts).toHaveLength(2);
    expect(setup.stored.map(({ lastSeq }) => lastSeq)).toEqual([4, 8]);
    const parts = await engine.store.select<{ months: string[] }>(
      'SELECT arraySort(groupUniqArray(toString(toYYYYMM(received_at)))) AS months FROM events WHERE event_id IN {ids:Array(UUID)} GROUP BY _part',
      { ids: requests.flat() },
    );
    expect(parts.map(({ months }) => months).sort()).toEqual([['202601'], ['202602']]);
    expect((await setup.rows()).map(({ seq, id }) => [seq, id])).toEqual(
      requests.flat().map((id, index) => [String(index + 1), id]),
    );
  });

  test('gather what arrives while one is under way', async () => {
    await using setup = startBuffer(engine);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    setup.store.way = async (insert) => {
      await opened;
      await insert();
    };
    const first = setup.send(ids(1));
    await poll('the first INSERT is under way', { within: 60_000 }, () => setup.store.attempts.length > 0 || undefined);
    const others = Array.from({ length: 50 }, () => setup.send(ids(1)));
    open();
    await Promise.all([first, ...others]);
    expect(setup.stored.map(({ events }) => events)).toEqual([1, 50]);
  });

  // What arrives while the first INSERT is under way, and just after it.
  test.each([
    { isShared: true, requests: 32, gathered: [32, 2] },
    { isShared: true, requests: 31, gathered: [31, 1, 1] },
    { isShared: false, requests: 32, gathered: [32, 1, 1] },
  ])('of $requests requests leave others a moment if the store is shared: $isShared', async (example) => {
    await using setup = startBuffer(engine, { isShared: example.isShared });
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    setup.store.way = async (insert) => {
      await opened;
      await insert();
    };
    const first = Array.from({ length: example.requests }, () => setup.send(ids(1)));
    await poll('the first INSERT is under way', { within: 60_000 }, () => setup.store.attempts.length > 0 || undefined);
    const meanwhile = setup.send(ids(1));
    open();
    await Promise.all(first);
    await nextTurn();
    await Promise.all([meanwhile, setup.send(ids(1))]);
    expect(setup.stored.map(({ events }) => events)).toEqual(example.gathered);
  });

  test('never have times of receipt that run backwards, even when the clock does', async () => {
    await using setup = startBuffer(engine);
    await setup.send(ids(1));
    setup.clock.now -= 60_000;
    await setup.send(ids(1));
    const [first, second] = await setup.rows();
    expect(Number(second?.receivedAt)).toBeGreaterThanOrEqual(Number(first?.receivedAt));
  });

  test('are never received before the time that was reported while there were none', async () => {
    await using setup = startBuffer(engine);
    let open: () => void = () => undefined;
    const stuck = new Promise<void>((resolve) => {
      open = resolve;
    });
    setup.store.way = async (insert) => {
      await stuck;
      await insert();
    };
    const startedAt = setup.clock.now;
    setup.clock.now -= 60_000;
    const takenBefore = setup.buffer.receivedAt();
    expect(takenBefore).toBe(startedAt);
    const first = setup.send(ids(1));
    expect(setup.buffer.idleSince()).toBeUndefined();
    open();
    await first;
    setup.clock.now += 120_000;
    expect(setup.buffer.idleSince()).toEqual({ seq: 1, receivedAt: setup.clock.now });
    // A request that read the clock earlier.
    await setup.buffer.store([eventOf(newEventId(), takenBefore, 'prj_test')], takenBefore);
    expect((await setup.rows()).map(({ receivedAt }) => Number(receivedAt))).toEqual([startedAt, setup.clock.now]);
  });

  test('that wait are stored before the buffer is closed, and nothing is taken after', async () => {
    await using setup = startBuffer(engine);
    const sent = ids(3);
    const answers = sent.map((id) => codeOf(setup.send([id])));
    const closed = setup.buffer.close();
    const late = setup.send(ids(1)).catch((refusal: unknown) => refusal);
    await closed;
    expect((await setup.rows()).map(({ id }) => id)).toEqual(sent);
    expect(await Promise.all(answers)).toEqual(['stored', 'stored', 'stored']);
    // A stop is not an overload, and is logged as a stop.
    expect(await late).toMatchObject({ code: 'unavailable', cause: new Error('the buffer is closed') });
    expect(await late).not.toBeInstanceOf(Overload);
  });
});

describe('the bound', () => {
  test('refuses what does not fit any more, stores all that was taken, and then takes more', async () => {
    await using setup = startBuffer(engine, { maxBufferedBytes: 3_000 });
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    setup.store.way = async (insert) => {
      await opened;
      await insert();
    };
    const requests = Array.from({ length: 30 }, () => ids(1));
    const answers = requests.map((request) => codeOf(setup.send(request)));
    const full = setup.buffer.bufferedBytes;
    expect(full).toBeGreaterThan(0);
    expect(full).toBeLessThanOrEqual(3_000);
    open();
    const codes = await Promise.all(answers);
    expect(new Set(codes)).toEqual(new Set(['stored', 'unavailable']));
    expect(codes.indexOf('unavailable')).toBe(codes.lastIndexOf('stored') + 1);

    const taken = requests.filter((_, index) => codes[index] === 'stored').flat();
    expect((await setup.rows()).map(({ id }) => id)).toEqual(taken);
    expect(setup.buffer.bufferedBytes).toBe(0);
    const more = ids(1);
    await setup.send(more);
    expect((await setup.rows()).map(({ id }) => id)).toEqual([...taken, ...more]);
  });

  test('does not keep out a request that is larger than it, when nothing else waits', async () => {
    await using setup = startBuffer(engine, { maxBufferedBytes: 100 });
    const sent = ids(20);
    const [large, next] = [codeOf(setup.send(sent)), codeOf(setup.send(ids(1)))];
    expect([await large, await next]).toEqual(['stored', 'unavailable']);
    expect((await setup.rows()).map(({ id }) => id)).toEqual(sent);
  });

  test('a refusal says when to retry', async () => {
    await using setup = startBuffer(engine, { maxBufferedBytes: 1 });
    const large = setup.send(ids(1));
    await expect(setup.send(ids(1))).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } });
    await large;
  });
});

longTest(
  'D3.7: when many requests wait for the store others are refused at once, unless they are small, until fewer wait',
  async () => {
    await using setup = startBuffer(engine, { maxBufferedBytes: 100_000_000 });
    setup.store.way = async (insert) => {
      await pause(300);
      await insert();
    };
    // A few clients that send one request at a time are never refused.
    const ofFew = setup.send(ids(40_000));
    expect(setup.buffer.bufferedBytes).toBeGreaterThan(10 * 1_048_576);
    expect(setup.buffer.isFull).toBe(false);
    await ofFew;
    const ofMany = Promise.all(Array.from({ length: 32 }, () => setup.send(ids(1_250))));
    expect(setup.buffer.isFull).toBe(true);
    expect(await codeOf(setup.send(ids(1_000)))).toBe('unavailable');
    // Small is what was sent: its rows have more bytes.
    await Promise.all([ofMany, setup.send(ids(1)), setup.send(ids(30))]);
    expect(setup.buffer.isFull).toBe(false);
    await setup.send(ids(1_000));
    expect(await setup.rows()).toHaveLength(81_031);
  },
);
