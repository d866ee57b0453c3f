import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';
import { cookieOf, signIn } from './session.ts';

const farthing = sharedFarthing();
const range = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' };

test('D2: signing in with a key sets a cookie with a random id, HttpOnly and SameSite=Strict, for 12 hours', async () => {
  const project = await farthing.createProject({ name: 'signed in' });
  const before = Date.now();
  const answers = await Promise.all(
    [1, 2].map(() => farthing.send('POST', '/session', { body: { api_key: project.apiKey } })),
  );
  const ids = answers.map((answer) => {
    const body = Object(expectStatus(answer, 200));
    expect(body).toMatchObject({ kind: 'key', scopes: ['read', 'write'], project: project.record });
    const hours = (Date.parse(body.expires_at) - before) / 3_600_000;
    expect(hours).toBeGreaterThan(11.99);
    expect(hours).toBeLessThan(12.01);
    const cookie = cookieOf(answer);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).toMatch(/; HttpOnly(;|$)/);
    expect(cookie).toMatch(/; SameSite=Strict(;|$)/);
    expect(cookie).toMatch(/; Max-Age=(43200|43199)(;|$)/);
    // The request came over plain HTTP, and no proxy is trusted.
    expect(cookie).not.toMatch(/Secure/);
    expect(answer.text).not.toContain(project.apiKey);
    // 32 bytes in base64url.
    return /^farthing_session=([\w-]{43});/.exec(cookie)?.[1];
  });
  expect(ids[0]).toBeDefined();
  expect(ids[0]).not.toBe(ids[1]);
});

test('D2: a session reads and writes its project like its key', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await project.post(costEvent({ cost: 3 }));
  const page = await signIn(farthing, { api_key: project.apiKey });
  expect(expectStatus(await page.send('GET', '/api/project/'), 200)).toMatchObject({ id: project.id });
  expect(expectStatus(await page.send('POST', '/api/costs/', { body: range }), 200)).toMatchObject({
    rows: [{ cost: 3 }],
  });
  const tagged = { customers: [{ customer_name: 'acme', tags: { plan: 'pro' } }] };
  expectStatus(await page.send('POST', '/api/customer-tags/', { body: tagged }), 200);
  // The session stays with the project of its key, for any value of the header.
  const named = await page.send('GET', '/api/project/', { headers: { 'Farthing-Project': other.id } });
  expect(expectStatus(named, 200)).toMatchObject({ id: project.id });
});

test('D2: a session of a read-only key cannot write, and a session of a key has no admin access', async () => {
  const project = await farthing.createProject();
  const { api_key: reader } = await project.createKey({ scopes: ['read'] });
  const page = await signIn(farthing, { api_key: reader });
  expectStatus(await page.send('POST', '/api/costs/', { body: range }), 200);
  expectProblem(await page.send('POST', '/api/customer-tags/', { body: { customers: [] } }), 403, 'forbidden');
  expectProblem(await page.send('GET', '/admin/projects/'), 401, 'unauthenticated');
});

test('D2: a session of the admin token has admin access, and names a project by Farthing-Project', async () => {
  const project = await farthing.createProject();
  const answer = await farthing.send('POST', '/session/', { body: { admin_token: farthing.adminToken } });
  expect(answer.body).toEqual({ kind: 'admin', expires_at: expect.any(String) });
  const page = await signIn(farthing, { admin_token: farthing.adminToken });
  expectStatus(await page.send('GET', `${project.adminPath}/`), 200);
  expectStatus(await page.send('PATCH', `${project.adminPath}/`, { body: { name: 'renamed' } }), 200);
  expectProblem(await page.send('GET', '/api/project/'), 403, 'forbidden');
  const named = await page.send('GET', '/api/project/', { headers: { 'Farthing-Project': project.id } });
  expect(expectStatus(named, 200)).toMatchObject({ id: project.id, name: 'renamed' });
});

test('D2: GET /session/ says who is signed in', async () => {
  const project = await farthing.createProject();
  const page = await signIn(farthing, { api_key: project.apiKey });
  expect(expectStatus(await page.send('GET', '/session/'), 200)).toMatchObject({
    kind: 'key',
    project: { id: project.id },
    scopes: ['read', 'write'],
  });
  expectProblem(await farthing.send('GET', '/session/'), 401, 'unauthenticated');
});

test('D2: DELETE /session/ ends the session and clears the cookie', async () => {
  const project = await farthing.createProject();
  const [page, other] = await Promise.all([1, 2].map(() => signIn(farthing, { api_key: project.apiKey })));
  if (!page || !other) throw new Error('there are two sessions');
  expectStatus(await page.send('GET', '/session/'), 200);
  const signedOut = await page.send('DELETE', '/session/');
  expectStatus(signedOut, 204);
  expect(cookieOf(signedOut)).toMatch(/^farthing_session=; Max-Age=0; Path=\//);
  expectProblem(await page.send('GET', '/session/'), 401, 'unauthenticated');
  expectProblem(await page.send('GET', '/api/project/'), 401, 'unauthenticated');
  // Other sessions of the key continue, and signing out twice succeeds.
  expectStatus(await other.send('GET', '/session/'), 200);
  expectStatus(await page.send('DELETE', '/session/'), 204);
  expectStatus(await farthing.send('DELETE', '/session/'), 204);
});

test('D2: an Authorization header wins over the cookie', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const page = await signIn(farthing, { api_key: project.apiKey });
  const both = await page.send('GET', '/api/project/', { token: other.apiKey });
  expect(expectStatus(both, 200)).toMatchObject({ id: other.id });
  expectProblem(await page.send('GET', '/api/project/', { token: 'fk_none' }), 401, 'unauthenticated');
  const basic = await page.send('GET', '/api/project/', { headers: { authorization: 'Basic YTpi' } });
  expectProblem(basic, 401, 'unauthenticated');
  // With an Authorization header no Origin is needed.
  const body = { customers: [{ customer_name: 'acme', tags: { plan: 'pro' } }] };
  const written = await farthing.send('POST', '/api/customer-tags/', {
    body,
    token: other.apiKey,
    headers: { cookie: page.cookie, origin: 'https://elsewhere.example' },
  });
  expectStatus(written, 200);
});
