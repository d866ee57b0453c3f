import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const paths = ['customers', 'users', 'features', 'models', 'providers'].map((name) => `/api/${name}/`);

test.each(paths)('D11.2: %s without a key, or with a wrong one, is a 401', async (path) => {
  const project = await farthing.createProject();
  for (const token of [undefined, 'nonsense', project.secret]) {
    const answer = await farthing.send('GET', `${path}?limit=0`, { token });
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  }
});

test.each(paths)('D1.2: %s needs the scope read', async (path) => {
  const project = await farthing.createProject();
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expect((await farthing.send('GET', path, { token: reader.api_key })).status).toBe(200);
  expectProblem(await farthing.send('GET', path, { token: writer.api_key }), 403, 'forbidden');
});

test.each(paths)('D11.2: %s with another method is a 405 that names GET', async (path) => {
  const project = await farthing.createProject();
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await project.api(method, path, {});
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toMatch(/\bGET\b/);
  }
});
