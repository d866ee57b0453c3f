import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { once } from '../../support/once.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const sharedProject = once(() => farthing.createProject());

test('D11.1: an unknown route is a 404, with a key and without one', async () => {
  const project = await farthing.createProject();
  for (const path of ['/nothing', '/api/', '/api/nothing/', '/api/costs/more/', '/intake/', '/index.html', '/%ff']) {
    for (const token of [undefined, project.apiKey]) {
      const answer = await farthing.send('GET', path, { token });
      // A path that is not UTF-8 may also be a bad request.
      if (path === '/%ff') expect([400, 404], answer.text).toContain(answer.status);
      else if (answer.status !== 401) expectProblem(answer, 404, 'not_found');
      else expectProblem(answer, 401, 'unauthenticated');
    }
  }
});

test('D11.1: a path with an id that nothing can have is a 404 that says why', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('GET', '/api/prices/reprices/a%20b/');
  const { detail } = expectProblem(answer, 404, 'not_found');
  expect(detail).toBe('Nothing has this path: id must be printable ASCII without spaces.');
});

test('D11.1: paths are case-sensitive', async () => {
  const project = await farthing.createProject();
  expectProblem(await project.api('POST', '/API/costs/', {}), 404, 'not_found');
});

test('D11.1: every problem has its own request id', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => farthing.send('POST', '/api/costs/', { body: {} })),
  );
  const ids = answers.map((answer) => expectProblem(answer, 401, 'unauthenticated').request_id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('D11.1: detail says how to fix an invalid body', async () => {
  const project = await farthing.createProject();
  const problem = expectProblem(
    await project.postCosts({ date_from: '2024-05-01', aggregate: 'hour' }),
    400,
    'invalid_body',
  );
  expect(problem.errors).toEqual([
    { pointer: '/aggregate', code: 'invalid_value', message: expect.stringMatching(/quarter/) },
  ]);
});

test.each([
  ['/api/costs/', '{"date_from":'],
  ['/api/costs/', ''],
  ['/api/costs/', 'date_from=2024-01-01'],
  ['/api/customer-tags/', '{"customers":[}'],
  ['/api/prices/', "{'model':'m1'}"],
  ['/api/prices/', '{"model":"m1"}}'],
])('D11.2: %s with a body that is not JSON (%j) is a 400', async (path, raw) => {
  const project = await sharedProject();
  expectProblem(await project.api('POST', path, undefined, { raw }), 400, 'invalid_json');
});

test.each(['[]', 'null', '"text"', '5', 'true', '[{"date_from":"2024-01-01"}]'])(
  'D11.2: a JSON body that is not an object (%s) is a 400 at its root',
  async (raw) => {
    const project = await sharedProject();
    for (const path of ['/api/costs/', '/api/customer-tags/', '/api/prices/']) {
      const problem = expectProblem(await project.api('POST', path, undefined, { raw }), 400, 'invalid_body');
      expect(problem.errors?.map((error) => [error.pointer, error.code])).toEqual([['', 'invalid_type']]);
    }
  },
);

test('D12.1: every answer carries the version of the service', async () => {
  const project = await farthing.createProject();
  const answers = await Promise.all([
    project.postCosts({ date_from: '2024-05-15', date_to: '2024-05-15' }),
    project.postCosts({}),
    project.api('POST', '/api/costs/', undefined, { raw: '{' }),
    project.api('GET', '/api/project/'),
    project.intake({ body: costEvent({ cost: 1 }) }),
    project.intake({ body: {} }),
    farthing.send('POST', project.intakePath, { body: {} }),
    farthing.send('GET', '/nothing/'),
    project.api('GET', '/api/costs/'),
    project.postCosts({}, { contentType: 'text/plain' }),
    farthing.admin('GET', '/admin/projects/'),
    farthing.send('GET', '/healthz'),
    farthing.send('GET', '/readyz'),
    farthing.send('GET', '/metrics'),
    farthing.send('GET', '/openapi.json'),
  ]);
  expect(answers.map((answer) => answer.status)).toEqual([
    200, 400, 400, 200, 200, 400, 401, 404, 405, 415, 200, 200, 200, 200, 200,
  ]);
  const versions = answers.map((answer) => answer.headers.get('farthing-version'));
  expect(new Set(versions).size).toBe(1);
  expect(versions[0]).toMatch(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/);
});

test('D11.2: a confusing request is answered, and never with a 500', async () => {
  const project = await farthing.createProject();
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const event = JSON.stringify(costEvent({ cost: 1 })).slice(0, -1);
  const requests = [
    project.intake({ raw: `${event},"deep":${deep}}` }),
    project.intake({ raw: `[${event},"deep":${deep}}]` }),
    project.intake({ raw: deep }),
    project.intake({ raw: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }),
    project.intake({ raw: `\uFEFF${event}}` }),
    project.intake({ raw: '\0'.repeat(100) }),
    project.intake({ raw: `${event},"tags":{"customer":"nul\\u0000nul"}}` }),
    project.intake({ raw: `${event},"tags":{"customer":"half \\ud83d"}}` }),
    project.api('POST', '/api/costs/', undefined, { raw: deep }),
    project.api('POST', '/api/costs/', undefined, { raw: `{"date_from":${deep}}` }),
    project.postCosts({ date_from: '2024-05-15', customers: ['nul\0nul', 'half \ud83d'] }),
    project.postCosts({ date_from: '2024-05-15', customer_tags: { 'nul\0nul': 'half \ud83d' } }),
    project.postCosts({ date_from: '2024-05-15', run_tags: { 'half \ud83d': ['nul\0nul'] } }),
    project.postTags([{ customer_name: 'nul\0nul', tags: { 'k\0': 'v\0' } }]),
    project.postTags([{ customer_name: 'half \ud83d', tags: { '\ud83d': '\ude00' } }]),
    project.api('POST', '/api/prices/', { model: 'nul\0', provider: '\ud83d', input_per_mtok: 1, output_per_mtok: 1 }),
    project.api('DELETE', '/api/prices/%00/'),
    project.api('DELETE', '/api/prices/%F0%9F%98%80/'),
    farthing.admin('POST', '/admin/projects/', { name: 'nul\0 and half \ud83d' }),
    farthing.admin('PATCH', `${project.adminPath}/`, { name: 'nul\0' }),
    farthing.admin('GET', '/admin/projects/%00/'),
    farthing.admin('POST', `${project.adminPath}/clients/`, { name: 'nul\0' }),
    farthing.admin('POST', `${project.adminPath}/api-keys/`, { name: 'half \ud83d', scopes: ['read'] }),
    farthing.send('POST', '/intake/%00/', { body: {}, token: project.secret }),
    farthing.send('GET', '/api/project/', {
      token: farthing.adminToken,
      headers: { 'Farthing-Project': 'x'.repeat(5000) },
    }),
  ];
  const answers = await Promise.all(requests);
  expect(
    answers.flatMap((answer, index) => (answer.status >= 500 ? [`request ${index}: ${answer.text}`] : [])),
  ).toEqual([]);
  expect((await farthing.send('GET', '/readyz')).status).toBe(200);
});

test('D11.2: text with a NUL or half a surrogate pair comes back unchanged or is refused', async () => {
  const project = await farthing.createProject();
  const customer = 'nul\0nul';
  const answer = await project.intake({ body: costEvent({ cost: 1, tags: { customer } }) });
  if (answer.status !== 200) {
    expectProblem(answer, 400, 'invalid_body');
    return;
  }
  expect(await project.costBy('customer')).toEqual({ [customer]: 1 });
  expect(await project.totalCost({ customers: [customer] })).toBe(1);
  const tagging = await project.postTags([{ customer_name: customer, tags: { plan: 'pro' } }]);
  // If the tag was accepted, its filter must find the call.
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(tagging.status === 200 ? 1 : 0);
});

test('D11.2: a route without a body ignores Content-Type', async () => {
  const project = await farthing.createProject();
  const id = await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  const answer = await fetch(`${farthing.url}/api/prices/${id}/`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${project.apiKey}`, 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(204);
});
