// How webhooks are signed, and that their secrets are kept secret.
import { readdirSync, readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { rotateSecret } from '../../src/alerting/notifications/endpoints.ts';
import { answer, verify } from './receiver.ts';
import { box, openWorldForEachTest, type World } from './world.ts';

let world: World;
const { receive, untilAttempts } = openWorldForEachTest((opened) => {
  world = opened;
});

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
      ...{
        notification_id: sent.id,
        project_id: world.projectId,
        project_name: 'p',
        alert: 'budget',
        title: sent.title,
        text: sent.text,
      },
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
