import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { untilUsedInTime } from '../../support/expiry.ts';
import { poll } from '../../support/poll.ts';
import { expectProblem } from '../../support/problem.ts';
import { cookieOf, signIn } from './session.ts';

const farthing = sharedFarthing();

test('D2: a wrong key or token is a 401 without a cookie', async () => {
  const project = await farthing.createProject();
  for (const body of [
    { api_key: 'fk_none' },
    { api_key: farthing.adminToken },
    { api_key: project.secret },
    { admin_token: 'none' },
    { admin_token: project.apiKey },
    { api_key: `${project.apiKey}\u0000` },
  ]) {
    const answer = await farthing.send('POST', '/session/', { body });
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(cookieOf(answer)).toBe('');
  }
});

test('D2: an invented, broken or empty cookie is a 401', async () => {
  for (const cookie of [
    'farthing_session=',
    'farthing_session=none',
    `farthing_session=${'x'.repeat(43)}`,
    `farthing_session=%E0%A4%A`,
    `farthing_session=${'x'.repeat(4000)}`,
    'other=1; farthing_session',
    '=;;;',
  ]) {
    expectProblem(await farthing.send('GET', '/api/project/', { headers: { cookie } }), 401, 'unauthenticated');
    expectProblem(await farthing.send('GET', '/session/', { headers: { cookie } }), 401, 'unauthenticated');
  }
});

test('D2: a session ends within a second after its key is revoked', async () => {
  const project = await farthing.createProject();
  const { id, api_key: key } = await project.createKey({});
  const page = await signIn(farthing, { api_key: key });
  expectStatus(await page.send('GET', '/api/project/'), 200);
  expectStatus(await farthing.admin('DELETE', `${project.adminPath}/api-keys/${id}/`), 204);
  await poll('the session has ended', { within: 1_000 }, async () => {
    const { status } = await page.send('GET', '/api/project/');
    return status === 401 ? true : undefined;
  });
  expectProblem(await page.send('GET', '/session/'), 401, 'unauthenticated');
  expectProblem(await farthing.send('POST', '/session/', { body: { api_key: key } }), 401, 'unauthenticated');
});

test('D2: a session ends when its key expires', async () => {
  const project = await farthing.createProject();
  const { expiresAt, used: page } = await untilUsedInTime((expires_at) => project.createKey({ expires_at }), {
    lifeMs: 3_000,
    use: async ({ api_key }, end) => {
      const askedAt = Date.now();
      const signedIn = await farthing.send('POST', '/session/', { body: { api_key } });
      expect(expectStatus(signedIn, 200)).toMatchObject({ expires_at: new Date(end).toISOString() });
      const seconds = Number(/; Max-Age=(\d+);/.exec(cookieOf(signedIn))?.[1]);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThan((end - askedAt) / 1_000 + 1);
      const signed = await signIn(farthing, { api_key });
      expectStatus(await signed.send('GET', '/session/'), 200);
      return signed;
    },
  });
  await poll('the session has ended', { within: 5_000, every: 200 }, async () => {
    const { status } = await page.send('GET', '/session/');
    return status === 401 ? true : undefined;
  });
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
});

test('D2: a session ends when its project is deleted', async () => {
  const project = await farthing.createProject();
  const page = await signIn(farthing, { api_key: project.apiKey });
  expectStatus(await farthing.admin('DELETE', `${project.adminPath}/`), 204);
  expectProblem(await page.send('GET', '/api/project/'), 401, 'unauthenticated');
  expectProblem(await page.send('GET', '/session/'), 401, 'unauthenticated');
  const again = await farthing.send('POST', '/session/', { body: { api_key: project.apiKey } });
  expectProblem(again, 401, 'unauthenticated');
});

test('D2: a cookie opens no route of a client', async () => {
  const project = await farthing.createProject();
  const page = await signIn(farthing, { api_key: project.apiKey });
  const event = { event_id: '0198c0de-0000-7000-8000-000000000001', event_type: 'chat.after' };
  expectProblem(await page.send('POST', project.intakePath, { body: event }), 401, 'unauthenticated');
});
