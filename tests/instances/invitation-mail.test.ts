import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../api/D2-session/session.ts';
import { type MailServer, startMailServer } from '../notifications/mail-server.ts';
import { connect, expectStatus, type Farthing } from '../support/client.ts';
import { freePort } from '../support/ports.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

let mail: MailServer;
let service: Service;
let farthing: Farthing;
let refusal: number | undefined;

beforeAll(async () => {
  mail = await startMailServer({ refuse: () => refusal });
  const port = await freePort();
  service = await startService({
    dataDir: makeMigratedDataDir(),
    port,
    env: {
      FARTHING_PUBLIC_URL: `http://127.0.0.1:${port}/`,
      FARTHING_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      FARTHING_SMTP_FROM: 'farthing@example.com',
    },
  });
  farthing = connect(service.url, service.adminToken);
});
afterAll(async () => {
  await service?.stop();
  await mail?.close();
  if (service) await rm(service.dataDir, { recursive: true, force: true });
});

test('D34.1: a link is sent by e-mail and then shown to nobody; a refused e-mail is told, with the link to who may have it', async () => {
  const [project, other] = [await farthing.createProject(), await farthing.createProject()];
  const invite = async (email: string, id = project.id, role = 'owner') =>
    Object(
      expectStatus(await farthing.admin('POST', '/admin/members/', { email, roles: [{ project_id: id, role }] }), 201),
    );
  const ada = await invite('ada@example.com');
  expect(ada.invitation).toMatchObject({ link: null, sent_to: 'ada@example.com', mail_error: null });
  const [sent] = mail.mails;
  expect(sent?.to).toEqual(['ada@example.com']);
  const text = sent?.text.replaceAll('=\r\n', '') ?? '';
  const [, secret = ''] = new RegExp(`${service.url}/sign-in/#(fi_\\w{40})`).exec(text) ?? [];
  const owner = await signIn(farthing, { invitation: secret });
  expect(service.output()).not.toContain(secret);

  // An owner may have a link sent to whoever is in the project, but never sees one of a member with further rights.
  const bob = await invite('bob@example.com', other.id, 'viewer');
  const roles = [{ project_id: project.id, role: 'viewer' }];
  const added = await owner.send('POST', '/admin/members/', { body: { email: 'bob@example.com', roles } });
  expect(Object(expectStatus(added, 200)).invitation).toBeNull();
  const again = await owner.send('POST', `/admin/members/${bob.id}/links/`);
  expect(expectStatus(again, 201)).toMatchObject({ link: null, sent_to: 'bob@example.com' });
  refusal = 550;
  const failed = await owner.send('POST', `/admin/members/${bob.id}/links/`);
  expect(expectStatus(failed, 201)).toMatchObject({
    link: null,
    sent_to: null,
    mail_error: expect.stringContaining('550'),
  });
  const shown = await farthing.admin('POST', `/admin/members/${bob.id}/links/`);
  expect(Object(expectStatus(shown, 201)).link).toContain('/sign-in/#fi_');
});
