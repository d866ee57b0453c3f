import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { createInternalProject, type InternalProject } from '../../support/performance.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const listing = z.strictObject({ key_metrics: z.array(z.looseObject({ name: z.string(), created_at: z.string() })) });

const list = async (project: InternalProject) =>
  listing.parse(expectStatus(await project.api('GET', '/api/key-metrics/'), 200)).key_metrics;

const full = {
  event_type: 'ticket.resolved',
  aggregation: 'sum',
  field: '/data/a~1b/0',
  features: ['', 'support'],
  unit: 'ticket',
};

test('D9.1: a key metric is made, read, replaced whole and deleted', async () => {
  const project = await createInternalProject(farthing);
  const path = '/api/key-metrics/tickets/';
  const made = expectStatus(await project.putMetric('tickets', full), 201);
  expect(made).toEqual({ name: 'tickets', ...full, created_at: expect.any(String), updated_at: expect.any(String) });
  expect(expectStatus(await project.api('GET', path), 200)).toEqual(made);
  expect(await list(project)).toEqual([made]);

  const replaced = expectStatus(await project.putMetric('tickets', { event_type: 'e', aggregation: 'count' }), 200);
  expect(replaced).toMatchObject({ event_type: 'e', aggregation: 'count', field: null, features: null, unit: null });
  expect(replaced).toMatchObject(z.object({ created_at: z.string() }).parse(made));
  expect(expectStatus(await project.api('GET', path), 200)).toEqual(replaced);

  expectStatus(await project.api('DELETE', path), 204);
  expectProblem(await project.api('GET', path), 404, 'not_found');
  expectProblem(await project.api('DELETE', path), 404, 'not_found');
  expect(await list(project)).toEqual([]);
});

test('D9.1: null counts as absent', async () => {
  const project = await createInternalProject(farthing);
  const nulls = { event_type: 'e', aggregation: 'count', field: null, features: null, unit: null };
  expect(expectStatus(await project.putMetric('m', nulls), 201)).toMatchObject(nulls);
});

test('D6.3: key metrics are listed by their names in code-point order', async () => {
  const project = await createInternalProject(farthing);
  const names = ['😀', 'ﬁ', 'b', 'B', 'a/b', '__proto__', 'ä', '10', '9', '%', 'x'.repeat(128)];
  for (const name of names) {
    expectStatus(await project.putMetric(name, { event_type: 'e', aggregation: 'count' }), 201);
  }
  const ordered = names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect((await list(project)).map(({ name }) => name)).toEqual(ordered);
  for (const name of names) {
    expectStatus(await project.api('DELETE', `/api/key-metrics/${encodeURIComponent(name)}/`), 204);
  }
});

test.each(['after.all', 'x.afterwards', 'error.handled', 'x.After', 'befor', 'unafter', 'x.'])(
  'D3.8: events of type %s are custom events',
  async (event_type) => {
    const project = await createInternalProject(farthing);
    expectStatus(await project.putMetric('m', { event_type, aggregation: 'count' }), 201);
  },
);

test('D9.1: definitions of the maximum size are accepted', async () => {
  const project = await createInternalProject(farthing);
  const features = Array.from({ length: 1000 }, (_, index) => `feature ${index}`);
  const metric = { event_type: '😀'.repeat(200), aggregation: 'unique', field: '', features, unit: '😀'.repeat(64) };
  expect(expectStatus(await project.putMetric('😀'.repeat(128), metric), 201)).toMatchObject(metric);
});

test('D2: the trailing slash is optional', async () => {
  const project = await createInternalProject(farthing);
  expectStatus(await project.api('PUT', '/api/key-metrics/m', { event_type: 'e', aggregation: 'count' }), 201);
  expectStatus(await project.api('GET', '/api/key-metrics/m'), 200);
  expectStatus(await project.api('GET', '/api/key-metrics'), 200);
});

test('D1.1: a key metric belongs to its project only', async () => {
  const [one, other] = await Promise.all([createInternalProject(farthing), createInternalProject(farthing)]);
  await one.define({ m: full });
  expect(await list(other)).toEqual([]);
  expectProblem(await other.api('GET', '/api/key-metrics/m/'), 404, 'not_found');
  expectProblem(await other.api('DELETE', '/api/key-metrics/m/'), 404, 'not_found');
  expect(await list(one)).toHaveLength(1);
});

test('1: a project linked to revenue may define key metrics too', async () => {
  const project = await createInternalProject(farthing, { type: 'revenue' });
  await project.define({ m: full });
});
