import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault of the query string is reported at once', async () => {
  const project = await farthing.createProject();
  for (const at of ['', 'today', '2026-02-30', '1999-12-31', '2026-11-01T12:00:00', '0']) {
    const answer = await project.api('GET', `/api/models/gpt-4o/price/?at=${at}&colour=red`);
    const { errors = [] } = expectProblem(answer, 400, 'invalid_query');
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/at', '/colour']);
  }
});

test('D26.1: a term that no call can have is a 400: it is longer than 64 characters', async () => {
  const project = await farthing.createProject();
  for (const term of ['service_tier', 'speed', 'geo', 'size']) {
    const ask = async (length: number) =>
      await project.api('GET', `/api/models/gpt-4o/price/?${term}=${encodeURIComponent('😀'.repeat(length))}`);
    expect((await ask(64)).status).toBe(200);
    expectInvalid(await ask(65), [`/${term}`], 'invalid_query');
    const terms = { [term]: 'x'.repeat(65) };
    const set = await project.api('POST', '/api/prices/', { model: 'm', input_per_mtok: 1, output_per_mtok: 1, terms });
    expectInvalid(set, [`/terms/${term}`]);
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
