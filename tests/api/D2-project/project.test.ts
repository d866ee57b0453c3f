import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D2: a key reads its project', async () => {
  const project = await farthing.createProject({
    name: 'mine',
    type: 'internal',
    timezone: 'Europe/Berlin',
    at_risk_below_pct: 5,
  });
  expect(expectStatus(await project.api('GET', '/api/project/'), 200)).toMatchObject(project.record);
  expect(expectStatus(await project.api('GET', '/api/project'), 200)).toMatchObject(project.record);
});

test('D2: the admin token reads the project that Farthing-Project names', async () => {
  const project = await farthing.createProject();
  const read = (headers: Record<string, string>) =>
    farthing.send('GET', '/api/project/', { token: farthing.adminToken, headers });
  expect(expectStatus(await read({ 'Farthing-Project': project.id }), 200)).toMatchObject(project.record);
  expectProblem(await read({ 'Farthing-Project': 'prj_01ARZ3NDEKTSV4RRFFQ69G5FAV' }), 404, 'not_found');
  const withoutHeader = await read({});
  expect([400, 401, 403, 404], withoutHeader.text).toContain(withoutHeader.status);
});

test('D2: without a key it is a 401, with a key that only writes a 403', async () => {
  const project = await farthing.createProject();
  const { api_key: writer } = await project.createKey({ scopes: ['write'] });
  expectProblem(await farthing.send('GET', '/api/project/'), 401, 'unauthenticated');
  expectProblem(await farthing.send('GET', '/api/project/', { token: writer }), 403, 'forbidden');
});

test('D11.2: a key cannot change its project', async () => {
  const project = await farthing.createProject();
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await project.api(method, '/api/project/', {});
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toMatch(/\bGET\b/);
  }
});
