import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import { textColumns } from '../../src/storage/analytic/native-block.ts';
import { startEngineStore } from '../support/stores.ts';

test('deletions go on in the background: assembly and answers do not wait for them', async () => {
  const { store, close } = await startEngineStore();
  try {
    // The engine's own default waits until every part is written anew: seconds, for a few months.
    expect(await store.select("SELECT toString(getSetting('mutations_sync')) AS waits")).toEqual([{ waits: '0' }]);
  } finally {
    await close();
  }
});

test('D3.2: every table is written with fsync: what was stored survives a power cut', async () => {
  const { store, close } = await startEngineStore();
  try {
    const durable = '%fsync_after_insert = 1, fsync_part_directory = 1%';
    const tables = 'SELECT name FROM system.tables WHERE database = currentDatabase()';
    expect((await store.select(tables)).length).toBeGreaterThan(10);
    expect(await store.select(`${tables} AND create_table_query NOT LIKE {durable:String}`, { durable })).toEqual([]);
  } finally {
    await close();
  }
});

/** A store on a server that refuses the first statement with a code of ClickHouse's, and takes those after it. */
async function refusingOnce(code: number) {
  const statements: string[] = [];
  const server = createServer(async (request, response) => {
    statements.push(Buffer.concat(await request.toArray()).toString());
    if (statements.length === 1) {
      response.writeHead(500, { 'x-clickhouse-exception-code': String(code) });
      response.end(`Code: ${code}. DB::Exception: No. (SOME_NAME) (version 25.8.1.1)\n`);
    } else response.end(statements.at(-1)?.endsWith('FORMAT JSONColumns') ? '{"1":[]}' : '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = new AnalyticStore({ url: `http://127.0.0.1:${port}`, credentials: undefined });
  return {
    store,
    statements,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      server.close();
    },
  };
}

test.each([
  [202, 'too many queries at once'],
  [209, 'a shard that answered too late'],
  [210, 'a shard that was lost'],
  [236, 'a server that stops'],
  [242, 'a table that its keeper has lost'],
  [279, 'no shard that could be reached'],
  [285, 'too few replicas for a quorum'],
  [286, 'another quorum insert under way'],
  [289, 'a replica that is behind'],
  [999, 'a keeper that elects'],
])('what passes is tried again: %i, %s', async (code) => {
  await using reading = await refusingOnce(code);
  expect(await reading.store.select('SELECT 1')).toEqual([]);
  expect(reading.statements).toHaveLength(2);
  await using writing = await refusingOnce(code);
  await writing.store.command('ALTER TABLE t DELETE WHERE 1');
  expect(writing.statements).toHaveLength(2);
  await using inserting = await refusingOnce(code);
  await expect(inserting.store.insertRows('t', textColumns(['a']), [['1']])).rejects.toMatchObject({
    code: String(code),
  });
  await expect(inserting.store.insertRows('t', textColumns(['a']), [['1']])).resolves.toBeUndefined();
  expect(inserting.statements).toHaveLength(2);
});

test.each([
  [60, 'no such table'],
  [62, 'a statement that is none'],
  [241, 'too little memory'],
  [252, 'too many parts'],
  [497, 'not enough privileges'],
  [516, 'a wrong password'],
])('nothing else is: %i, %s', async (code) => {
  await using reading = await refusingOnce(code);
  await expect(reading.store.select('SELECT 1')).rejects.toThrow();
  await expect(reading.store.select('SELECT 1')).resolves.toEqual([]);
  await using writing = await refusingOnce(code);
  await expect(writing.store.command('ALTER TABLE t DELETE WHERE 1')).rejects.toThrow();
  expect([...reading.statements, ...writing.statements]).toHaveLength(3);
});

test('a statement that can not be repeated is sent once, even when its answer is lost; others are retried', async () => {
  let requests = 0;
  // Takes every statement and loses its answer, as an engine that dies does; the third is answered.
  const server = createServer((request, response) => {
    requests += 1;
    if (requests < 3) request.resume().on('end', () => request.socket.destroy());
    else request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = new AnalyticStore({ url: `http://127.0.0.1:${port}`, credentials: undefined });
  try {
    await expect(store.commandOnce('INSERT INTO t SELECT {n:UInt8}', { n: 1 })).rejects.toThrow();
    expect(requests).toBe(1);
    await store.command('INSERT INTO t SELECT {n:UInt8}', { n: 1 });
    expect(requests).toBe(3);
  } finally {
    await store.close();
    server.close();
  }
});
