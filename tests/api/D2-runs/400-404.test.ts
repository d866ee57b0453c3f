import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault of the query string is reported at once', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('GET', '/api/runs/r/?limit=1001&colour=red');
  const { errors = [] } = expectProblem(answer, 400, 'invalid_query');
  expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/colour', '/limit']);
  for (const limit of ['0', '-1', '1.5', 'x', '', '1e2', '0x10']) {
    expectProblem(await project.api('GET', `/api/runs/r/?limit=${limit}`), 400, 'invalid_query');
  }
  expectProblem(await project.api('GET', '/api/runs/r/?cursor=x'), 400, 'invalid_cursor');
});

test('D11.2: a run without calls is a 404', async () => {
  const project = await farthing.createProject();
  expectProblem(await project.api('GET', '/api/runs/nobody/'), 404, 'not_found');
  expectProblem(await project.api('GET', '/api/runs/%ff/'), 404, 'not_found');
  expectProblem(await project.api('GET', '/api/runs/'), 404, 'not_found');
});
