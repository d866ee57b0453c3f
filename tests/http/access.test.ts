import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { ApiKey } from '../../src/accounts/api-keys.ts';
import { guardRoutes } from '../../src/accounts/guard.ts';
import type { Access } from '../../src/lib/http/access.ts';
import type { App } from '../../src/lib/http/app.ts';
import { createApp } from '../../src/lib/http/create-app.ts';
import { hashSecret } from '../../src/lib/ids.ts';

const silent = pino({ level: 'silent' });
const admin = 'the-admin-token';
const project = { id: 'prj_1', name: 'one' };
const keys = new Map<string, Pick<ApiKey, 'id' | 'projectId' | 'scopes'>>([
  [hashSecret('reads'), { id: 'key_1', projectId: 'prj_1', scopes: ['read'] }],
  [hashSecret('does-all'), { id: 'key_2', projectId: 'prj_1', scopes: ['read', 'write'] }],
]);
const adminSession = { principal: { kind: 'admin' }, expiresAt: 1 };
const keySession = { principal: { kind: 'key', key: keys.get(hashSecret('does-all')) }, expiresAt: 1 };

/** As much of the stores as a guard asks. */
const stores = {
  adminTokenHash: hashSecret(admin),
  apiKeys: { findByHash: async (hash: string) => keys.get(hash) },
  projects: { find: async (id: string) => (id === project.id ? project : undefined) },
  sessions: { find: async (id: string) => ({ admin: adminSession, key: keySession })[id] },
} as unknown as Parameters<typeof guardRoutes>[1];

function makeApp(access: Access, trustedProxies?: readonly string[]): App {
  return createApp(
    silent,
    (routes) => {
      guardRoutes(routes, stores);
      routes.delete('/thing/', { config: { access } }, async (request) => ({ project: request.project?.id }));
    },
    { trustedProxies },
  );
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const named = { 'farthing-project': 'prj_1' };
const own = { host: 'farthing.example', origin: 'http://farthing.example' };

async function ask(app: App, headers: Record<string, string>) {
  const answer = await app.inject({ method: 'DELETE', url: '/thing/', headers });
  return [answer.statusCode, answer.json().code ?? answer.json().project];
}

test('D2: a route of the admin of a project takes the admin token with Farthing-Project', async () => {
  const app = makeApp('project_admin');
  expect(await ask(app, { ...bearer(admin), ...named })).toEqual([200, 'prj_1']);
  expect(await ask(app, { cookie: 'farthing_session=admin', ...named, ...own })).toEqual([200, 'prj_1']);
});

test('D2: without a project, or with one that does not exist, it is refused', async () => {
  const app = makeApp('project_admin');
  expect(await ask(app, bearer(admin))).toEqual([403, 'forbidden']);
  const unknown = { ...bearer(admin), 'farthing-project': 'prj_2' };
  expect((await app.inject({ method: 'DELETE', url: '/thing/', headers: unknown })).json()).toMatchObject({
    ...{ status: 404, code: 'not_found' },
    detail: expect.stringContaining('correct the header Farthing-Project'),
  });
});

test('D2: an API key of any scope is a 403 that says that the admin token is needed', async () => {
  const app = makeApp('project_admin');
  for (const headers of [bearer('reads'), bearer('does-all'), { cookie: 'farthing_session=key', ...own }]) {
    const answer = await app.inject({ method: 'DELETE', url: '/thing/', headers: { ...headers, ...named } });
    expect(answer.statusCode).toBe(403);
    expect(answer.json().detail).toMatch(/admin token/);
  }
});

test('D2: no key or a wrong one is a 401', async () => {
  const app = makeApp('project_admin');
  expect(await ask(app, named)).toEqual([401, 'unauthenticated']);
  expect(await ask(app, { ...bearer('none'), ...named })).toEqual([401, 'unauthenticated']);
});

test('D2: the scheme and host from a proxy count only when the proxy is trusted', async () => {
  const forwarded = {
    cookie: 'farthing_session=key',
    host: '10.0.0.7:8787',
    origin: 'https://farthing.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'farthing.example',
  };
  expect(await ask(makeApp('write'), forwarded)).toEqual([403, 'forbidden']);
  expect(await ask(makeApp('write', ['10.0.0.0/8']), forwarded)).toEqual([403, 'forbidden']);
  expect(await ask(makeApp('write', ['loopback']), forwarded)).toEqual([200, 'prj_1']);
});

test('a route that does not say who may use it does not register', async () => {
  const app = createApp(silent, (routes) => {
    guardRoutes(routes, stores);
    routes.get('/open/', async () => ({}));
  });
  await expect(app.ready()).rejects.toThrow('does not say who may use it');
});

test('a route that hides from the description does not register', async () => {
  const app = createApp(silent, (routes) => {
    routes.get('/secret/', { config: { access: 'public' }, schema: { hide: true } }, async () => ({}));
  });
  await expect(app.ready()).rejects.toThrow('must not be hidden');
});
