import { expect, test } from 'vitest';
import { expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { once } from '../../support/once.ts';
import { createInternalProject } from '../../support/performance.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
/** Of the tests that add no metric to it. */
const sharedProject = once(() => createInternalProject(farthing));
const count = { event_type: 'e', aggregation: 'count' };

const faulty: readonly (readonly [string, Json, string[]])[] = [
  ['an empty object', {}, ['/event_type', '/aggregation']],
  ['an unknown field', { ...count, colour: 'red' }, ['/colour']],
  ['an unknown aggregation', { ...count, aggregation: 'average' }, ['/aggregation']],
  ['an empty event type', { ...count, event_type: '' }, ['/event_type']],
  ['an event type of 201 characters', { ...count, event_type: 'x'.repeat(201) }, ['/event_type']],
  ['count with a field', { ...count, field: '/x' }, ['/field']],
  ['count with an empty field', { ...count, field: '' }, ['/field']],
  ['sum without a field', { ...count, aggregation: 'sum' }, ['/field']],
  ['unique with null for a field', { ...count, aggregation: 'unique', field: null }, ['/field']],
  ['a field that is not a JSON Pointer', { ...count, aggregation: 'sum', field: 'x' }, ['/field']],
  ['a field with a bare ~', { ...count, aggregation: 'sum', field: '/a~2' }, ['/field']],
  ['no features', { ...count, features: [] }, ['/features']],
  ['1,001 features', { ...count, features: Array.from({ length: 1001 }, () => 'f') }, ['/features']],
  ['features that are no texts', { ...count, features: ['a', 1, null] }, ['/features/1', '/features/2']],
  ['a unit of 65 characters', { ...count, unit: 'x'.repeat(65) }, ['/unit']],
  [
    'every fault at once',
    { event_type: 5, aggregation: 'sum', features: {}, unit: 1, x: 1 },
    ['/event_type', '/features', '/unit', '/x', '/field'],
  ],
];

test.each(faulty)('D11.1: %s is a 400', async (_name, body, pointers) => {
  const project = await sharedProject();
  expectInvalid(await project.putMetric('m', body), pointers);
  expectProblem(await project.api('GET', '/api/key-metrics/m/'), 404, 'not_found');
});

test.each(['before', 'after', 'error', 'llm.before', 'a.b.after', '.error'])(
  'D9.1: %s is not a custom event, and the 400 says why',
  async (event_type) => {
    const project = await sharedProject();
    const problem = expectInvalid(await project.putMetric('m', { ...count, event_type }), ['/event_type']);
    expect(problem.errors?.[0]?.message).toMatch(/^must not end in before, after or error: .*custom/);
  },
);

test.each([
  ['of 129 characters', 'x'.repeat(129)],
  ['with a NUL', 'a\0b'],
])('D9.1: a name %s is a 400', async (_name, name) => {
  const project = await sharedProject();
  expectInvalid(await project.putMetric(name, count), ['/name']);
});

test('D9.1: a project has at most 100 key metrics', async () => {
  const project = await createInternalProject(farthing);
  const names = Array.from({ length: 100 }, (_, index) => `m${index}`);
  const answers = await Promise.all(names.map((name) => project.putMetric(name, count)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expectProblem(await project.putMetric('one more', count), 409, 'conflict');
  // Replacing a metric adds none, and deleting one makes room.
  expectStatus(await project.putMetric('m0', { ...count, unit: 'x' }), 200);
  expectStatus(await project.api('DELETE', '/api/key-metrics/m1/'), 204);
  expectStatus(await project.putMetric('one more', count), 201);
});

test('D2: reading needs the scope read, and writing the scope write', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ m: count });
  const [reader, writer] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  const path = '/api/key-metrics/m/';
  for (const readable of [path, '/api/key-metrics/']) {
    expectStatus(await farthing.send('GET', readable, { token: reader.api_key }), 200);
    expectProblem(await farthing.send('GET', readable, { token: writer.api_key }), 403, 'forbidden');
    expectProblem(await farthing.send('GET', readable), 401, 'unauthenticated');
  }
  expectProblem(await farthing.send('PUT', path, { body: count, token: reader.api_key }), 403, 'forbidden');
  expectProblem(await farthing.send('DELETE', path, { token: reader.api_key }), 403, 'forbidden');
  expectProblem(await farthing.send('PUT', path, { body: count }), 401, 'unauthenticated');
  expectStatus(await farthing.send('PUT', path, { body: count, token: writer.api_key }), 200);
  expectStatus(await farthing.send('DELETE', path, { token: writer.api_key }), 204);
});

test('D11.2: other methods are a 405', async () => {
  const project = await createInternalProject(farthing);
  const answer = await project.api('POST', '/api/key-metrics/m/', count);
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, PUT');
});
