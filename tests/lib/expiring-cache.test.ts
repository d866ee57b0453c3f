import { expect, test } from 'vitest';
import { ExpiringCache } from '../../src/lib/expiring-cache.ts';

test('an entry is used no longer than its lifetime, also when the clock is set back', async () => {
  const clock = { now: 1_000_000 };
  const cache = new ExpiringCache<string, number>({ clock: () => clock.now, ttlMs: 1_000, maxEntries: 10 });
  let reads = 0;
  const read = async () => {
    reads += 1;
    return reads;
  };
  expect(await cache.get('key', read)).toBe(1);
  clock.now += 999;
  expect(await cache.get('key', read)).toBe(1);
  clock.now -= 500_000;
  expect(await cache.get('key', read)).toBe(2);
});

test('D1.4: an entry that is dropped while it is read is read again the next time', async () => {
  const cache = new ExpiringCache<string, string>({ clock: () => 0, ttlMs: 1_000, maxEntries: 10 });
  const late = Promise.withResolvers<string>();
  const before = cache.get('key', () => late.promise);
  cache.forget('key');
  late.resolve('valid');
  expect(await before).toBe('valid');
  expect(await cache.get('key', async () => 'revoked')).toBe('revoked');
});

test('D3.7: those who ask while an entry is read share the read, except after it was dropped', async () => {
  const cache = new ExpiringCache<string, number>({ clock: () => 0, ttlMs: 1_000, maxEntries: 10 });
  const reads: PromiseWithResolvers<number>[] = [];
  const ask = () =>
    cache.get('key', () => {
      const read = Promise.withResolvers<number>();
      reads.push(read);
      return read.promise;
    });
  const together = [ask(), ask()];
  cache.forget('key');
  together.push(ask(), ask());
  expect(reads).toHaveLength(2);
  reads[1]?.resolve(2);
  reads[0]?.resolve(1);
  expect(await Promise.all(together)).toEqual([1, 1, 2, 2]);
  expect(await ask()).toBe(2);
});

test('a read that fails fails for all who share it, and the next one reads again', async () => {
  const cache = new ExpiringCache<string, number>({ clock: () => 0, ttlMs: 1_000, maxEntries: 10 });
  const failing = async (): Promise<number> => {
    throw new Error('away');
  };
  const together = [cache.get('key', failing), cache.get('key', failing)];
  for (const one of await Promise.allSettled(together)) expect(one.status).toBe('rejected');
  expect(await cache.get('key', async () => 3)).toBe(3);
});
