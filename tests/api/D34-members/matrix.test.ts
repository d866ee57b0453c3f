// Who may do what: each operation of the OpenAPI document asked by everybody. An operation that is in no class fails.
import { expect, test } from 'vitest';
import { expectStatus, type Project, type SendOptions, sharedFarthing } from '../../support/client.ts';
import { isLong } from '../../support/effort.ts';
import { examplesOf, type Operation, readOperations } from '../../support/openapi.ts';
import type { Browser } from '../D2-session/session.ts';
import { join } from './team.ts';

const farthing = sharedFarthing();

/** Every operation, by who may use it at least. Its file at `/api/files/` is in the same class. */
const classes = {
  everybody: [
    'GET /metrics /healthz /readyz /openapi.json /docs/ /docs/reference.js /session/ways/',
    'POST /session/ /session/link/ /hooks/stripe/{hook_id}/',
    'DELETE /session/',
  ],
  'whoever is signed in': ['GET /session/'],
  'a client': [
    'POST /intake/{client_id}/ /intake/{client_id}/litellm/ /intake/{client_id}/openrouter/',
    'POST /intake/{client_id}/v1/traces/ /intake/{client_id}/v1/logs/ /intake/{client_id}/v1/metrics/',
    'PUT /intake/{client_id}/openrouter/',
  ],
  'a key that reads, and no session': ['POST /mcp'],
  viewer: [
    'GET /api/project/ /api/prices/ /api/models/{name}/price/ /api/prices/reprices/ /api/prices/reprices/{id}/',
    'GET /api/key-metrics/ /api/key-metrics/{name}/ /api/revenue/ /api/invoices/ /api/provider-accounts/ /api/stripe/',
    'GET /api/stripe/customers/ /api/exchange-rates/ /api/notification-endpoints/ /api/notification-endpoints/{id}/',
    'GET /api/notification-endpoints/{id}/attempts/ /api/calls/{event_id}/ /api/runs/{run}/ /api/plans/simulations/',
    'GET /api/plans/simulations/{name}/ /api/credit-cliff/ /api/coverage/ /api/customers/ /api/users/ /api/features/',
    'GET /api/models/ /api/providers/ /api/tags/ /api/price-check/ /api/events/ /api/budgets/ /api/budgets/{name}/',
    'GET /api/budgets/{name}/check/ /api/metrics/ /api/credit-grants/ /api/alerts/ /api/alerts/firings/ /api/next-steps/',
    'GET /api/closes/ /api/closes/{id}/ /api/exports/focus/ /api/shared-costs/ /api/shared-cost-allocation/ /api/audit/',
    'POST /api/costs/ /api/calls/ /api/margin/ /api/plans/ /api/plans/simulate/ /api/performance/ /api/usage/',
    'POST /api/changes/ /api/waste/ /api/reconciliation/ /api/digests/preview/ /api/closes/{id}/drift/',
  ],
  'viewer, by the admin’s path': ['GET /admin/projects/{id}/'],
  editor: [
    'POST /api/prices/ /api/prices/reprice/ /api/customer-tags/ /api/user-tags/ /api/revenue/ /api/invoices/',
    'POST /api/provider-accounts/ /api/provider-accounts/{id}/read/ /api/stripe/ /api/stripe/objects/',
    'POST /api/notification-endpoints/ /api/notification-endpoints/{id}/test/ /api/budgets/ /api/credit-grants/',
    'POST /api/notification-endpoints/{id}/rotate-secret/ /api/closes/ /api/shared-costs/',
    'PUT /api/key-metrics/{name}/ /api/stripe/customers/ /api/exchange-rates/ /api/plans/simulations/{name}/',
    'PUT /api/budgets/{name}/ /api/alerts/{kind}/',
    'PATCH /api/provider-accounts/{id}/ /api/stripe/{id}/ /api/notification-endpoints/{id}/',
    'DELETE /api/prices/{id}/ /api/key-metrics/{name}/ /api/revenue/{external_id}/ /api/invoices/',
    'DELETE /api/invoices/{external_id}/ /api/provider-accounts/{id}/ /api/stripe/{id}/ /api/budgets/{name}/',
    'DELETE /api/stripe/customers/{stripe_customer}/ /api/exchange-rates/{currency}/{day}/ /api/credit-grants/{id}/',
    'DELETE /api/notification-endpoints/{id}/ /api/plans/simulations/{name}/ /api/closes/{id}/',
    'DELETE /api/shared-costs/{external_id}/',
  ],
  owner: [
    'GET /admin/projects/{id}/clients/ /admin/projects/{id}/api-keys/ /admin/members/',
    'POST /admin/projects/{id}/clients/ /admin/projects/{id}/clients/{client_id}/secrets/',
    'POST /admin/projects/{id}/api-keys/ /admin/members/ /admin/members/{id}/links/',
    'PATCH /admin/projects/{id}/ /admin/members/{id}/',
    'DELETE /admin/projects/{id}/clients/{client_id}/ /admin/projects/{id}/clients/{client_id}/secrets/{secret_id}/',
    'DELETE /admin/projects/{id}/api-keys/{key_id}/ /admin/members/{id}/',
  ],
  'admin of a project': ['GET /api/erasures/', 'DELETE /api/customers/{name}/ /api/users/{name}/'],
  admin: [
    'GET /admin/projects/ /admin/diagnosis/ /admin/backups/{id}/control/ /admin/backups/{id}/parts/{part}/',
    'GET /admin/projects/{id}/rebuilds/ /admin/projects/{id}/rebuilds/{rebuild_id}/ /admin/prices/update/ /admin/audit/',
    'POST /admin/projects/ /admin/backups/ /admin/projects/{id}/rebuilds/ /admin/prices/update/ /admin/prices/look/',
    'DELETE /admin/projects/{id}/ /admin/backups/{id}/',
  ],
} as const;
type Class = keyof typeof classes;

const classOf = new Map(
  (Object.entries(classes) as [Class, readonly string[]][]).flatMap(([name, lines]) =>
    lines.flatMap((line) => {
      const [method, ...paths] = line.split(' ');
      return paths.map((path): [string, Class] => [`${method} ${path}`, name]);
    }),
  ),
);

/** How each class answers each asker: with this refusal, or with anything but 401, 403 and a missing project. */
const refusals: Readonly<Record<Class, Readonly<Record<string, number>>>> = {
  everybody: {},
  'whoever is signed in': { ...keys(401), token: 401 },
  'a client': { ...all(401), secret: 0 },
  'a key that reads, and no session': { ...all(401), reads: 0, token: 0, writes: 403, stranger: 404 },
  viewer: { nobody: 401, secret: 401, writes: 403, stranger: 404 },
  'viewer, by the admin’s path': { ...keys(401), stranger: 404 },
  editor: { nobody: 401, secret: 401, reads: 403, viewer: 403, stranger: 404 },
  owner: { ...keys(401), viewer: 403, editor: 403, stranger: 404 },
  'admin of a project': {
    nobody: 401,
    secret: 401,
    reads: 403,
    writes: 403,
    viewer: 403,
    editor: 403,
    owner: 403,
    stranger: 404,
  },
  admin: { ...keys(401), viewer: 403, editor: 403, owner: 403, stranger: 403 },
};
function keys(status: number) {
  return Object.fromEntries(['nobody', 'secret', 'reads', 'writes'].map((one) => [one, status]));
}
function all(status: number) {
  const others = ['token', 'viewer', 'editor', 'owner', 'stranger', 'admin'].map((one) => [one, status]);
  return { ...keys(status), ...Object.fromEntries(others) };
}

const isReprice = (key: string) => key === 'POST /api/prices/reprice/';

/** Requests whose handlers decide, which must be as their schemas say; others are refused for their body or query if at all. */
const decidedByHandler = /^\w+ (?:\/admin\/members|\/api\/prices\/reprice\/|\/mcp)/;

/** Routes for everybody look at no credentials, and a file is for whoever may ask its question: a few askers tell. */
function isAsked({ key, path }: Operation, who: string): boolean {
  if (isLong) return true;
  if (classOf.get(key) === 'everybody') return ['nobody', 'viewer'].includes(who);
  return !path.startsWith('/api/files/') || ['nobody', 'reads', 'writes', 'stranger'].includes(who);
}

function toRequest(
  { key, method, path, requestBody }: Operation,
  { id: project, clientId }: Project,
): [path: string, SendOptions] {
  const isWhole = decidedByHandler.test(key);
  const isSafe = !key.startsWith('DELETE /admin/projects/{id}/') || key.includes('_id}');
  // An erasure takes a while too: no name has this character.
  const other = classOf.get(key) === 'admin of a project' ? '%00' : 'nothing';
  const filled = path.replaceAll(/\{([^}]*)\}/g, (_all, name: string) =>
    name === 'id' && path.startsWith('/admin/projects/') && isSafe
      ? project
      : name === 'client_id' && path.startsWith('/intake/')
        ? clientId
        : other,
  );
  const body = isWhole
    ? (examplesOf(requestBody?.content['application/json'] ?? {})[0] ?? undefined)
    : { nonsense: true };
  // Who may do it is admitted, and then refused for the type of the body: a backup takes a while.
  if (key === 'POST /admin/backups/') return [filled, { raw: 'nonsense', contentType: 'text/plain' }];
  const query = path.startsWith('/admin/members/')
    ? method === 'GET' || method === 'DELETE'
      ? `?project_id=${project}`
      : ''
    : '?nonsense=1';
  // The handler of a reprice decides who may, and then refuses the future.
  const named = JSON.stringify(isReprice(key) ? { date_from: '2100-01-01' } : body)?.replaceAll(/prj_\w{26}/g, project);
  return [filled + query, method === 'GET' || named === undefined ? {} : { body: JSON.parse(named) }];
}

test('D34.2, D1.2, D2: each operation takes who is in its class, and refuses everybody else', async () => {
  const [operations, project, other] = await Promise.all([
    readOperations(farthing),
    farthing.createProject(),
    farthing.createProject(),
  ]);
  const keyOf = (key: string) => key.replace('/api/files/', '/api/');
  expect(operations.filter(({ key }) => !classOf.has(keyOf(key))).map(({ key }) => key)).toEqual([]);
  const known = new Set(operations.map(({ key }) => key));
  expect([...classOf.keys()].filter((key) => !known.has(key))).toEqual([]);

  const [reads, writes, viewer, editor, owner, stranger, admin] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
    join(farthing, { role: 'viewer', project: project.id }),
    join(farthing, { role: 'editor', project: project.id }),
    join(farthing, { role: 'owner', project: project.id }),
    join(farthing, { role: 'owner', project: other.id }),
    join(farthing, { isAdmin: true }),
  ]);
  const asKey = (token?: string) => (method: string, path: string, options: SendOptions) =>
    farthing.send(method, path, { ...options, ...(token !== undefined && { token }) });
  const inProject =
    ({ send }: Browser) =>
    (method: string, path: string, options: SendOptions) =>
      send(method, path, { ...options, headers: { 'farthing-project': project.id } });
  const askers = {
    nobody: asKey(),
    reads: asKey(reads.api_key),
    writes: asKey(writes.api_key),
    secret: asKey(project.secret),
    token: (method: string, path: string, options: SendOptions) =>
      farthing.send(method, path, {
        ...options,
        token: farthing.adminToken,
        headers: { 'farthing-project': project.id },
      }),
    viewer: inProject(viewer),
    editor: inProject(editor),
    owner: inProject(owner),
    stranger: inProject(stranger),
    admin: inProject(admin),
  };
  const faults: string[] = [];
  for (const operation of operations) {
    // Signing out would end what the next requests need; it is asked below.
    if (operation.key === 'DELETE /session/') continue;
    const [path, options] = toRequest(operation, project);
    const expected = refusals[classOf.get(keyOf(operation.key)) ?? 'admin'];
    await Promise.all(
      Object.entries(askers).map(async ([who, ask]) => {
        if (!isAsked(operation, who)) return;
        const answer = await ask(operation.method, path, options);
        const refused = expected[who] || undefined;
        const { detail = '' } = Object(answer.body);
        const isRefused =
          answer.status === 401 ||
          answer.status === 403 ||
          (!['admin', 'token'].includes(who) && /^There is no project with th/.test(String(detail)));
        if (refused === undefined ? isRefused : answer.status !== refused)
          faults.push(`${operation.key} answers ${who} with ${answer.status} ${detail}, not ${refused ?? 'an answer'}`);
        if (answer.status === 403 && ['viewer', 'editor', 'owner'].includes(who) && !/(role|admin)/.test(detail))
          faults.push(`${operation.key} does not tell ${who} what is needed: ${detail}`);
      }),
    );
    if (isReprice(operation.key)) {
      // What if reads.
      const body = {
        date_from: '2024-05-01',
        date_to: '2024-05-02',
        assume: { overrides: [{ model: 'm', input_per_mtok: 1, output_per_mtok: 1 }] },
      };
      for (const who of ['reads', 'viewer'] as const)
        expectStatus(await askers[who]('POST', path.split('?')[0] ?? '', { body }), 202);
    }
  }
  expect(faults).toEqual([]);

  // A session without the service's Origin writes nothing.
  const forged = await farthing.send('POST', '/api/prices/', {
    headers: { cookie: editor.cookie, 'farthing-project': project.id },
    body: { model: 'm', input_per_mtok: 1, output_per_mtok: 1 },
  });
  expectStatus(forged, 403);
  expectStatus(await viewer.send('DELETE', '/session/'), 204);
  expectStatus(await viewer.send('GET', '/api/project/'), 401);
});
