// Access to the routes that only read.
import { beforeAll, expect, test } from 'vitest';
import { type Project, type SendOptions, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

let project: Project;
beforeAll(async () => {
  project = await farthing.createProject();
});

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly options: SendOptions;
  /** A faulty request: the answer must name the missing access first. */
  readonly wrong: { readonly query: string; readonly options: SendOptions };
}

const get = (path: string): Route => ({
  method: 'GET',
  path,
  options: {},
  wrong: { query: '?nonsense=1', options: {} },
});
const routes: readonly Route[] = [
  get('/api/coverage/'),
  get('/api/events/'),
  ...['customers', 'users', 'features', 'models', 'providers'].map((name) => get(`/api/${name}/`)),
  ...['/api/usage/', '/api/changes/'].map(
    (path): Route => ({
      method: 'POST',
      path,
      options: { body: { date_from: '2024-05-01', date_to: '2024-05-01' } },
      wrong: { query: '', options: { body: {} } },
    }),
  ),
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

test.each(routes)('D11.2: $path without a key, or with a wrong one, is a 401', async ({ method, path, wrong }) => {
  expect((await project.api(method, path + wrong.query, undefined, wrong.options)).status).toBe(400);
  for (const token of [undefined, 'nonsense', project.secret]) {
    const answer = await farthing.send(method, path + wrong.query, { ...wrong.options, token });
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  }
});

test.each(routes)('D1.2: $path needs the scope read', async ({ method, path, options }) => {
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expect((await farthing.send(method, path, { ...options, token: reader.api_key })).status).toBe(200);
  expectProblem(await farthing.send(method, path, { ...options, token: writer.api_key }), 403, 'forbidden');
});

test.each(routes)('D11.2: $path with another method is a 405 that names $method', async ({ method, path }) => {
  for (const other of methods.filter((name) => name !== method)) {
    const answer = await project.api(other, path, other === 'GET' ? undefined : {});
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(method === 'GET' ? 'GET, HEAD' : method);
  }
});
