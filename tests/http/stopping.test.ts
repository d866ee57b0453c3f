import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createApp } from '../../src/lib/http/create-app.ts';
import { poll } from '../support/poll.ts';

test('D11.1, D13.3: a request that arrives while the service stops gets a problem that says when to retry', async () => {
  const app = createApp(pino({ level: 'silent' }), (routes) => {
    routes.get('/a/', { config: { access: 'public' } }, async () => ({}));
  });
  let goOn = () => {};
  app.addHook('preClose', async () => goOn());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const accepted = once(app.server, 'connection') as Promise<[Socket]>;
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  // Begun before, and sent to its end while the service stops.
  socket.write('GET /a/ HTTP/1.1\r\nhost: x\r\n');
  goOn = () => void socket.write('\r\n');
  const [taken] = await accepted;
  await poll('the service has the first half', { within: 60_000 }, () => taken.bytesRead || undefined);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  await Promise.all([once(socket, 'close'), app.close()]);
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/\r\nretry-after: [1-9]\d*\r\n/i);
  expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json/i);
  expect(answer).toContain('"code":"unavailable"');
});
