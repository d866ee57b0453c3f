import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { AnalyticStore } from '../../src/clickhouse/analytic-store.ts';
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

test('a statement that can not be repeated is sent once, whatever becomes of its answer; others are sent again', async () => {
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
