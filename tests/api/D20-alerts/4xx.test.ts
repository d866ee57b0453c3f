import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { listAlerts } from './support.ts';

const farthing = sharedFarthing();

test.each([
  ['an unknown field', 'budget', { colour: 'red' }, ['/colour']],
  ['a setting of another kind', 'budget', { days: 3, factor: 2 }, ['/days', '/factor']],
  ['a text in the place of a number', 'no_events', { factor: '2' }, ['/factor']],
  ['numbers out of their bounds', 'no_events', { factor: 0.5, least_minutes: 14 }, ['/factor', '/least_minutes']],
  ['a fraction of a day', 'credit_ending', { days: 1.5 }, ['/days']],
  ['no days at all', 'unpriced_model', { days: 0, least_calls: 0 }, ['/days', '/least_calls']],
  ['a margin above 100 %', 'unprofitable_customer', { margin_below_pct: 100.1 }, ['/margin_below_pct']],
])('D11.1: %s is a 400, and nothing changes', async (_name, kind, body, pointers) => {
  const project = await farthing.createProject();
  const before = await listAlerts(project);
  expectInvalid(await project.api('PUT', `/api/alerts/${kind}/`, body), pointers);
  expect(await listAlerts(project)).toEqual(before);
});

test.each([
  ['?kind=weather', ['/kind']],
  ['?state=closed', ['/state']],
  ['?limit=0', ['/limit']],
  ['?limit=1001', ['/limit']],
  ['?colour=red&kind=x', ['/colour', '/kind']],
])('D11.1: firings with the query %s are a 400', async (query, pointers) => {
  const project = await farthing.createProject();
  const answer = await project.api('GET', `/api/alerts/firings/${query}`);
  const { errors = [] } = expectProblem(answer, 400, 'invalid_query');
  expect(errors.map(({ pointer }) => pointer).sort()).toEqual(pointers);
});

test('D6.4: a cursor is valid for its own question alone', async () => {
  const project = await farthing.createProject();
  for (const cursor of ['x', Buffer.from('["a","1","b"]').toString('base64url')]) {
    expectProblem(await project.api('GET', `/api/alerts/firings/?cursor=${cursor}`), 400, 'invalid_cursor');
  }
});

test('D2: alerts need a key; reading needs read, changing needs write', async () => {
  const project = await farthing.createProject();
  const [{ api_key: reader }, { api_key: writer }] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  for (const path of ['/api/alerts/', '/api/alerts/firings/']) {
    expectProblem(await farthing.send('GET', path), 401, 'unauthenticated');
    expectProblem(await farthing.send('GET', path, { token: writer }), 403, 'forbidden');
    expectStatus(await farthing.send('GET', path, { token: reader }), 200);
  }
  const change = { body: { enabled: false } };
  expectProblem(await farthing.send('PUT', '/api/alerts/budget/', change), 401, 'unauthenticated');
  expectProblem(await farthing.send('PUT', '/api/alerts/budget/', { ...change, token: reader }), 403, 'forbidden');
  expectStatus(await farthing.send('PUT', '/api/alerts/budget/', { ...change, token: writer }), 200);
});

test('D11.2: an unknown kind is a 404', async () => {
  const project = await farthing.createProject();
  expectProblem(await project.api('PUT', '/api/alerts/weather/', { enabled: false }), 404, 'not_found');
});
