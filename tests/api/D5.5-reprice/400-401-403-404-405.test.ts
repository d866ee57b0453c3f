import { test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const path = '/api/prices/reprice/';

test('D11.1: every fault of a reprice is reported', async () => {
  const project = await farthing.createProject();
  expectInvalid(await project.api('POST', path, {}), ['/date_from']);
  expectInvalid(await project.api('POST', path, { date_from: '2024-02-30', date_to: 5, dry_run: 'no', days: 1 }), [
    '/date_from',
    '/date_to',
    '/dry_run',
    '/days',
  ]);
  expectInvalid(await project.api('POST', path, { date_from: '2024-05-02', date_to: '2024-05-01' }), ['/date_from']);
  expectInvalid(await project.api('POST', path, { date_from: '2001-01-01', date_to: '2024-05-01' }), ['/date_from']);
  expectProblem(await project.api('POST', path, undefined, { raw: '{' }), 400, 'invalid_json');
});

test('D2: reprices need a key: read to read them, write to start one', async () => {
  const project = await farthing.createProject();
  const { api_key: reader } = await project.createKey({ scopes: ['read'] });
  const { api_key: writer } = await project.createKey({ scopes: ['write'] });
  const body = { date_from: '2024-05-14' };
  expectProblem(await farthing.send('POST', path, { body }), 401, 'unauthenticated');
  expectProblem(await farthing.send('GET', '/api/prices/reprices/'), 401, 'unauthenticated');
  expectProblem(await farthing.send('POST', path, { body, token: reader }), 403, 'forbidden');
  expectProblem(await farthing.send('GET', '/api/prices/reprices/', { token: writer }), 403, 'forbidden');
  expectProblem(await farthing.send('GET', '/api/prices/reprices/x/', { token: writer }), 403, 'forbidden');
});

test('D11.2: a reprice that does not exist is a 404, another method a 405', async () => {
  const project = await farthing.createProject();
  expectProblem(await project.api('GET', '/api/prices/reprices/rbd_unknown/'), 404, 'not_found');
  expectProblem(await project.api('GET', path), 405, 'method_not_allowed');
  expectProblem(await project.api('DELETE', '/api/prices/reprices/'), 405, 'method_not_allowed');
});
