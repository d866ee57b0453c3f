import { test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const price = { model: 'm1', input_per_mtok: 1, output_per_mtok: 1 };

test('D2: prices need a key', async () => {
  expectProblem(await farthing.send('GET', '/api/prices/'), 401, 'unauthenticated');
  expectProblem(await farthing.send('POST', '/api/prices/', { body: price }), 401, 'unauthenticated');
  expectProblem(await farthing.send('DELETE', '/api/prices/x/'), 401, 'unauthenticated');
});

test('D2: reading prices needs read, changing them needs write', async () => {
  const project = await farthing.createProject();
  const id = await project.addPrice(price);
  const [{ api_key: reader }, { api_key: writer }] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expectStatus(await farthing.send('GET', '/api/prices/', { token: reader }), 200);
  expectProblem(await farthing.send('GET', '/api/prices/', { token: writer }), 403, 'forbidden');
  expectProblem(await farthing.send('POST', '/api/prices/', { body: price, token: reader }), 403, 'forbidden');
  expectProblem(await farthing.send('DELETE', `/api/prices/${id}/`, { token: reader }), 403, 'forbidden');
  expectStatus(await farthing.send('POST', '/api/prices/', { body: price, token: writer }), 201);
  expectStatus(await farthing.send('DELETE', `/api/prices/${id}/`, { token: writer }), 204);
});

test('D11.2: a price that does not exist, or is of another project, is a 404', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const id = await other.addPrice(price);
  expectProblem(await project.api('DELETE', '/api/prices/unknown/'), 404, 'not_found');
  expectProblem(await project.api('DELETE', `/api/prices/${id}/`), 404, 'not_found');
  expectStatus(await other.api('DELETE', `/api/prices/${id}/`), 204);
  expectProblem(await other.api('DELETE', `/api/prices/${id}/`), 404, 'not_found');
});
