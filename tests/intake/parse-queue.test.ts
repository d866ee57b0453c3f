// D3.7: any number of large bodies are parsed in order, some at a time, without blocking other work.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ParseQueue } from '../../src/intake/parse-queue.ts';

const large = 1_048_576;
const unpaced = { wait: async () => {} };
/** What parses for so long, in milliseconds. */
const busyFor = (ms: number) => () => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('large bodies are parsed in the order in which they came, and others need not wait until all are', async () => {
  const queue = new ParseQueue(unpaced);
  const parsed: number[] = [];
  const all = Array.from({ length: 20 }, (_, index) =>
    queue.run(large, () => {
      busyFor(10)();
      parsed.push(index);
      return index;
    }),
  );
  const turns: number[] = [];
  while (parsed.length < all.length) {
    await nextTurn();
    turns.push(parsed.length);
  }
  expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(parsed).toEqual(parsed.toSorted((a, b) => a - b));
  // Between any two turns, far from all of them.
  expect(Math.max(...turns.map((count, index) => count - (turns[index - 1] ?? 0)))).toBeLessThan(10);
});

test('a body that is not large is parsed at once', async () => {
  const queue = new ParseQueue(unpaced);
  const parsed: string[] = [];
  const first = queue.run(large, () => parsed.push('first'));
  const second = queue.run(large, busyFor(50));
  const third = queue.run(large, () => parsed.push('third'));
  const small = queue.run(100, () => parsed.push('small'));
  await Promise.all([first, second, third, small]);
  expect(parsed.indexOf('small')).toBeLessThan(parsed.indexOf('third'));
});

test('D4.7: large bodies wait for the pace, in their order, and others do not', async () => {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const queue = new ParseQueue({ wait: () => mayGoOn });
  const parsed: string[] = [];
  const first = queue.run(large, () => parsed.push('first'));
  const second = queue.run(large, () => parsed.push('second'));
  await queue.run(100, () => parsed.push('small'));
  await nextTurn();
  expect(parsed).toEqual(['small']);
  goOn();
  await Promise.all([first, second]);
  expect(parsed).toEqual(['small', 'first', 'second']);
});

test('it is full while much waits, and only then', async () => {
  const queue = new ParseQueue(unpaced);
  expect(queue.isFull).toBe(false);
  // However long a few of them take.
  const few = Array.from({ length: 31 }, () => queue.run(16 * large, busyFor(20)));
  expect(queue.isFull).toBe(false);
  await Promise.all(few);
  const many = Array.from({ length: 100 }, () => queue.run(large, busyFor(5)));
  expect(queue.isFull).toBe(true);
  await Promise.all(many);
  expect(queue.isFull).toBe(false);
});

test('bodies in transfer count as waiting until they arrive, for a while', async () => {
  const queue = new ParseQueue(unpaced);
  const coming = Array.from({ length: 40 }, () => queue.expect(large));
  expect(queue.isFull).toBe(true);
  await Promise.all(coming.map((body) => queue.run(large, () => undefined, body)));
  expect(queue.isFull).toBe(false);

  // A client that sends slowly, or never.
  for (let body = 0; body < 40; body += 1) queue.expect(Number.POSITIVE_INFINITY);
  expect(queue.isFull).toBe(true);
  await expect.poll(() => queue.isFull, { timeout: 2_000 }).toBe(false);
});

test('a body that cannot be parsed fails alone', async () => {
  const queue = new ParseQueue(unpaced);
  const broken = queue.run(large, () => {
    throw new Error('not JSON');
  });
  const whole = queue.run(large, () => 'parsed');
  await expect(broken).rejects.toThrow('not JSON');
  expect(await whole).toBe('parsed');
});
