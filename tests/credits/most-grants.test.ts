import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardRoutes } from '../../src/accounts/guard.ts';
import { registerCreditGrants } from '../../src/billing/credits/routes.ts';
import { createApp } from '../../src/lib/http/create-app.ts';
import { hashSecret } from '../../src/lib/ids.ts';
import { maxGrants } from '../../src/reports/facts/grants.ts';
import { makeProject, type OpenControl, openControl } from '../support/stores.ts';

let opened: OpenControl;
beforeAll(async () => {
  opened = await openControl();
});
afterAll(async () => await opened.close());

const clock = () => Date.parse('2024-05-01');

/** The routes of grants for one project, which every key belongs to. */
function makeApp(project: { readonly id: string }) {
  const key = { id: 'key_1', projectId: project.id, scopes: ['read', 'write'] };
  const stores = {
    adminTokenHash: hashSecret('of the admin'),
    apiKeys: { findByHash: async () => key },
    projects: { find: async () => project },
  } as unknown as Parameters<typeof guardRoutes>[1];
  const sources = { control: opened.control, clock } as unknown as Parameters<typeof registerCreditGrants>[1];
  const app = createApp(pino({ level: 'silent' }), (routes) => {
    guardRoutes(routes, stores);
    registerCreditGrants(routes, sources);
  });
  return async (method: 'POST' | 'DELETE', path = '', payload?: object) => {
    const headers = { authorization: 'Bearer any' };
    const answer = await app.inject({
      method,
      url: `/api/credit-grants/${path}`,
      headers,
      ...(payload && { payload }),
    });
    return answer.statusCode === 409 ? `409 ${answer.json().code}` : String(answer.statusCode);
  };
}

test('D7.1: a project has at most 1,000 grants, even when added concurrently; deleting one makes room', async () => {
  const { control } = opened;
  const project = await makeProject(control, clock);
  const others = Array.from({ length: maxGrants - 4 }, (_, index) => ({
    ...{ id: `grt_${index}`, project_id: project.id, name: null, provider: 'p', models: null },
    ...{ amount: '1', starts_on: '2024-01-01', expires_on: null, priority: 0, created_at: 0 },
  }));
  for (let at = 0; at < others.length; at += 100) {
    await control
      .insertInto('credit_grants')
      .values(others.slice(at, at + 100))
      .execute();
  }
  const ask = makeApp(project);
  const post = () => ask('POST', '', { provider: 'p', amount: 1, starts_on: '2024-01-01' });
  const statuses = await Promise.all(Array.from({ length: 8 }, post));
  expect(statuses.sort()).toEqual([...Array(4).fill('201'), ...Array(4).fill('409 conflict')]);
  expect(await post()).toBe('409 conflict');
  expect(await ask('DELETE', 'grt_0/')).toBe('204');
  expect(await post()).toBe('201');
  const { count } = await control
    .selectFrom('credit_grants')
    .select((row) => row.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  expect([maxGrants, Number(count)]).toEqual([1_000, 1_000]);
});

test('the names of models of all grants of a project are bounded, because every net cost looks them up', async () => {
  const project = await makeProject(opened.control, clock);
  const ask = makeApp(project);
  const named = (count: number) => ({
    ...{ provider: 'p', amount: 1, starts_on: '2024-01-01' },
    models: Array.from({ length: count }, (_, index) => `${index}`.padStart(96, 'm')),
  });
  expect(await ask('POST', '', named(1_000))).toBe('201');
  expect(await ask('POST', '', named(1_000))).toBe('201');
  expect(await ask('POST', '', named(100))).toBe('409 conflict');
  expect(await ask('POST', '', { ...named(1), models: null })).toBe('201');
});
