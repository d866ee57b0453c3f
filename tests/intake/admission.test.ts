// D3.7: the rate of a client, where a module and not a service says how many requests come at once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { admitClients } from '../../src/ingest/intake/admission.ts';
import { ParseQueue } from '../../src/ingest/intake/parse-queue.ts';
import { createApp } from '../../src/lib/http/create-app.ts';

const requestsPerSecond = 40;

/** An intake whose clients are read from the control store when `secretsRead` resolves. */
function admit(secretsRead: Promise<void> = Promise.resolve()) {
  const app = createApp(pino({ level: 'silent' }), async (routes) => {
    await admitClients(routes, {
      clients: {
        authenticate: async () => {
          await secretsRead;
          return 'prj_1';
        },
      },
      buffer: { isFull: false },
      queue: new ParseQueue({ wait: async () => {} }),
      requestsPerSecond,
    });
    routes.post('/intake/:client_id/', { config: { access: 'client' }, schema: { summary: 'Events' } }, () => ({}));
  });
  onTestFinished(async () => await app.close());
  /** The answers to so many requests that come together. */
  const post = async (client: string, count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () => app.inject({ method: 'POST', url: `/intake/${client}/`, payload: {} })),
    );
    return answers.map(({ statusCode: status, headers }) => ({
      status,
      remaining: Number(headers['ratelimit-remaining']),
    }));
  };
  return { app, post };
}

const within = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length;

test('D3.7: of requests that wait for the same secret to be read, as many as the rate are admitted', async () => {
  const { promise: secretsRead, resolve: read } = Promise.withResolvers<void>();
  const { app, post } = admit(secretsRead);
  await app.ready();
  const answering = post('one', 90);
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  read();
  const answers = await answering;
  expect(within(answers)).toBe(requestsPerSecond);
  // Each says what is left after it.
  const left = answers.filter(({ status }) => status === 200).map(({ remaining }) => remaining);
  expect(new Set(left)).toEqual(new Set(Array.from({ length: requestsPerSecond }, (_, index) => index)));
  expect(within(await post('other', 1))).toBe(1);
});

test('D3.7: a clock that is set back shuts no client out', async () => {
  const { post } = admit();
  expect(within(await post('one', 41))).toBe(requestsPerSecond);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  expect(within(await post('one', 41))).toBe(requestsPerSecond);
});
