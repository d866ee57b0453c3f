import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const body = { date_from: '2024-05-01', date_to: '2024-05-01' };

test('5: a request without a key is a 401', async () => {
  const answer = await farthing.send('POST', '/api/margin/', { body });
  expectProblem(answer, 401, 'unauthenticated');
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
});

test('D11.2: an invalid key is a 401', async () => {
  const project = await farthing.createProject();
  const authorizations = ['Bearer', 'Bearer nonsense', `Bearer ${project.apiKey}x`, `Bearer ${project.secret}`];
  for (const authorization of authorizations) {
    const answer = await farthing.send('POST', '/api/margin/', { body, headers: { authorization } });
    expectProblem(answer, 401, 'unauthenticated');
  }
});

test('D11.2: a bad key is reported before a bad body', async () => {
  const answer = await farthing.send('POST', '/api/margin/', { body: { limit: 0 }, token: 'nonsense' });
  expectProblem(answer, 401, 'unauthenticated');
});
