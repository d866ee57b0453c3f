import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnEngineStore, startOwnEngineStore } from '../support/stores.ts';

let stores: OwnEngineStore;

beforeAll(async () => {
  stores = await startOwnEngineStore();
});

afterAll(async () => {
  await stores?.close();
});

const unavailable = expect.objectContaining({ code: 'unavailable', headers: { 'retry-after': expect.any(String) } });

test('D11.2: a store that hangs is unavailable in time, and answers again when it goes on', async () => {
  const pid = stores.engine.pid();
  if (pid === undefined) throw new Error('there is no engine');
  process.kill(pid, 'SIGSTOP');
  const startedAt = performance.now();
  await expect(stores.store.select('SELECT 1 AS one', {}, 500)).rejects.toEqual(unavailable);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  process.kill(pid, 'SIGCONT');
  expect(await stores.store.select('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('D11.2: a query that takes too long, or too much memory, is unavailable; the next one is answered', async () => {
  await expect(
    stores.store.select('SELECT sum(cityHash64(number)) FROM numbers(1000000000000)', {}, 300),
  ).rejects.toEqual(unavailable);
  await expect(stores.store.select('SELECT groupArray(number) FROM numbers(1000000000)', {}, 20_000)).rejects.toEqual(
    unavailable,
  );
  expect(await stores.store.select('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('an engine that was killed is waited for', async () => {
  const pid = stores.engine.pid();
  if (pid === undefined) throw new Error('there is no engine');
  process.kill(pid, 'SIGKILL');
  expect(await stores.store.select('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(stores.engine.restarts()).toBe(1);
});

test('a wrong statement is an error of ours, never unavailable', async () => {
  await expect(stores.store.select('SELECT nothing FROM nowhere')).rejects.toMatchObject({ type: 'UNKNOWN_TABLE' });
});
