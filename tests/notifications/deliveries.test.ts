import { expect, test } from 'vitest';
import { changeEndpoint } from '../../src/alerting/notifications/endpoints.ts';
import { enqueue } from '../../src/alerting/notifications/enqueue.ts';
import { retryDelaysMs } from '../../src/alerting/notifications/retry-schedule.ts';
import { answer, verify } from './receiver.ts';
import { openWorldForEachTest, type World } from './world.ts';

let world: World;
const { receive, untilAttempts } = openWorldForEachTest((opened) => {
  world = opened;
});

test('D20.5: the same notification stored twice is one delivery for each endpoint that takes its kind of alert', async () => {
  const target = 'https://hooks.example.com/';
  const { endpoint: all } = await world.addEndpoint({ target });
  const { endpoint: budgets } = await world.addEndpoint({ target, alerts: ['anomaly', 'budget'] });
  await world.addEndpoint({ target, alerts: ['no_events'] });
  await world.addEndpoint({ target, isEnabled: false });
  const notification = await world.notify({ kind: 'budget' });
  await world.notify(notification);
  const deliveries = await world.deliveries();
  expect(deliveries.map(({ endpoint_id }) => endpoint_id).sort()).toEqual([all.id, budgets.id].sort());
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(2);
});

test('D20.5: a transaction that fails leaves no notification behind', async () => {
  await world.addEndpoint({ target: 'https://hooks.example.com/' });
  const failing = world.control.transaction().execute(async (transaction) => {
    await enqueue(transaction, {
      ...{ id: 'n', projectId: world.projectId, kind: 'budget', event: 'fired', at: world.now() },
      ...{ title: 't', text: 't', path: '/', data: {} },
    });
    throw new Error('the cause could not be stored');
  });
  await expect(failing).rejects.toThrow('the cause could not be stored');
  expect(await world.deliveries()).toEqual([]);
});

test('D20.5: an endpoint that answers 500 and then 200 gets the same webhook-id again, newly signed', async () => {
  const receiver = await receive((response, nth, received) => answer(nth === 0 ? 500 : 200)(response, nth, received));
  const { secret } = await world.addEndpoint({ target: receiver.url });
  await world.notify();
  const notifier = world.makeNotifier();
  await notifier.step();
  await untilAttempts(1);
  const [failed] = await world.attempts();
  expect(failed).toMatchObject({ status: 500, error: 'answered with status 500' });
  expect(await world.deliveries()).toMatchObject([{ state: 'waiting', failures: 1, claimed_by: null }]);

  world.pass(4_000);
  await notifier.step();
  expect(receiver.received).toHaveLength(1);
  world.pass(1_500);
  await notifier.step();
  await untilAttempts(2);
  const [first, second] = receiver.received;
  if (!first || !second) throw new Error('both attempts must have come');
  expect(second.id).toBe(first.id);
  expect(second.body).toBe(first.body);
  expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']));
  verify(secret, second);
  expect(await world.deliveries()).toMatchObject([{ state: 'delivered' }]);
});

test('D20.5: an endpoint that fails for 24 hours gets every attempt of the schedule; then the delivery is given up, visibly', async () => {
  const receiver = await receive(answer(500));
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  const notifier = world.makeNotifier();
  for (const [index, delayMs] of [...retryDelaysMs, 0].entries()) {
    await notifier.step();
    await untilAttempts(index + 1);
    world.pass(delayMs + 1_000);
  }
  expect(receiver.received).toHaveLength(retryDelaysMs.length + 1);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  expect(await world.deliveries()).toMatchObject([{ state: 'given_up', content: null, next_attempt_at: null }]);
  expect((await world.attempts()).at(-1)).toMatchObject({ status: 500, next_attempt_at: null });
  world.pass(48 * 3_600_000);
  await notifier.step();
  expect(receiver.received).toHaveLength(retryDelaysMs.length + 1);
});

test('D20.5: 410 Gone disables the endpoint and gives up what waits for it; others go on', async () => {
  const [gone, other] = [await receive(answer(410)), await receive()];
  const { endpoint } = await world.addEndpoint({ target: gone.url });
  await world.addEndpoint({ target: other.url });
  await world.notify();
  await world.notify();
  await world.notify();
  await world.makeNotifier().step();
  await expect.poll(() => other.received.length).toBe(3);
  await expect.poll(async () => (await world.deliveries()).filter(({ state }) => state === 'waiting')).toEqual([]);
  const row = await world.control
    .selectFrom('notification_endpoints')
    .selectAll()
    .where('id', '=', endpoint.id)
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ enabled: 0, disabled_reason: 'gone' });
  const before = gone.received.length;
  expect(before).toBeLessThan(3);
  await world.notify();
  await expect.poll(() => other.received.length).toBe(3);
  expect((await world.deliveries()).filter(({ endpoint_id }) => endpoint_id === endpoint.id)).toHaveLength(3);
});

test('D20.5: redirects are not followed, to any address', async () => {
  const inner = await receive();
  const redirecting = await receive(answer(302, { location: inner.url }));
  await world.addEndpoint({ target: redirecting.url });
  await world.notify();
  await world.makeNotifier().step();
  await untilAttempts(1);
  expect(await world.attempts()).toMatchObject([{ status: 302, error: expect.stringContaining('redirect') }]);
  expect(inner.received).toEqual([]);
});

test('D20.5: slow endpoints hold up neither the step, nor each other, nor the rest', async () => {
  const silent = await receive(() => undefined);
  const fast = await receive();
  for (let index = 0; index < 5; index += 1) await world.addEndpoint({ target: `${silent.url}/${index}` });
  await world.addEndpoint({ target: fast.url });
  for (let index = 0; index < 20; index += 1) await world.notify();
  // No attempt at a slow one ends meanwhile: who waited for it would wait for ever.
  const notifier = world.makeNotifier({ attemptMs: 3_600_000 });
  await notifier.step();
  await expect.poll(() => fast.received.length).toBe(20);
  expect(silent.open()).toBe(10);
  await notifier.step();
  expect(silent.open()).toBe(10);
});

test('D20.5: an endpoint that never answers fails when the time for an attempt is over', async () => {
  const silent = await receive(() => undefined);
  await world.addEndpoint({ target: silent.url });
  await world.notify();
  await world.makeNotifier({ attemptMs: 500 }).step();
  await untilAttempts(1);
  const [attempt] = await world.attempts();
  expect(attempt).toMatchObject({ status: null, error: 'did not answer within 0.5 s' });
  expect(attempt?.duration_ms).toBeGreaterThanOrEqual(490);
  await expect.poll(() => silent.open()).toBe(0);
});

test('D20.5: an answer without an end counts by its status, and is not read for ever', async () => {
  const endless = await receive((response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
    response.once('close', () => clearInterval(timer));
  });
  await world.addEndpoint({ target: endless.url });
  await world.notify();
  await world.makeNotifier().step();
  await untilAttempts(1);
  expect(await world.deliveries()).toMatchObject([{ state: 'delivered' }]);
  await expect.poll(() => endless.open()).toBe(0);
});

test('D20.5: what waits for an endpoint that is disabled is given up, and so is what waits for one that is gone', async () => {
  const { endpoint } = await world.addEndpoint({ target: 'https://hooks.example.com/' });
  await world.notify();
  const unchanged = { target: undefined, alerts: undefined, digest: undefined };
  await changeEndpoint({ control: world.control, clock: world.now }, world.projectId, endpoint.id, {
    ...unchanged,
    isEnabled: false,
  });
  expect(await world.deliveries()).toMatchObject([{ state: 'given_up', content: null }]);

  const { endpoint: deleted } = await world.addEndpoint({ target: 'https://hooks.example.com/' });
  await world.notify();
  await world.control.deleteFrom('notification_endpoints').where('id', '=', deleted.id).execute();
  await world.makeNotifier().step();
  expect((await world.deliveries()).map(({ state }) => state)).toEqual(['given_up', 'given_up']);
  expect(await world.attempts()).toEqual([]);
});

test('D20.5: the outbox and the log of attempts are deleted after 30 days, but nothing that waits', async () => {
  const receiver = await receive();
  const { endpoint } = await world.addEndpoint({ target: receiver.url });
  await world.notify();
  const notifier = world.makeNotifier();
  await notifier.step();
  await untilAttempts(1);
  await world.notify();
  const [, waiting] = await world.deliveries();
  world.pass(31 * 24 * 3_600_000);
  await world.makeNotifier({ isHolder: () => false }).step();
  expect(await world.attempts()).toEqual([]);
  expect((await world.deliveries()).map(({ id }) => id)).toEqual([waiting?.id]);
  expect(waiting?.endpoint_id).toBe(endpoint.id);
});

test('D20.5: a notification that cannot be read is given up by the schedule like any other, and holds up no other', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  await world.control.updateTable('notification_deliveries').set({ content: '{"id":1}' }).execute();
  await world.notify();
  await world.makeNotifier().step();
  await untilAttempts(2);
  expect(receiver.received).toHaveLength(1);
  const [, failed] = (await world.attempts()).toSorted((a, b) => Number(a.error !== null) - Number(b.error !== null));
  expect(failed).toMatchObject({ status: null, error: 'could not be sent to; the log of the service says why' });
  expect((await world.deliveries()).map(({ state }) => state).sort()).toEqual(['delivered', 'waiting']);
});
