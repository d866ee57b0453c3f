// Sign-in with an OpenID provider, through a service: its cookies, its pages and its members.
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAdminLog } from '../api/D34-audit/support.ts';
import { connect, expectStatus, type Farthing, send } from '../support/client.ts';
import { answerOf, type OpenIdServer, startOpenId } from '../support/openid.ts';
import { freePort } from '../support/ports.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

let openId: OpenIdServer;
let service: Service;
let farthing: Farthing;

beforeAll(async () => {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  openId = await startOpenId(`${publicUrl}/session/provider/callback/`);
  Object.assign(openId.accounts, {
    ada: { email: 'ada@example.com', email_verified: true, name: 'Ada' },
    impostor: { email: 'ada@example.com', email_verified: true },
    eve: { email: 'eve@example.com', email_verified: false },
    bob: { email: 'bob@elsewhere.example', email_verified: true },
    cy: { email: 'cy@example.com', email_verified: true },
  });
  service = await startService({
    dataDir: makeMigratedDataDir(),
    port,
    env: {
      FARTHING_PUBLIC_URL: publicUrl,
      FARTHING_OIDC_ISSUER: openId.issuer,
      FARTHING_OIDC_CLIENT_ID: openId.client.id,
      FARTHING_OIDC_CLIENT_SECRET: openId.client.secret,
      FARTHING_OIDC_ALLOWED_DOMAINS: 'example.com',
    },
  });
  farthing = connect(service.url, service.adminToken);
});
afterAll(async () => {
  await service?.stop();
  await openId?.close();
  if (service) await rm(service.dataDir, { recursive: true, force: true });
});

async function arrive(account: string | undefined) {
  openId.account = account;
  const begun = await farthing.send('GET', '/session/provider/');
  expect([begun.status, begun.headers.get('referrer-policy')]).toEqual([303, 'no-referrer']);
  const set = begun.headers.get('set-cookie') ?? '';
  expect(set).toMatch(/^farthing_sign_in=[\w-]+; Max-Age=600; Path=\/session\/provider; HttpOnly; SameSite=Lax$/);
  return { cookie: set.split(';')[0] ?? '', back: await answerOf(begun.headers.get('location') ?? '', openId.issuer) };
}

async function signIn(account: string | undefined) {
  const { cookie, back } = await arrive(account);
  const answer = await send('GET', back.href, { headers: { cookie } });
  const session = answer.headers.getSetCookie().find((one) => one.startsWith('farthing_session='));
  return { answer, cookie, back, session: session?.split(';')[0] ?? '', set: session };
}

test('D34.1, D34.2: who was invited signs in with the provider, and is bound to it; nobody else takes the place', async () => {
  expect(await farthing.send('GET', '/session/ways/')).toMatchObject({
    body: { provider: new URL(openId.issuer).host },
  });
  const project = await farthing.createProject();
  const roles = [{ project_id: project.id, role: 'editor' }];
  const invited = Object(
    expectStatus(await farthing.admin('POST', '/admin/members/', { email: 'ada@example.com', roles }), 201),
  );
  expect(invited.invitation).toBeNull();
  expectStatus(await farthing.admin('POST', `/admin/members/${invited.id}/links/`), 409);

  const { answer, session, set, cookie, back } = await signIn('ada');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in/#provider']);
  expect(set).toMatch(/Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(answer.headers.getSetCookie().join()).toMatch(/farthing_sign_in=; .*Max-Age=0|farthing_sign_in=;/);
  const headers = { cookie: session, 'farthing-project': project.id, origin: farthing.url };
  expect(expectStatus(await farthing.send('GET', '/session/', { headers }), 200)).toMatchObject({
    kind: 'member',
    member: { id: invited.id, email: 'ada@example.com', name: 'Ada' },
    roles: [{ role: 'editor' }],
  });
  const price = { model: 'm', input_per_mtok: 1, output_per_mtok: 1 };
  expectStatus(await farthing.send('POST', '/api/prices/', { body: price, headers }), 201);
  const log = Object(expectStatus(await farthing.send('GET', '/api/audit/?kind=price', { headers }), 200));
  expect(log.entries[0]).toMatchObject({ actor: 'member', actor_id: invited.id, actor_name: 'Ada' });
  const bound = { actor: 'member', actor_id: invited.id, action: 'changed', after: { oidc_issuer: openId.issuer } };
  expect((await readAdminLog(farthing, 'kind=member&actor=member'))[0]).toMatchObject(bound);

  // Replayed, in another browser, by somebody else with the address.
  expect((await send('GET', back.href, { headers: { cookie } })).status).toBe(400);
  expect((await send('GET', back.href)).status).toBe(400);
  const taken = await signIn('impostor');
  expect([taken.answer.status, taken.session]).toEqual([403, '']);

  expectStatus(await farthing.admin('DELETE', `/admin/members/${invited.id}/`), 204);
  expectStatus(await farthing.send('GET', '/api/prices/', { headers }), 401);
  // The domain is allowed, so Ada is a member again, without any role.
  const again = await signIn('ada');
  const now = expectStatus(await farthing.send('GET', '/session/', { headers: { cookie: again.session } }), 200);
  expect(now).toMatchObject({ member: { email: 'ada@example.com', is_admin: false }, roles: [] });
  const [joined] = await readAdminLog(farthing, 'kind=member&actor=member');
  expect(joined).toMatchObject({ action: 'created', subject_name: 'ada@example.com', actor_name: 'ada@example.com' });
  expect([joined?.actor_id, joined?.subject]).toEqual([Object(now).member.id, Object(now).member.id]);
  expectStatus(await farthing.send('GET', '/api/prices/', { headers: { ...headers, cookie: again.session } }), 404);
});

test('D34.1: a refused sign-in makes no session, and its page says what to do', async () => {
  const refused = { eve: /not verified/, bob: /may not sign in here/, cancelled: /was cancelled/ };
  for (const [account, title] of Object.entries(refused)) {
    const { answer, session } = await signIn(account === 'cancelled' ? undefined : account);
    expect([answer.status, session], answer.text).toEqual([403, '']);
    expect(answer.text).toMatch(title);
    expect(answer.text).toContain('href="/session/provider/"');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  const { cookie, back } = await arrive('cy');
  openId.spoil = { isAway: true };
  const away = await send('GET', back.href, { headers: { cookie } });
  openId.spoil = undefined;
  expect(away.status).toBe(503);
  expect(away.text).toContain('does not answer');
  const host = new URL(openId.issuer).host;
  expect(expectStatus(await farthing.admin('GET', '/admin/diagnosis/'), 200)).toMatchObject({
    sign_in: { provider: host, fault: null },
  });
  expect((await signIn('cy')).session).toMatch(/^farthing_session=/);
  const emails = Object(expectStatus(await farthing.admin('GET', '/admin/members/'), 200)).members.map(
    ({ email }: { email: string }) => email,
  );
  expect(emails).not.toContain('eve@example.com');
  expect(emails).not.toContain('bob@elsewhere.example');
  // No code, token or secret is in the log.
  for (const secret of [back.searchParams.get('code') ?? '', openId.client.secret, cookie.split('=')[1] ?? ''])
    expect(service.output()).not.toContain(secret);
});
