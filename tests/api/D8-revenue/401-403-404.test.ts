import { test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { addRevenue } from '../../support/margin.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const entry = { external_id: 'a', customer: 'acme', amount: 1, date_from: '2024-05-01' };
const body = { entries: [entry] };

test('D2: revenue needs a key', async () => {
  expectProblem(await farthing.send('GET', '/api/revenue/'), 401, 'unauthenticated');
  expectProblem(await farthing.send('POST', '/api/revenue/', { body }), 401, 'unauthenticated');
  expectProblem(await farthing.send('DELETE', '/api/revenue/a/'), 401, 'unauthenticated');
});

test('D2: reading revenue needs read, changing it needs write', async () => {
  const project = await farthing.createProject();
  const [{ api_key: reader }, { api_key: writer }] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expectProblem(await farthing.send('POST', '/api/revenue/', { body, token: reader }), 403, 'forbidden');
  expectStatus(await farthing.send('POST', '/api/revenue/', { body, token: writer }), 200);
  expectProblem(await farthing.send('GET', '/api/revenue/', { token: writer }), 403, 'forbidden');
  expectStatus(await farthing.send('GET', '/api/revenue/', { token: reader }), 200);
  expectProblem(await farthing.send('DELETE', '/api/revenue/a/', { token: reader }), 403, 'forbidden');
  expectStatus(await farthing.send('DELETE', '/api/revenue/a/', { token: writer }), 204);
});

test('D11.2: an entry that does not exist, or is of another project, is a 404', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await addRevenue(other, entry);
  for (const id of ['a', 'unknown', 'x'.repeat(257), '%00', '%FF', 'x'.repeat(9_000)]) {
    expectProblem(await project.api('DELETE', `/api/revenue/${id}/`), 404, 'not_found');
  }
  expectStatus(await other.api('DELETE', '/api/revenue/a/'), 204);
});
