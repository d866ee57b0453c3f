import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';
import { expectProblem } from '../../support/problem.ts';
import { addGrant, listGrants } from './support.ts';

const farthing = sharedFarthing();
const path = '/api/credit-grants/';
const grant = { provider: 'p', amount: 1, starts_on: '2024-01-01' };

test('D2: credit grants need a key', async () => {
  expectProblem(await farthing.send('GET', path), 401, 'unauthenticated');
  expectProblem(await farthing.send('POST', path, { body: grant }), 401, 'unauthenticated');
  expectProblem(await farthing.send('DELETE', `${path}x/`), 401, 'unauthenticated');
});

test('D2: reading grants needs read, changing them needs write', async () => {
  const project = await farthing.createProject();
  const { id } = await addGrant(project);
  const [{ api_key: reader }, { api_key: writer }] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expectStatus(await farthing.send('GET', path, { token: reader }), 200);
  expectProblem(await farthing.send('GET', path, { token: writer }), 403, 'forbidden');
  expectProblem(await farthing.send('POST', path, { body: grant, token: reader }), 403, 'forbidden');
  expectProblem(await farthing.send('DELETE', `${path}${id}/`, { token: reader }), 403, 'forbidden');
  expectStatus(await farthing.send('POST', path, { body: grant, token: writer }), 201);
  expectStatus(await farthing.send('DELETE', `${path}${id}/`, { token: writer }), 204);
  expect(await listGrants(project)).toHaveLength(1);
});

test('D11.2: a grant that does not exist, or is of another project, is a 404', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const { id } = await addGrant(other);
  expectProblem(await project.api('DELETE', `${path}unknown/`), 404, 'not_found');
  expectProblem(await project.api('DELETE', `${path}${id}/`), 404, 'not_found');
  expectStatus(await other.api('DELETE', `${path}${id}/`), 204);
  expectProblem(await other.api('DELETE', `${path}${id}/`), 404, 'not_found');
});

// In the usual form tests/credits/most-grants.test.ts asks the same of the route, without a service.
const grantsToFill = usualOrLong([], [grant]);

test.each(grantsToFill)('D7.1: a project has at most 1,000 grants, even over HTTP', async (given) => {
  const project = await farthing.createProject();
  const post = () => project.api('POST', path, given);
  const inTurn = async (count: number) => {
    for (let index = 0; index < count; index += 1) expectStatus(await post(), 201);
  };
  await Promise.all([inTurn(249), inTurn(249), inTurn(249), inTurn(249)]);
  const statuses = (await Promise.all(Array.from({ length: 8 }, post))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 201, 201, 201, 409, 409, 409, 409]);
  expectProblem(await post(), 409, 'conflict');
  const [first] = await listGrants(project);
  expectStatus(await project.api('DELETE', `${path}${first?.id}/`), 204);
  expectStatus(await post(), 201);
  expect(await listGrants(project)).toHaveLength(1_000);
});
