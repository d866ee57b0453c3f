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
