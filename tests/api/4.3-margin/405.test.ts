import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('4: %s of margin is a 405 that names POST', async (method) => {
  const project = await farthing.createProject();
  const answer = await project.api(method, '/api/margin/', method === 'GET' ? undefined : {});
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toBe('POST');
});
