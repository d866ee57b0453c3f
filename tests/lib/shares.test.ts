// The fair share of what askers use together: the store, and the time of the process.
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askingFor } from '../../src/lib/asker.ts';
import { fairTurn } from '../../src/lib/fair-turn.ts';
import { inHeavyTurn } from '../../src/lib/heavy-work.ts';
import { Problem } from '../../src/lib/problem.ts';
import { Shares } from '../../src/lib/shares.ts';

/** Shares, and who holds and who waits. */
function open(slots: number, mostWaiting = 1_000) {
  const shares = new Shares({ slots, mostWaiting, refusal: 'Ask less at once.' });
  const given: { lane: string; giveBack: () => void }[] = [];
  const refused: unknown[] = [];
  const ask = async (lane: string, signal?: AbortSignal) => {
    const asked = shares.take(lane, signal).then(
      (giveBack) => void given.push({ lane, giveBack }),
      (error: unknown) => void refused.push(error),
    );
    await nextTurn();
    return asked;
  };
  const holders = () =>
    given
      .map(({ lane }) => lane)
      .sort()
      .join('');
  const end = async (lane: string) => {
    const index = given.findIndex((one) => one.lane === lane);
    given.splice(index, 1)[0]?.giveBack();
    await nextTurn();
  };
  return { ask, end, holders, refused };
}

const askTimes = async ({ ask }: ReturnType<typeof open>, lane: string, count: number) => {
  for (let number = 0; number < count; number += 1) void ask(lane);
  await nextTurn();
};

test('a lane alone has half of the slots, and each further lane finds a free one', async () => {
  const shares = open(8);
  await askTimes(shares, 'a', 20);
  expect(shares.holders()).toBe('aaaa');
  await askTimes(shares, 'b', 20);
  expect(shares.holders()).toBe('aaaabb');
  await askTimes(shares, 'c', 20);
  await askTimes(shares, 'd', 20);
  expect(shares.holders()).toBe('aaaabbcd');
  await askTimes(shares, 'e', 1);
  expect(shares.holders()).toBe('aaaabbcd');
  await shares.end('a');
  expect(shares.holders()).toBe('aaabbcde');
});

test('lanes that wait take turns', async () => {
  const shares = open(1);
  await shares.ask('a');
  await askTimes(shares, 'a', 3);
  await askTimes(shares, 'b', 2);
  let order = '';
  for (let number = 0; number < 5; number += 1) {
    await shares.end(shares.holders());
    order += shares.holders();
  }
  expect(order).toMatch(/^(abab|baba)a$/);
});

test('too many of a lane are refused, with what to do; others are not', async () => {
  const shares = open(2, 2);
  await askTimes(shares, 'a', 5);
  expect(shares.holders()).toBe('a');
  expect(shares.refused).toHaveLength(2);
  expect(shares.refused[0]).toBeInstanceOf(Problem);
  expect(shares.refused[0]).toMatchObject({ code: 'rate_limited', headers: { 'retry-after': '2' } });
  await shares.ask('b');
  expect(shares.holders()).toBe('ab');
});

test('who no longer waits gets no slot', async () => {
  const shares = open(1);
  await shares.ask('a');
  const gone = new AbortController();
  void shares.ask('a', gone.signal);
  gone.abort();
  await nextTurn();
  expect(shares.refused).toHaveLength(1);
  await shares.end('a');
  expect(shares.holders()).toBe('');
  await shares.ask('a', AbortSignal.abort());
  expect(shares.holders()).toBe('a');
});

test('never more than the slots are held, and all that waits is served', async () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean()));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 9 }), steps, async (slots, taken) => {
      const shares = open(slots);
      let asked = 0;
      let ended = 0;
      for (const [lane, isEnd] of taken) {
        if (isEnd && shares.holders().includes(lane)) {
          await shares.end(lane);
          ended += 1;
        } else {
          void shares.ask(lane);
          asked += 1;
        }
        await nextTurn();
        expect(shares.holders().length).toBeLessThanOrEqual(slots);
      }
      for (; shares.holders() !== ''; ended += 1) await shares.end(shares.holders().slice(0, 1));
      expect(ended).toBe(asked);
    }),
  );
});

test('sixty long answers of one project work one after the other, a slice in each turn', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    if (slices < 60) setImmediate(count);
  };
  let slices = 0;
  setImmediate(count);
  await Promise.all(
    Array.from({ length: 60 }, async (_, number) =>
      askingFor({ lane: number < 59 ? 'a' : 'b' }, async () => {
        await fairTurn();
        slices += 1;
        // The other project does not wait for the 59.
        if (number === 59) expect(slices).toBeLessThan(5);
      }),
    ),
  );
  expect(turns).toBeGreaterThan(50);
});

test('a project works out one heavy answer at a time, two projects two, and further ones of a full queue are refused', async () => {
  const working: string[] = [];
  let most = 0;
  const work = (lane: string) =>
    askingFor({ lane }, () =>
      inHeavyTurn(async () => {
        working.push(lane);
        most = Math.max(most, working.length);
        expect(new Set(working).size).toBe(working.length);
        await nextTurn();
        working.splice(working.indexOf(lane), 1);
        if (lane === 'c') throw new Error('c fails');
      }),
    );
  const lanes = ['a', 'b', 'c'].flatMap((lane) => Array.from({ length: 16 }, () => lane));
  const ended = await Promise.allSettled(lanes.map(work));
  expect(most).toBe(2);
  // Work that fails gives its turn back.
  expect(ended.map(({ status }) => status)).toEqual(lanes.map((lane) => (lane === 'c' ? 'rejected' : 'fulfilled')));
  const many = await Promise.allSettled(Array.from({ length: 40 }, () => work('a')));
  const refused = many.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toHaveLength(9);
  expect(refused[0]).toMatchObject({ code: 'rate_limited', headers: { 'retry-after': '2' } });
});
