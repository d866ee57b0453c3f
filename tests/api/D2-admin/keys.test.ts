import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Project, sharedFarthing } from '../../support/client.ts';
import { untilUsedInTime } from '../../support/expiry.ts';
import { findIn } from '../../support/listing.ts';
import { poll } from '../../support/poll.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

const readProject = (token: string) => farthing.send('GET', '/api/project/', { token });

test('D1.2: an API key is fk_ and at least 32 base62 characters, with its own id', async () => {
  const project = await farthing.createProject();
  const made = expectStatus(
    await farthing.admin('POST', `${project.adminPath}/api-keys/`, { name: 'mine', scopes: ['read'] }),
    201,
  );
  expect(made).toMatchObject({
    id: expect.any(String),
    api_key: expect.stringMatching(/^fk_[0-9A-Za-z]{32,}$/),
    name: 'mine',
    scopes: ['read'],
    created_at: expect.any(String),
  });
  const { id, api_key: apiKey } = Object(made);
  expect(apiKey).not.toContain(id);
});

test('D1.4: a key is shown once; a list has its other fields', async () => {
  const project = await farthing.createProject();
  const { id, api_key: apiKey } = await project.createKey({ name: 'listed', scopes: ['read', 'write'] });
  const answer = await farthing.admin('GET', `${project.adminPath}/api-keys/`);
  const listed = findIn(expectStatus(answer, 200), 'id', id);
  expect(listed).toMatchObject({ id, name: 'listed', created_at: expect.any(String) });
  expect(Object.keys(listed ?? {})).toEqual(expect.arrayContaining(['last_used_at', 'expires_at']));
  expect(answer.text).not.toContain(apiKey);
  expect(answer.text).not.toContain(apiKey.slice(3));
});

test('D1.4: a revoked key is refused within a second', async () => {
  const project = await farthing.createProject();
  const { id, api_key: apiKey } = await project.createKey({ scopes: ['read'] });
  // Used first, so that it is in every cache.
  expectStatus(await readProject(apiKey), 200);
  expect((await farthing.admin('DELETE', `${project.adminPath}/api-keys/${id}/`)).status).toBe(204);
  await poll('the key is refused', { within: 1000 }, async () =>
    (await readProject(apiKey)).status === 401 ? true : undefined,
  );
  expectProblem(await readProject(apiKey), 401, 'unauthenticated');
  expectStatus(await readProject(project.apiKey), 200);
});

test('D1.4: an expired key is accepted until it expires, and refused within a second after', async () => {
  const project = await farthing.createProject();
  const { expiresAt, key } = await untilUsedInTime(
    (expires_at) => project.createKey({ scopes: ['read'], expires_at }),
    {
      use: async ({ api_key }) => expectStatus(await readProject(api_key), 200),
      lifeMs: 2_500,
    },
  );
  // An answer before the expiry must be a 200, a request a second after it a 401; between the two either is right.
  for (let askedAt = 0; askedAt < expiresAt + 1_000; await pause(250)) {
    askedAt = Date.now();
    const { status } = await readProject(key.api_key);
    if (Date.now() < expiresAt) expect(status).toBe(200);
    if (askedAt >= expiresAt + 1_000) expect(status).toBe(401);
  }
});

test('D1.2: a key reads its own project only', async () => {
  const [one, other] = await Promise.all([farthing.createProject({ name: 'one' }), farthing.createProject()]);
  await other.post(costEvent({ cost: 1 }));
  expect(expectStatus(await readProject(one.apiKey), 200)).toMatchObject({ id: one.id });
  expect(await one.totalCost()).toBe(0);
  // Only the admin token can name a project in the header; a key stays with its own.
  const answer = await farthing.send('GET', '/api/project/', {
    token: one.apiKey,
    headers: { 'Farthing-Project': other.id },
  });
  if (answer.status === 200) expect(answer.body).toMatchObject({ id: one.id });
  else expect([400, 401, 403, 404], answer.text).toContain(answer.status);
});

test('D2: a key of one project cannot be revoked through another', async () => {
  const [one, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const { id, api_key: apiKey } = await one.createKey({ scopes: ['read'] });
  expectProblem(await farthing.admin('DELETE', `${other.adminPath}/api-keys/${id}/`), 404, 'not_found');
  expectStatus(await readProject(apiKey), 200);
});

test('D11.2: a key that does not exist, or no longer does, is a 404', async () => {
  const project = await farthing.createProject();
  expectProblem(await farthing.admin('DELETE', `${project.adminPath}/api-keys/unknown/`), 404, 'not_found');
});

test('D11.1: every fault of a key is reported at once', async () => {
  const project = await farthing.createProject();
  const answer = await farthing.admin('POST', `${project.adminPath}/api-keys/`, {
    name: 5,
    scopes: ['read', 'rule'],
    expires_at: 'never',
    colour: 'red',
  });
  expectInvalid(answer, ['/name', '/scopes/1', '/expires_at', '/colour']);
});

async function postWith(project: Project, token: string, clientId = project.clientId): Promise<number> {
  const answer = await farthing.send('POST', `/intake/${clientId}/`, { body: costEvent({ cost: 1 }), token });
  return answer.status;
}

test('D1.3: a client has a UUID and a secret that starts with fs_', async () => {
  const project = await farthing.createProject();
  expect(project.clientId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  expect(project.secret).toMatch(/^fs_[0-9A-Za-z]{32,}$/);
});

test('D1.4: secrets are not listed', async () => {
  const project = await farthing.createProject();
  const { id, secret } = await project.createSecret(project.clientId);
  const answer = await farthing.admin('GET', `${project.adminPath}/clients/`);
  const listed = findIn(expectStatus(answer, 200), 'client_id', project.clientId);
  expect(listed).toBeDefined();
  expect(findIn(listed, 'id', id)).toMatchObject({ id, created_at: expect.any(String) });
  for (const hidden of [project.secret, secret]) {
    expect(answer.text).not.toContain(hidden);
    expect(answer.text).not.toContain(hidden.slice(3));
  }
});

test('D1.3: a secret is rotated without downtime', async () => {
  const project = await farthing.createProject();
  const created = expectStatus(await farthing.admin('POST', `${project.adminPath}/clients/`, {}), 201);
  const { client_id: clientId, secret: old } = Object(created);
  const listed = expectStatus(await farthing.admin('GET', `${project.adminPath}/clients/`), 200);
  const oldIds = idsIn(findIn(listed, 'client_id', clientId));
  expect(oldIds).toHaveLength(1);

  const next = await project.createSecret(clientId);
  expect([await postWith(project, old, clientId), await postWith(project, next.secret, clientId)]).toEqual([200, 200]);
  const revocation = await farthing.admin('DELETE', `${project.adminPath}/clients/${clientId}/secrets/${oldIds[0]}/`);
  expect(revocation.status).toBe(204);
  await poll('the old secret is refused', { within: 1000 }, async () =>
    (await postWith(project, old, clientId)) === 401 ? true : undefined,
  );
  expect(await postWith(project, next.secret, clientId)).toBe(200);
});

/** Every `id` in a listing. */
function idsIn(listing: unknown): string[] {
  if (typeof listing !== 'object' || listing === null) return [];
  return Object.entries(listing).flatMap(([name, value]) =>
    name === 'id' && typeof value === 'string' ? [value] : idsIn(value),
  );
}

test('D2: a revoked client can send no more events; its earlier events stay', async () => {
  const project = await farthing.createProject();
  const other = await project.createClient();
  expect(await postWith(project, project.secret)).toBe(200);
  const answer = await farthing.admin('DELETE', `${project.adminPath}/clients/${project.clientId}/`);
  expect(answer.status).toBe(204);
  await poll('the client is refused', { within: 1000 }, async () =>
    (await postWith(project, project.secret)) === 401 ? true : undefined,
  );
  expect(await postWith(project, other.secret, other.client_id)).toBe(200);
  expect(await project.totalCost()).toBeGreaterThanOrEqual(2);
});

test('D2: the secret of one client is not valid for another', async () => {
  const project = await farthing.createProject();
  const other = await project.createClient();
  expect(await postWith(project, other.secret, project.clientId)).toBe(401);
  expect(await postWith(project, project.secret, other.client_id)).toBe(401);
});

test('D11.2: clients and secrets that do not exist are a 404', async () => {
  const [project, stranger] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const { id } = await project.createSecret(project.clientId);
  const unknown = crypto.randomUUID();
  for (const path of [
    `${project.adminPath}/clients/${unknown}/`,
    `${project.adminPath}/clients/nonsense/`,
    `${project.adminPath}/clients/${stranger.clientId}/`,
    `${project.adminPath}/clients/${project.clientId}/secrets/unknown/`,
    `${stranger.adminPath}/clients/${project.clientId}/`,
    `${stranger.adminPath}/clients/${project.clientId}/secrets/${id}/`,
    `${stranger.adminPath}/clients/${stranger.clientId}/secrets/${id}/`,
  ]) {
    const answer = await farthing.admin('DELETE', path);
    expect([path, answer.status]).toEqual([path, 404]);
    expectProblem(answer, 404, 'not_found');
  }
  const secrets = await farthing.admin('POST', `${project.adminPath}/clients/${unknown}/secrets/`, {});
  expectProblem(secrets, 404, 'not_found');
  expect(await postWith(project, project.secret)).toBe(200);
});
