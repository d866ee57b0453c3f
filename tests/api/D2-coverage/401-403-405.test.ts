import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const path = '/api/coverage/';

test('D11.2: without a key, or with a wrong one, it is a 401', async () => {
  const project = await farthing.createProject();
  for (const token of [undefined, 'nonsense', project.secret]) {
    const answer = await farthing.send('GET', `${path}?nonsense=1`, { token });
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  }
});

test('D1.2: it needs the scope read', async () => {
  const project = await farthing.createProject();
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expect((await farthing.send('GET', path, { token: reader.api_key })).status).toBe(200);
  expectProblem(await farthing.send('GET', path, { token: writer.api_key }), 403, 'forbidden');
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('D11.2: %s is a 405 that names GET', async (method) => {
  const project = await farthing.createProject();
  const answer = await project.api(method, path, {});
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toMatch(/\bGET\b/);
});
