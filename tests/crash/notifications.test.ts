// Every notification that was stored is sent at least once, whenever the service is killed (D20.5).
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver, verify } from '../notifications/receiver.ts';
import { connect, expectStatus, type Farthing } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const rounds = usualOrLong(1, 20);
const path = '/api/notification-endpoints/';

const dataDir = makeMigratedDataDir();
let service: Service;
let farthing: Farthing;
let receiver: Receiver;
/** Called with each request before it is answered. */
let onReceived: () => void = () => undefined;

const start = async (port: number) => {
  service = await startService({ dataDir, port, env: { FARTHING_WEBHOOK_HOSTS: '127.0.0.1' } });
  farthing = connect(service.url, service.adminToken);
};

beforeAll(async () => {
  receiver = await startReceiver((response) => {
    onReceived();
    // Later than the kill that the request may have caused, so the answer never comes.
    setTimeout(() => response.writeHead(204).end(), 50);
  });
  await start(await freePort());
});

afterAll(async () => {
  await service.kill();
  await receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test(`D20.5: ${rounds} kills, between sending and noting and at other moments, lose no notification`, async () => {
  let repeated = 0;
  for (let round = 0; round < rounds; round += 1) {
    const project = await farthing.createProject();
    const endpoints = await Promise.all(
      [1, 2, 3].map(async (index) => {
        const body = { kind: 'webhook', url: `${receiver.url}/${round}/${index}` };
        const { id, secret } = Object(expectStatus(await project.api('POST', path, body), 201));
        return { id: String(id), secret: String(secret) };
      }),
    );
    const killed = Promise.withResolvers<void>();
    const kill = () => {
      onReceived = () => undefined;
      service.kill().then(killed.resolve, killed.reject);
    };
    // In even rounds the first request that arrives kills the service; in odd ones it is killed a moment later.
    if (round % 2 === 0) onReceived = kill;
    const asked = endpoints.map(async ({ id }) => {
      const answer = await project.api('POST', `${path}${id}/test/`).catch(() => undefined);
      return answer?.status === 202 ? String(Object(answer.body).webhook_id) : undefined;
    });
    const stored = (await Promise.all(asked)).filter((id) => id !== undefined);
    if (round % 2 === 1) {
      await pause((round * 37) % 200);
      kill();
    }
    await killed.promise;

    await start(service.port);
    await poll('every stored notification is delivered', { within: 60_000 }, async () => {
      const answers = await Promise.all(endpoints.map(({ id }) => project.api('GET', `${path}${id}/attempts/`)));
      const attempts = answers.flatMap((answer) => Object(expectStatus(answer, 200)).attempts as Attempt[]);
      const delivered = attempts.filter(({ state }) => state === 'delivered').map(({ webhook_id }) => webhook_id);
      return stored.every((id) => delivered.includes(id)) ? true : undefined;
    });
    for (const id of stored) {
      const requests = receiver.received.filter((request) => request.id === id);
      expect(requests.length).toBeGreaterThan(0);
      if (requests.length > 1) repeated += 1;
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
      const index = Number(requests[0]?.path.at(-1)) - 1;
      for (const request of requests) verify(endpoints[index]?.secret ?? '', request);
    }
  }
  // The kills between sending and noting had something to repeat.
  expect(repeated).toBeGreaterThan(0);
  expect(service.output()).not.toContain('whsec_');
  expect((await service.stop()).code).toBe(0);
});

interface Attempt {
  readonly state: string;
  readonly webhook_id: string;
}
