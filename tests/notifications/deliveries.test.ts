import { readdirSync, readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { claimDue } from '../../src/notifications/deliveries.ts';
import { changeEndpoint, rotateSecret } from '../../src/notifications/endpoints.ts';
import { enqueue } from '../../src/notifications/enqueue.ts';
import { retryDelaysMs } from '../../src/notifications/retry-schedule.ts';
import '../support/provided.ts';
import { createDatabase } from '../support/postgres.ts';
import { answer, type Receiver, type Reply, startReceiver, verify } from './receiver.ts';
import { box, openWorld, type World } from './world.ts';

let world: World;
const receivers: Receiver[] = [];
const receive = async (reply?: Reply): Promise<Receiver> => {
  const receiver = await startReceiver(reply);
  receivers.push(receiver);
  return receiver;
};

beforeEach(async () => {
  world = await openWorld();
});

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await world.close();
});

/** Claims all that is due as a sender does that dies before it notes anything. */
const claimAndDie = async () => {
  const claimed = await claimDue(world.control, {
    ...{ now: world.now(), sender: 'a sender that is dead', exclusive: false },
    ...{ atMost: 10, busy: new Map(), perEndpoint: 2 },
  });
  expect(claimed).toHaveLength(1);
};

/** Waits until this many attempts are noted. */
const untilAttempts = (count: number) =>
  expect.poll(async () => (await world.attempts()).length, { timeout: 20_000 }).toBe(count);

test('D20.5: a webhook is signed as Standard Webhooks says, and its own package verifies it', async () => {
  const receiver = await receive();
  const { endpoint, secret } = await world.addEndpoint({ target: receiver.url });
  const sent = await world.notify();
  await world.makeNotifier({ publicUrl: 'https://farthing.example.com/' }).step();
  await untilAttempts(1);

  const [request] = receiver.received;
  if (!request) throw new Error('nothing was received');
  expect(verify(secret, request)).toEqual({
    type: 'alert.fired',
    timestamp: new Date(sent.at).toISOString(),
    data: {
      ...{ notification_id: sent.id, project_id: world.projectId, alert: 'budget', title: sent.title, text: sent.text },
      ...{ path: sent.path, url: 'https://farthing.example.com/budgets/all', details: { spent: 80.5 } },
    },
  });
  expect(() => verify('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', request)).toThrow('No matching signature');
  expect(() => verify(secret, { ...request, body: request.body.replace('80.5', '80.6') })).toThrow('No matching');
  expect(request.headers['content-type']).toBe('application/json');
  expect(await world.deliveries()).toMatchObject([
    { id: request.id, endpoint_id: endpoint.id, state: 'delivered', content: null, next_attempt_at: null },
  ]);
  expect(await world.attempts()).toMatchObject([{ delivery_id: request.id, status: 204, error: null }]);
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
  const notifier = world.makeNotifier();
  const startedAt = performance.now();
  await notifier.step();
  await expect.poll(() => fast.received.length, { timeout: 10_000 }).toBe(20);
  // The time limit of an attempt is 15 s: none of the slow ones has ended.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(silent.open()).toBe(10);
  const fastMs = performance.now();
  await notifier.step();
  expect(performance.now() - fastMs).toBeLessThan(1_000);
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

test('D20.5: two senders that claim at the same time send each delivery once', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.addEndpoint({ target: receiver.url });
  for (let index = 0; index < 12; index += 1) await world.notify();
  const notifiers = [world.makeNotifier(), world.makeNotifier(), world.makeNotifier()];
  await Promise.all(notifiers.map((notifier) => notifier.step()));
  await untilAttempts(24);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(24);
  expect(receiver.received).toHaveLength(24);
});

test('D20.5: on PostgreSQL three instances that claim at the same time send each delivery once', async () => {
  const shared = await openWorld(await createDatabase(inject('postgresUrl')));
  try {
    const receiver = await receive();
    for (let index = 0; index < 3; index += 1) await shared.addEndpoint({ target: receiver.url });
    for (let index = 0; index < 20; index += 1) await shared.notify();
    const stores = [shared.control, await shared.openAnother(), await shared.openAnother()];
    const notifiers = stores.map((control) => shared.makeNotifier({ control }));
    await Promise.all(notifiers.map((notifier) => notifier.step()));
    await expect.poll(async () => (await shared.attempts()).length, { timeout: 20_000 }).toBe(60);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(60);
    expect(receiver.received).toHaveLength(60);
    expect(new Set((await shared.deliveries()).map(({ state }) => state))).toEqual(new Set(['delivered']));
  } finally {
    await shared.close();
  }
});

test('D20.5: a delivery whose sender died after it was sent is sent again with its webhook-id, once the claim has expired', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  const [delivery] = await world.deliveries();
  await claimAndDie();
  const notifier = world.makeNotifier();
  await notifier.step();
  expect(await world.attempts()).toEqual([]);
  world.pass(31_000);
  await notifier.step();
  await untilAttempts(1);
  expect(receiver.received.map(({ id }) => id)).toEqual([delivery?.id]);
});

test('D20.5: where no other process can use the store, the claims of dead senders hold nothing up', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  await claimAndDie();
  await world.makeNotifier({ exclusive: true }).step();
  await untilAttempts(1);
});

test('D20.5: without the lease nothing is sent', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  let isHeld = false;
  const notifier = world.makeNotifier({ isHolder: () => isHeld });
  await notifier.step();
  expect(await world.deliveries()).toMatchObject([{ claimed_by: null }]);
  isHeld = true;
  await notifier.step();
  await untilAttempts(1);
});

test('D20.5: a sender that is stopped lets go of what is under way, so that the next one sends it', async () => {
  const silent = await receive((response, nth, received) => {
    if (nth > 0) answer(200)(response, nth, received);
  });
  await world.addEndpoint({ target: silent.url });
  await world.notify();
  const stopped = world.makeNotifier();
  await stopped.step();
  await expect.poll(() => silent.received.length).toBe(1);
  await stopped.close();
  expect(await world.deliveries()).toMatchObject([{ state: 'waiting', failures: 0, claimed_by: null }]);
  expect(await world.attempts()).toEqual([]);
  await world.makeNotifier().step();
  await untilAttempts(1);
  expect(silent.received.map(({ id }) => id)).toEqual([silent.received[0]?.id, silent.received[0]?.id]);
});

test('D20.5: for 24 hours after a rotation both secrets verify, then the new one alone', async () => {
  const receiver = await receive();
  const { endpoint, secret: old } = await world.addEndpoint({ target: receiver.url });
  const rotated = await rotateSecret(
    { control: world.control, clock: world.now },
    { projectId: world.projectId, id: endpoint.id, box },
  );
  const secret = rotated?.secret ?? '';
  expect(secret).not.toBe(old);
  const notifier = world.makeNotifier();
  await world.notify();
  await notifier.step();
  await untilAttempts(1);
  const [during] = receiver.received;
  if (!during) throw new Error('nothing was received');
  expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
  verify(old, during);
  verify(secret, during);

  // Old rows are cleared every ten minutes: here a minute before the secret ends, and not soon after it.
  world.pass(24 * 3_600_000 - 60_000);
  await notifier.step();
  world.pass(61_000);
  await world.notify();
  await notifier.step();
  await untilAttempts(2);
  const after = receiver.received[1];
  const signatures = String(after?.headers['webhook-signature']).split(' ');
  expect(signatures).toHaveLength(1);
  // The receiver's clock is not moved, so only the signature can be compared: by the new secret it is right.
  const at = new Date(Number(after?.headers['webhook-timestamp']) * 1_000);
  expect(signatures).toEqual([new Webhook(secret).sign(after?.id ?? '', at, after?.body ?? '')]);
  const readOld = async () =>
    (await world.control.selectFrom('notification_endpoints').select('old_secret').executeTakeFirstOrThrow())
      .old_secret;
  expect(await readOld()).not.toBeNull();
  world.pass(10 * 60_000);
  await notifier.step();
  expect(await readOld()).toBeNull();
});

test('D20.5: what waits for an endpoint that is disabled is given up, and so is what waits for one that is gone', async () => {
  const { endpoint } = await world.addEndpoint({ target: 'https://hooks.example.com/' });
  await world.notify();
  const unchanged = { target: undefined, alerts: undefined };
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

test('D20.5: neither secret is in the data folder or in the log in plain text', async () => {
  const failing = await receive(answer(500));
  const { endpoint, secret } = await world.addEndpoint({ target: `${failing.url}?mine` });
  const slackUrl = `${failing.url}/T0/B0/hush-hush`;
  const { endpoint: slack } = await world.addEndpoint({ kind: 'slack', target: slackUrl });
  const options = { projectId: world.projectId, id: endpoint.id, box };
  const rotated = await rotateSecret({ control: world.control, clock: world.now }, options);
  await world.notify();
  await world.makeNotifier().step();
  await untilAttempts(2);
  expect(failing.received.map(({ path }) => path).sort()).toEqual(['/hook/T0/B0/hush-hush', '/hook?mine']);
  expect(slack.target).not.toContain('hush-hush');
  const files = readdirSync(world.dataDir).map((name) => readFileSync(`${world.dataDir}/${name}`));
  expect(files.length).toBeGreaterThan(0);
  for (const text of [secret, rotated?.secret ?? '', 'hush-hush']) {
    const bare = text.replace('whsec_', '');
    expect(files.filter((bytes) => bytes.includes(bare))).toEqual([]);
    expect(world.log()).not.toContain(bare);
    const bytes = Buffer.from(bare, 'base64');
    expect(files.filter((file) => bytes.length > 16 && file.includes(bytes))).toEqual([]);
  }
  expect(world.log()).toContain('a notification was not delivered');
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

test('D20.5: where the secret cannot be opened nothing is sent unsigned', async () => {
  const receiver = await receive();
  await world.addEndpoint({ target: receiver.url });
  await world.notify();
  await world.makeNotifier({ box: undefined }).step();
  await untilAttempts(1);
  expect(receiver.received).toEqual([]);
  expect(await world.attempts()).toMatchObject([{ error: expect.stringContaining('FARTHING_SECRETS_KEY') }]);
  expect(await world.deliveries()).toMatchObject([{ state: 'waiting' }]);
});
