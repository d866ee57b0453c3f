import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('4.5: %s of the intake is a 405 that names POST', async (method) => {
  const project = await farthing.createProject();
  const answer = await farthing.send(method, project.intakePath, {
    token: project.secret,
    ...(method !== 'GET' && { body: {} }),
  });
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toBe('POST');
});
