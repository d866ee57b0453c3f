// Bodies that never end, of one client or of anybody, leave room for those of others (D3.7).
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { poll } from '../../support/poll.ts';
import { openWire, type Wire } from '../../support/raw-http.ts';

const farthing = sharedFarthing();

const statusOf = (wire: Wire): number | undefined => {
  const [, status] = /HTTP\/1\.1 (\d{3})/.exec(wire.received()) ?? [];
  return status === undefined ? undefined : Number(status);
};

/** Begins requests with a part of a body, and never sends the rest. */
function begin(
  count: number,
  { path, headers, part }: { path: string; headers: readonly string[]; part: Buffer },
): Wire[] {
  return Array.from({ length: count }, () => {
    const wire = openWire(farthing.url);
    const head = [`POST ${path} HTTP/1.1`, 'host: a', 'transfer-encoding: chunked', ...headers].join('\r\n');
    wire.socket.write(`${head}\r\n\r\n${part.length.toString(16)}\r\n`);
    wire.socket.write(part);
    wire.socket.write('\r\n');
    return wire;
  });
}

const untilSomeAreRefused = (wires: readonly Wire[], status: number) =>
  poll('some are refused', { within: 60_000 }, () =>
    wires.some((wire) => statusOf(wire) === status) ? true : undefined,
  );

test('D3.7: unfinished bodies of one client', async () => {
  const [hostile, neighbour] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const compressed = gzipSync(Buffer.alloc(15 * 1_048_576, ' '));
  const wires = begin(9, {
    path: hostile.intakePath,
    headers: ['content-type: application/json', 'content-encoding: gzip', `authorization: Bearer ${hostile.secret}`],
    part: compressed.subarray(0, compressed.length - 8),
  });
  await untilSomeAreRefused(wires, 503);
  const large = Array.from({ length: 20 }, () => costEvent({ cost: 1, note: 'x'.repeat(200_000) }));
  expect((await neighbour.intake({ body: large })).status).toBe(200);
  expect((await neighbour.postCosts({ date_from: '2024-05-15' })).status).toBe(200);
  // The others wait, or have come too slowly since.
  expect([undefined, 408, 503]).toEqual(expect.arrayContaining(wires.map(statusOf)));
  for (const wire of wires) wire.socket.destroy();
  // The client has its share again once they have gone.
  await poll('its events are taken', { within: 60_000 }, async () =>
    (await hostile.intake({ body: large })).status === 200 ? true : undefined,
  );
});

test('D3.7, D2: unfinished bodies without a key are small', async () => {
  const neighbour = await farthing.createProject();
  const part = Buffer.from(`{"api_key":"${'x'.repeat(10_000)}`);
  const signIns = begin(33, { path: '/session/', headers: ['content-type: application/json'], part });
  const unknown = begin(5, { path: '/nothing/', headers: ['content-type: application/json'], part });
  const withoutKey = begin(5, { path: '/api/costs/', headers: ['content-type: application/json'], part });
  await untilSomeAreRefused(unknown, 404);
  await untilSomeAreRefused(withoutKey, 401);
  expect((await neighbour.intake({ body: costEvent({ cost: 1 }) })).status).toBe(200);
  for (const wire of [...signIns, ...unknown, ...withoutKey]) wire.socket.destroy();
});

test('D2: a body of more than 4 KiB is too large to sign in with', async () => {
  const answer = await farthing.send('POST', '/session/', { body: { api_key: 'x'.repeat(5_000) } });
  expect(answer.status).toBe(413);
});
