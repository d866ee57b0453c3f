// D3.7: any number of large bodies are parsed in order, some at a time, without blocking other work.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ComingBody, ParseQueue } from '../../src/ingest/intake/parse-queue.ts';

const large = 1_048_576;
const unpaced = { wait: async () => {} };
const project = 'prj_1';
/** Parses a body of one project in one slice. */
const run = <T>(queue: ParseQueue, bytes: number, parse: () => T, coming?: ComingBody): Promise<T> =>
  queue.run(
    project,
    bytes,
    // biome-ignore lint/correctness/useYield: it is one slice
    function* () {
      return parse();
    },
    coming,
  );
/** What parses for so long, in milliseconds. */
const busyFor = (ms: number) => () => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('large bodies are parsed in the order in which they came, and others need not wait until all are', async () => {
  const queue = new ParseQueue(unpaced);
  const parsed: number[] = [];
  const all = Array.from({ length: 20 }, (_, index) =>
    run(queue, large, () => {
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
  const first = run(queue, large, () => parsed.push('first'));
  const second = run(queue, large, busyFor(50));
  const third = run(queue, large, () => parsed.push('third'));
  const small = run(queue, 100, () => parsed.push('small'));
  await Promise.all([first, second, third, small]);
  expect(parsed.indexOf('small')).toBeLessThan(parsed.indexOf('third'));
});

test('D4.7: large bodies wait for the pace, in their order, and others do not', async () => {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const queue = new ParseQueue({ wait: () => mayGoOn });
  const parsed: string[] = [];
  const first = run(queue, large, () => parsed.push('first'));
  const second = run(queue, large, () => parsed.push('second'));
  await run(queue, 100, () => parsed.push('small'));
  await nextTurn();
  expect(parsed).toEqual(['small']);
  goOn();
  await Promise.all([first, second]);
  expect(parsed).toEqual(['small', 'first', 'second']);
});

test('it is full while much waits, and only then', async () => {
  const queue = new ParseQueue(unpaced);
  expect(queue.isFull(project)).toBe(false);
  // However long a few of them take.
  const few = Array.from({ length: 31 }, () => run(queue, 16 * large, busyFor(20)));
  expect(queue.isFull(project)).toBe(false);
  await Promise.all(few);
  const many = Array.from({ length: 100 }, () => run(queue, large, busyFor(5)));
  expect(queue.isFull(project)).toBe(true);
  await Promise.all(many);
  expect(queue.isFull(project)).toBe(false);
});

test('bodies in transfer count as waiting until they arrive, for a while', async () => {
  const queue = new ParseQueue(unpaced);
  const coming = Array.from({ length: 40 }, () => queue.expect(project, large));
  expect(queue.isFull(project)).toBe(true);
  await Promise.all(coming.map((body) => run(queue, large, () => undefined, body)));
  expect(queue.isFull(project)).toBe(false);

  // A client that sends slowly, or never.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let body = 0; body < 40; body += 1) queue.expect(project, Number.POSITIVE_INFINITY);
  expect(queue.isFull(project)).toBe(true);
  vi.advanceTimersByTime(200);
  expect(queue.isFull(project)).toBe(true);
  vi.advanceTimersByTime(100);
  expect(queue.isFull(project)).toBe(false);
});

test('a body that cannot be parsed fails alone', async () => {
  const queue = new ParseQueue(unpaced);
  const broken = run(queue, large, () => {
    throw new Error('not JSON');
  });
  const whole = run(queue, large, () => 'parsed');
  await expect(broken).rejects.toThrow('not JSON');
  expect(await whole).toBe('parsed');
});

test('a body that takes long is parsed in slices, while bodies of other projects and all else go on', async () => {
  const queue = new ParseQueue(unpaced);
  let slices = 0;
  const endless = queue.run('prj_hostile', 16 * large, function* () {
    for (; slices < 100; slices += 1) {
      busyFor(2)();
      yield;
    }
  });
  const others: number[] = [];
  for (let body = 0; body < 5; body += 1) {
    await run(queue, large, busyFor(2));
    others.push(slices);
  }
  // Each waited for one turn of the other project at most.
  expect(others.at(-1)).toBeLessThan(80);
  expect(queue.isFull('prj_hostile')).toBe(false);
  await endless;
});

test('much of one project does not fill the queue for another', async () => {
  const queue = new ParseQueue(unpaced);
  const many = Array.from({ length: 100 }, () => run(queue, large, busyFor(1)));
  expect(queue.isFull(project)).toBe(true);
  expect(queue.isFull('prj_2')).toBe(false);
  await Promise.all(many);
});
