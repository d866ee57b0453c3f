import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MailServer, startMailServer } from './mail-server.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let server: MailServer | undefined;

beforeEach(async () => {
  world = await openWorld();
});

afterEach(async () => {
  await server?.close();
  await world.close();
});

const from = 'Farthing <farthing@example.com>';
const untilAttempts = (count: number) =>
  expect.poll(async () => (await world.attempts()).length, { timeout: 60_000 }).toBe(count);

test('D20.5: an e-mail is sent over SMTP, repeated after a refusal with the same Message-ID, and has no recipient but the address', async () => {
  server = await startMailServer({ refuse: (nth) => (nth === 0 ? 451 : undefined) });
  await world.addEndpoint({ kind: 'email', target: 'ann@example.com' });
  const told = { title: 'Budget all\r\nBcc: eve@example.com', text: 'Größer als 100 %\n.\nQUIT' };
  await world.notify(told);
  const mail = { url: `smtp://127.0.0.1:${server.port}`, from };
  const notifier = world.makeNotifier({ mail, publicUrl: 'https://farthing.example.com' });
  await notifier.step();
  await untilAttempts(1);
  expect(await world.attempts()).toMatchObject([{ status: 451, error: 'was refused by the SMTP server with 451' }]);
  world.pass(6_000);
  await notifier.step();
  await untilAttempts(2);
  const [delivery] = await world.deliveries();
  expect(delivery?.state).toBe('delivered');
  expect(server.mails).toHaveLength(1);
  const [sent] = server.mails;
  expect(sent?.to).toEqual(['ann@example.com']);
  expect(sent?.text).toContain(`Message-ID: <${delivery?.id}@example.com>`);
  expect(sent?.text).toMatch(/^From: Farthing <farthing@example\.com>\r$/m);
  expect(sent?.text).toMatch(/^Subject: \[Farthing\] p: Budget all Bcc: eve@example\.com\r$/m);
  expect(sent?.text).not.toMatch(/^Bcc:/m);
  const [, body = ''] = sent?.text.split('\r\n\r\n') ?? [];
  expect(
    Buffer.from(
      body.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString('utf8'),
  ).toContain('Größer als 100 %');
});

test('D20.5: the user and the password of the URL are used, and neither is logged', async () => {
  server = await startMailServer({ user: 'ann', password: 'hush-hush' });
  await world.addEndpoint({ kind: 'email', target: 'ann@example.com' });
  await world.notify();
  const url = `smtp://ann:hush-hush@127.0.0.1:${server.port}`;
  await world.makeNotifier({ mail: { url: url.replace('hush-hush', 'hush-wrong'), from } }).step();
  await untilAttempts(1);
  expect(await world.attempts()).toMatchObject([{ status: 535 }]);
  world.pass(6_000);
  await world.makeNotifier({ mail: { url, from } }).step();
  await untilAttempts(2);
  expect(server.mails).toHaveLength(1);
  expect(world.log()).toContain('535');
  expect(world.log()).not.toContain('hush');
});

test('D20.5: a server that cannot be reached, or says nothing, is a failure that is repeated', async () => {
  server = await startMailServer();
  const { port } = server;
  await server.close();
  server = undefined;
  await world.addEndpoint({ kind: 'email', target: 'ann@example.com' });
  await world.notify();
  await world.makeNotifier({ mail: { url: `smtp://127.0.0.1:${port}`, from } }).step();
  await untilAttempts(1);
  expect(await world.attempts()).toMatchObject([{ status: null, error: expect.stringContaining('over SMTP') }]);

  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
  world.pass(6_000);
  await world.makeNotifier({ attemptMs: 300, mail: { url: `smtp://127.0.0.1:${port}`, from } }).step();
  await untilAttempts(2);
  expect((await world.attempts())[1]).toMatchObject({ error: 'did not take the e-mail within 0.3 s' });
  expect(await world.deliveries()).toMatchObject([{ state: 'waiting', failures: 2 }]);
  await new Promise((resolve) => silent.close(resolve));
});

test('D20.5: an e-mail that waits when e-mail is turned off is not lost', async () => {
  await world.addEndpoint({ kind: 'email', target: 'ann@example.com' });
  await world.notify();
  await world.makeNotifier().step();
  await untilAttempts(1);
  expect(await world.attempts()).toMatchObject([{ error: expect.stringContaining('FARTHING_SMTP_URL') }]);
  expect(await world.deliveries()).toMatchObject([{ state: 'waiting' }]);
});
