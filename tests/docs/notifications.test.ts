// Runs the receiver that docs/api/notifications.md shows, and sends it what the service signs.
import { spawn } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect, expectStatus, send } from '../support/client.ts';
import { whenThisProcessEnds } from '../support/leash.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { makeDataDir, makeMigratedDataDir, startService } from '../support/service.ts';
import { readSource, root } from '../tidy/sources.ts';

const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readSource('docs/api/notifications.md').text) ?? [];

test('D20.5: the page has a receiver that verifies what it gets', () => {
  expect(code).toContain('webhook.verify');
});

test('D20.5: the receiver of the page takes a webhook of the service, and refuses one that is forged', async () => {
  const folder = makeDataDir();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), code);
  const service = await startService({
    dataDir: makeMigratedDataDir(),
    env: { FARTHING_WEBHOOK_HOSTS: '127.0.0.1', FARTHING_PUBLIC_URL: 'https://farthing.example.com' },
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  let letGo = () => undefined as unknown;
  try {
    const project = await connect(service.url, service.adminToken).createProject();
    const path = '/api/notification-endpoints/';
    const made = Object(expectStatus(await project.api('POST', path, { kind: 'webhook', url }), 201));
    const receiver = spawn(process.execPath, ['receiver.mjs'], {
      cwd: folder,
      env: { WEBHOOK_SECRET: made.secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const stopLeash = whenThisProcessEnds('kill -9 "$0"', String(receiver.pid));
    letGo = () => {
      stopLeash();
      receiver.kill('SIGKILL');
    };
    let printed = '';
    receiver.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const forged = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) };
    const headers = { ...forged, 'webhook-signature': `v1,${'A'.repeat(43)}=` };
    const refused = await poll('the receiver answers', { within: 60_000 }, async () =>
      send('POST', url, { body: {}, headers }).catch(() => undefined),
    );
    expect(refused.status).toBe(401);
    expectStatus(await project.api('POST', `${path}${made.id}/test/`), 202);
    await poll('the receiver prints the test', { within: 60_000 }, () => (printed === '' ? undefined : true));
    expect(printed).toBe('alert.test This is a test\n');
    await poll('the attempt is noted', { within: 60_000 }, async () => {
      const { attempts } = Object(expectStatus(await project.api('GET', `${path}${made.id}/attempts/`), 200));
      return attempts[0]?.status === 204 ? true : undefined;
    });
  } finally {
    letGo();
    await service.kill();
    for (const one of [folder, service.dataDir]) rmSync(one, { recursive: true, force: true });
  }
});
