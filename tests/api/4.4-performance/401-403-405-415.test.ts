import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { createInternalProject } from '../../support/performance.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const body = { date_from: '2024-05-01', date_to: '2024-05-01' };

test('5: a request without a key is a 401', async () => {
  const answer = await farthing.send('POST', '/api/performance/', { body });
  expectProblem(answer, 401, 'unauthenticated');
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
});

test('D1.2: performance needs the scope read', async () => {
  const project = await createInternalProject(farthing);
  const { api_key: token } = await project.createKey({ scopes: ['write'] });
  expectProblem(await farthing.send('POST', '/api/performance/', { body, token }), 403, 'forbidden');
});

test('4: another method is a 405 that names POST', async () => {
  const project = await createInternalProject(farthing);
  const answer = await project.api('GET', '/api/performance/');
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toBe('POST');
});

test('4: a body of another type than JSON is a 415', async () => {
  const project = await createInternalProject(farthing);
  expectProblem(await project.postPerformance(body, { contentType: 'text/plain' }), 415, 'unsupported_media_type');
});
