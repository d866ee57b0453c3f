import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault of the query string is reported at once', async () => {
  const project = await farthing.createProject();
  for (const at of ['', 'today', '2026-02-30', '1999-12-31', '2026-11-01T12:00:00', '0']) {
    const answer = await project.api('GET', `/api/models/gpt-4o/price/?at=${at}&colour=red`);
    const { errors = [] } = expectProblem(answer, 400, 'invalid_query');
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/at', '/colour']);
  }
});

test('D2: a model without a price is a 404 that says how to set one', async () => {
  const project = await farthing.createProject();
  const ask = async (model: string, query = '') =>
    expectProblem(
      await project.api('GET', `/api/models/${encodeURIComponent(model)}/price/${query}`),
      404,
      'not_found',
    );
  const { detail } = await ask('nobody/knows "me"');
  expect(detail).toContain('POST /api/prices/');
  expect(detail).toContain(JSON.stringify({ model: 'nobody/knows "me"' }));
  expect((await ask('gpt-4o', '?provider=nobody')).detail).toContain('"nobody"');
  expectProblem(await project.api('GET', '/api/models/%ff/price/'), 404, 'not_found');
});
