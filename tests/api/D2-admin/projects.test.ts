import { expect, test } from 'vitest';
import { costEvent, expectStatus, send, sharedFarthing, wholeRange } from '../../support/client.ts';
import { findIn } from '../../support/listing.ts';
import { poll } from '../../support/poll.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D1.1: a project has its defaults', async () => {
  const before = Date.now();
  const made = expectStatus(await farthing.admin('POST', '/admin/projects/', { name: 'plain' }), 201);
  expect(made).toMatchObject({ name: 'plain', type: 'revenue', timezone: 'UTC', at_risk_below_pct: null });
  expect(made).toMatchObject({
    id: expect.stringMatching(/^prj_[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
    created_at: expect.any(String),
  });
  const { created_at: createdAt } = Object(made);
  expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before - 1000);
  expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now() + 1000);
});

test('D2: a project has the posted fields when made and when read', async () => {
  const fields = { name: 'Größe 😀', type: 'internal', timezone: 'Asia/Kathmandu', at_risk_below_pct: 12.5 };
  const project = await farthing.createProject(fields);
  expect(project.record).toMatchObject(fields);
  expect(expectStatus(await farthing.admin('GET', `${project.adminPath}/`), 200)).toMatchObject(project.record);
  const listed = expectStatus(await farthing.admin('GET', '/admin/projects/'), 200);
  expect(findIn(listed, 'id', project.id)).toMatchObject(project.record);
});

test('D2: name, timezone and at_risk_below_pct can be changed', async () => {
  const project = await farthing.createProject({ at_risk_below_pct: 10 });
  const path = `${project.adminPath}/`;
  const renamed = expectStatus(await farthing.admin('PATCH', path, { name: 'renamed' }), 200);
  expect(renamed).toMatchObject({ ...project.record, name: 'renamed' });
  expectStatus(await farthing.admin('PATCH', path, { at_risk_below_pct: 25.5 }), 200);
  expect(expectStatus(await farthing.admin('GET', path), 200)).toMatchObject({
    name: 'renamed',
    at_risk_below_pct: 25.5,
  });
  expectStatus(await farthing.admin('PATCH', path, { at_risk_below_pct: null }), 200);
  expect(expectStatus(await farthing.admin('GET', path), 200)).toMatchObject({ at_risk_below_pct: null });
});

test('D2: a new timezone of a project without calls takes effect', async () => {
  const project = await farthing.createProject();
  const path = `${project.adminPath}/`;
  expect((await farthing.admin('PATCH', path, { timezone: 'Asia/Kolkata' })).status).toBeLessThan(300);
  await poll('the timezone is in force', { within: 10_000 }, async () => {
    const body = expectStatus(await farthing.admin('GET', path), 200);
    return Object(body).timezone === 'Asia/Kolkata' ? true : undefined;
  });
  await project.post(costEvent({ cost: 1, timestamp: '2024-05-14T18:30:00Z' }));
  expect(await project.costs({ date_from: '2024-05-15', date_to: '2024-05-15' })).toMatchObject({
    rows: [{ cost: 1 }],
  });
});

test('D2: the type of a project never changes', async () => {
  const project = await farthing.createProject({ type: 'internal' });
  const path = `${project.adminPath}/`;
  expectInvalid(await farthing.admin('PATCH', path, { type: 'revenue', name: 'renamed' }), ['/type']);
  expectInvalid(await farthing.admin('PATCH', path, { type: 'internal' }), ['/type']);
  expect(expectStatus(await farthing.admin('GET', path), 200)).toMatchObject(project.record);
});

test('D2: the fixed fields of a project cannot be changed', async () => {
  const project = await farthing.createProject();
  const fields = { id: 'prj_other', created_at: '2020-01-01T00:00:00Z', pending_timezone: 'UTC' };
  const answer = await farthing.admin('PATCH', `${project.adminPath}/`, fields);
  expectInvalid(answer, ['/id', '/created_at', '/pending_timezone']);
});

test('D2: a deleted project is gone, with its keys and clients, on every route', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1 }));
  expect(await project.totalCost()).toBe(1);
  const deleted = await farthing.admin('DELETE', `${project.adminPath}/`);
  expect([deleted.status, deleted.text]).toEqual([204, '']);

  expectProblem(await farthing.admin('GET', `${project.adminPath}/`), 404, 'not_found');
  expectProblem(await farthing.admin('PATCH', `${project.adminPath}/`, { name: 'x' }), 404, 'not_found');
  expectProblem(await farthing.admin('DELETE', `${project.adminPath}/`), 404, 'not_found');
  expectProblem(await farthing.admin('GET', `${project.adminPath}/clients/`), 404, 'not_found');
  expectProblem(await farthing.admin('POST', `${project.adminPath}/clients/`, {}), 404, 'not_found');
  expectProblem(await farthing.admin('POST', `${project.adminPath}/api-keys/`, {}), 404, 'not_found');
  const listed = expectStatus(await farthing.admin('GET', '/admin/projects/'), 200);
  expect(findIn(listed, 'id', project.id)).toBeUndefined();

  expectProblem(await project.api('GET', '/api/project/'), 401, 'unauthenticated');
  expectProblem(await project.postCosts(wholeRange), 401, 'unauthenticated');
  expectProblem(await project.intake({ body: costEvent({ cost: 1 }) }), 401, 'unauthenticated');
  const asAdmin = await farthing.send('POST', '/api/costs/', {
    body: wholeRange,
    token: farthing.adminToken,
    headers: { 'Farthing-Project': project.id },
  });
  expectProblem(asAdmin, 404, 'not_found');
});

test('D2: deleting one project leaves the others unchanged', async () => {
  const [gone, kept] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await Promise.all([gone, kept].map((project) => project.post(costEvent({ cost: 1, tags: { customer: 'a' } }))));
  await kept.tag({ customer_name: 'a', tags: { plan: 'pro' } });
  expectStatus(await farthing.admin('DELETE', `${gone.adminPath}/`), 204);
  expect(await kept.totalCost({ customer_tags: { plan: 'pro' } })).toBe(1);
  await kept.post(costEvent({ cost: 2, tags: { customer: 'a' } }));
  expect(await kept.totalCost()).toBe(3);
});

test('D11.2: a project that does not exist is a 404', async () => {
  for (const id of ['prj_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'prj_', 'nonsense', '%00', '..%2f..', "'"]) {
    expectProblem(await farthing.admin('GET', `/admin/projects/${id}/`), 404, 'not_found');
  }
});

test('D2: every fault of a new project is reported at once', async () => {
  const answer = await farthing.admin('POST', '/admin/projects/', {
    type: 'external',
    timezone: 'Mars/Olympus',
    at_risk_below_pct: 'low',
    id: 'prj_mine',
  });
  expectInvalid(answer, ['/name', '/type', '/timezone', '/at_risk_below_pct', '/id']);
});

const adminRoutes = [
  ['GET', '/admin/projects/'],
  ['POST', '/admin/projects/'],
  ['GET', '/admin/projects/ID/'],
  ['PATCH', '/admin/projects/ID/'],
  ['DELETE', '/admin/projects/ID/'],
  ['POST', '/admin/projects/ID/clients/'],
  ['GET', '/admin/projects/ID/clients/'],
  ['POST', '/admin/projects/ID/api-keys/'],
  ['GET', '/admin/projects/ID/api-keys/'],
] as const;

test.each(adminRoutes)('D1.5: %s %s takes the admin token only', async (method, path) => {
  const project = await farthing.createProject();
  const url = `${farthing.url}${path.replace('ID', project.id)}`;
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: { name: 'x' } };
  for (const token of [undefined, '', 'nonsense', `${farthing.adminToken}x`, farthing.adminToken.slice(0, -1)]) {
    const answer = await send(method, url, { ...body, token });
    expectProblem(answer, 401, 'unauthenticated');
  }
  for (const token of [project.apiKey, project.secret]) {
    const answer = await send(method, url, { ...body, token });
    expect([401, 403], answer.text).toContain(answer.status);
  }
  expectStatus(await farthing.admin('GET', `${project.adminPath}/`), 200);
});

test('D11.2: an unsupported method is a 405 that names the supported ones', async () => {
  const project = await farthing.createProject();
  for (const [path, allowed] of [
    ['/admin/projects/', ['GET', 'POST']],
    [`${project.adminPath}/`, ['DELETE', 'GET', 'PATCH']],
    [`${project.adminPath}/clients/`, ['GET', 'POST']],
    [`${project.adminPath}/api-keys/`, ['GET', 'POST']],
  ] as const) {
    const answer = await farthing.admin('PUT', path, {});
    expectProblem(answer, 405, 'method_not_allowed');
    const named = (answer.headers.get('allow') ?? '').split(/\s*,\s*/).filter((method) => method !== 'HEAD');
    expect(named.sort()).toEqual(allowed);
  }
});

test('D2: the trailing slash is optional on every route', async () => {
  const project = await farthing.createProject();
  for (const path of [
    '/admin/projects',
    project.adminPath,
    `${project.adminPath}/clients`,
    `${project.adminPath}/api-keys`,
  ]) {
    expectStatus(await farthing.admin('GET', path), 200);
    expectStatus(await farthing.admin('GET', `${path}/`), 200);
  }
  expectStatus(await project.api('GET', '/api/prices'), 200);
  expectStatus(await farthing.admin('PATCH', project.adminPath, { name: 'renamed' }), 200);
  expectStatus(await farthing.admin('POST', `${project.adminPath}/clients/${project.clientId}/secrets`, {}), 201);
  expectStatus(await farthing.admin('DELETE', project.adminPath), 204);
});
