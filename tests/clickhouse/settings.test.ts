import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EngineFixture, selectRows, startFixture } from './engine-fixture.ts';

let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await startFixture({ limits: { queryMemoryBytes: 300_000_000, querySeconds: 7, queryThreads: 1 } });
});
afterAll(() => fixture.closeUnharmed());

const effective = "SELECT getSetting('max_memory_usage') AS memory, getSetting('max_execution_time') AS seconds";

test('the limits that the engine was started with hold for every query', async () => {
  for (let round = 0; round < 3; round += 1) {
    expect(await selectRows(fixture.client, effective)).toEqual([{ memory: 300_000_000, seconds: 7 }]);
  }
  const greedy = 'SELECT length(groupArray(number)) FROM numbers(100000000) FORMAT Null';
  await expect(fixture.client.command({ query: greedy })).rejects.toMatchObject({ code: '241' });
});

test('a query can have limits of its own', async () => {
  const result = await fixture.client.query({
    query: effective,
    clickhouse_settings: { max_memory_usage: '400000000', max_execution_time: 60 },
    format: 'JSONEachRow',
  });
  expect(await result.json()).toEqual([{ memory: 400_000_000, seconds: 60 }]);
  expect(await selectRows(fixture.client, effective)).toEqual([{ memory: 300_000_000, seconds: 7 }]);
});

test('inserts are synchronous, and numbers that JavaScript can’t hold are texts', async () => {
  const rows = await selectRows(
    fixture.client,
    "SELECT getSetting('async_insert') AS asynchronous, toUInt64(1) AS big, toDecimal64('1.50', 2) AS decimal",
  );
  expect(rows).toEqual([{ asynchronous: false, big: '1', decimal: '1.5' }]);
});

test('a query runs in the database of its client', async () => {
  await fixture.client.command({ query: 'CREATE DATABASE `odd ``name`' });
  const client = fixture.connect({ database: 'odd `name' });
  expect(await selectRows(client, 'SELECT currentDatabase() AS name')).toEqual([{ name: 'odd `name' }]);
  expect(await selectRows(fixture.client, 'SELECT currentDatabase() AS name')).toEqual([{ name: 'default' }]);
});

test('both kinds of ping work', async () => {
  expect(await fixture.client.ping()).toEqual({ success: true });
  expect(await fixture.client.ping({ select: true })).toEqual({ success: true });
});
