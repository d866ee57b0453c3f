import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ExpiringCache } from '../../src/lib/expiring-cache.ts';

test('an entry is used no longer than its lifetime, and other entries longer', async () => {
  const cache = new ExpiringCache<number>(20);
  const kept = new ExpiringCache<number>(60_000);
  let reads = 0;
  const read = async () => {
    reads += 1;
    return reads;
  };
  expect(await cache.get('key', read)).toBe(1);
  expect(await kept.get('key', read)).toBe(2);
  await pause(40);
  expect(await cache.get('key', read)).toBe(3);
  expect(await kept.get('key', read)).toBe(2);
});

test('D1.2: a miss is read again each time', async () => {
  const cache = new ExpiringCache<number>(60_000);
  expect(await cache.get('key', async () => undefined)).toBeUndefined();
  expect(await cache.get('key', async () => 1)).toBe(1);
});

test('D1.4: an entry that is dropped while it is read is read again the next time', async () => {
  const cache = new ExpiringCache<string>(60_000);
  const late = Promise.withResolvers<string>();
  const before = cache.get('key', () => late.promise);
  cache.forget('key');
  late.resolve('valid');
  expect(await before).toBe('valid');
  expect(await cache.get('key', async () => 'revoked')).toBe('revoked');
});

test('D3.7: those who ask while an entry is read share the read, except after it was dropped', async () => {
  const cache = new ExpiringCache<number>(60_000);
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
  const cache = new ExpiringCache<number>(60_000);
  const failing = async (): Promise<number> => {
    throw new Error('away');
  };
  const together = [cache.get('key', failing), cache.get('key', failing)];
  for (const one of await Promise.allSettled(together)) expect(one.status).toBe('rejected');
  expect(await cache.get('key', async () => 3)).toBe(3);
});
