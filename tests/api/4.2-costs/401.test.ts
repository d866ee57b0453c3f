import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const body = { date_from: '2024-05-01', date_to: '2024-05-01' };

test('5: a request without a key is a 401', async () => {
  const answer = await farthing.send('POST', '/api/costs/', { body });
  expectProblem(answer, 401, 'unauthenticated');
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
});

test('D11.2: an invalid key is a 401', async () => {
  const project = await farthing.createProject();
  const authorizations = [
    'Bearer',
    'Bearer ',
    'Bearer nonsense',
    `Bearer fk_${'0'.repeat(32)}`,
    `Bearer ${project.apiKey}x`,
    `Bearer ${project.apiKey.slice(0, -1)}`,
    `Basic ${project.apiKey}`,
    project.apiKey,
    `Bearer ${project.secret}`,
    `Bearer ${'x'.repeat(5000)}`,
  ];
  for (const authorization of authorizations) {
    const answer = await farthing.send('POST', '/api/costs/', { body, headers: { authorization } });
    expectProblem(answer, 401, 'unauthenticated');
  }
});

test('RFC 9110: the name of the scheme is case-insensitive', async () => {
  const project = await farthing.createProject();
  const headers = { authorization: `bearer ${project.apiKey}` };
  expect((await farthing.send('POST', '/api/costs/', { body, headers })).status).toBe(200);
});

test('D11.2: a bad key is reported before a bad body', async () => {
  const answer = await farthing.send('POST', '/api/costs/', { body: { limit: 0 }, token: 'nonsense' });
  expectProblem(answer, 401, 'unauthenticated');
});
