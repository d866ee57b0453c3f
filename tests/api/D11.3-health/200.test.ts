import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { readOperations } from '../../support/openapi.ts';

const farthing = sharedFarthing();

test.each(['/healthz', '/readyz', '/metrics', '/openapi.json'])('D11.3: GET %s needs no key', async (path) => {
  expectStatus(await farthing.send('GET', path), 200);
  expectStatus(await farthing.send('GET', `${path}/`), 200);
});

test('D11.3: /metrics is in the text format of Prometheus', async () => {
  const answer = await farthing.send('GET', '/metrics');
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain|^application\/openmetrics-text/);
  const samples = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(samples.length).toBeGreaterThan(10);
  const sample = /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? (-?[0-9.eE+-]+|[Nn]a[Nn]|[+-]?Inf)( \d+)?$/;
  expect(samples.filter((line) => !sample.test(line))).toEqual([]);
});

test('D11.3: the routes without a key name no project, customer or path', async () => {
  const customer = `customer-${crypto.randomUUID()}`;
  const project = await farthing.createProject({ name: `project-${crypto.randomUUID()}` });
  await project.post(costEvent({ cost: 1, tags: { customer } }));
  await project.tag({ customer_name: customer, tags: { plan: 'pro' } });
  expect(await project.totalCost()).toBe(1);
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
    const { text } = await farthing.send('GET', path);
    for (const secret of [project.id, project.record.name, project.clientId, customer, ...inject('dataDirs')]) {
      expect(text).not.toContain(secret);
    }
  }
});

const openApi = z.object({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.object({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

test('D11.3: /openapi.json is OpenAPI 3.1 and has every route', async () => {
  const answer = await farthing.send('GET', '/openapi.json');
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  const { paths } = openApi.parse(answer.body);
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${normalise(path)}`),
  );
  const routes = [
    'POST /api/costs',
    'POST /api/customer-tags',
    'POST /intake/{}',
    'GET /api/project',
    'GET /api/prices',
    'POST /api/prices',
    'DELETE /api/prices/{}',
    'POST /admin/projects',
    'GET /admin/projects',
    'GET /admin/projects/{}',
    'PATCH /admin/projects/{}',
    'DELETE /admin/projects/{}',
    'POST /admin/projects/{}/clients',
    'GET /admin/projects/{}/clients',
    'DELETE /admin/projects/{}/clients/{}',
    'POST /admin/projects/{}/clients/{}/secrets',
    'DELETE /admin/projects/{}/clients/{}/secrets/{}',
    'POST /admin/projects/{}/api-keys',
    'GET /admin/projects/{}/api-keys',
    'DELETE /admin/projects/{}/api-keys/{}',
    'GET /healthz',
    'GET /readyz',
    'GET /metrics',
  ];
  expect(routes.filter((route) => !described.includes(route))).toEqual([]);
});

function normalise(path: string): string {
  return path.replace(/\/$/, '').replaceAll(/\{[^}]*\}/g, '{}');
}

test('D11.3: the OpenAPI document describes the fields of a costs body and of its answer', async () => {
  const costs = (await readOperations(farthing)).find(({ key }) => key === 'POST /api/costs/');
  const text = JSON.stringify(costs);
  for (const field of [
    'date_from',
    'date_to',
    'aggregate',
    'group_by',
    'customers',
    'features',
    'models',
    'providers',
  ]) {
    expect(text).toContain(`"${field}"`);
  }
  for (const field of [
    'customer_tags',
    'run_tags',
    'apply_credits',
    'limit',
    'cursor',
    'rows',
    'next_cursor',
    'has_more',
  ]) {
    expect(text).toContain(`"${field}"`);
  }
});
