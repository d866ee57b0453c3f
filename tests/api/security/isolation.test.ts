// Sends requests without access to every route of the OpenAPI document, so a new route is tested without a change here.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Answer, costEvent, expectStatus, type Project, sharedFarthing } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';
import { once } from '../../support/once.ts';
import { examplesOf, type Operation, readOperations } from '../../support/openapi.ts';

const farthing = sharedFarthing();

const readAll = once(() => readOperations(farthing));

const isPublic = ({ security }: Operation): boolean =>
  security.length === 0 || security.some((one) => Object.keys(one).length === 0);
/** Those that a key may ask, or is refused by. */
const withKeys = (operations: readonly Operation[]): Operation[] =>
  operations.filter((one) => !isPublic(one) && one.path !== '/session/');
const has = ({ security }: Operation, scheme: string): boolean => security.some((one) => scheme in one);
const isOfProject = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'Farthing-Project');

/** The example of the route's body, or a body that it refuses if there is no example. */
const bodyOf = ({ requestBody }: Operation): { body?: unknown } => {
  if (!requestBody) return {};
  return { body: examplesOf(requestBody.content['application/json'] ?? {})[0] ?? {} };
};

const fill = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{([^}]*)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? 'nothing'));

test('D2: only these routes need no key', async () => {
  const operations = await readAll();
  expect(operations.filter(isPublic).map(({ key }) => key)).toEqual([
    'GET /metrics',
    'GET /healthz',
    'GET /readyz',
    'GET /openapi.json',
    'GET /docs/',
    'GET /docs/reference.js',
    'POST /session/',
    'DELETE /session/',
    'POST /session/link/',
    'GET /session/ways/',
    'POST /hooks/stripe/{hook_id}/',
  ]);
});

test('D2, D3.6: every other route answers 401 without a key and to a wrong, cut or other kind of key', async () => {
  const [operations, project] = await Promise.all([readAll(), farthing.createProject()]);
  const values = { id: project.id, client_id: project.clientId };
  const flip = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
  type Bad = [who: string, headers: Record<string, string>];
  const always: Bad[] = [
    ['nobody', {}],
    ['a wrong key', { authorization: 'Bearer fk_0000000000000000000000000000000000000000' }],
  ];
  const others: Bad[] = [
    ['an empty token', { authorization: 'Bearer ' }],
    ['a key with another end', { authorization: `Bearer ${flip(project.apiKey)}` }],
    ['half a key', { authorization: `Bearer ${project.apiKey.slice(0, -1)}` }],
    ['a secret with another end', { authorization: `Bearer ${flip(project.secret)}` }],
    ['the admin token with another end', { authorization: `Bearer ${flip(farthing.adminToken)}` }],
    ['the key by another scheme', { authorization: `Basic ${Buffer.from(`:${project.apiKey}`).toString('base64')}` }],
    ['two keys', { authorization: `Bearer ${project.apiKey} ${project.apiKey}` }],
    ['an invalid session', { cookie: 'farthing_session=nothing' }],
    ['a key where a session belongs', { cookie: `farthing_session=${project.apiKey}` }],
    ['a key in the query string', {}],
  ];
  const faults: string[] = [];
  // Each of the others at many routes.
  const everyNth = usualOrLong(10, 1);
  for (const [index, operation] of operations.filter((one) => !isPublic(one)).entries()) {
    const bad = [...always, ...others.filter((_one, at) => (at + index) % everyNth === 0)];
    await Promise.all(
      bad.map(async ([who, headers]) => {
        const query =
          who === 'a key in the query string' ? `?api_key=${project.apiKey}&token=${farthing.adminToken}` : '';
        const answer = await farthing.send(operation.method, `${fill(operation.path, values)}${query}`, {
          ...bodyOf(operation),
          headers,
        });
        if (answer.status !== 401) faults.push(`${operation.key} answers ${who} with ${answer.status}`);
      }),
    );
  }
  expect(faults).toEqual([]);
});

/** A project with something of everything, each with a name that nobody can guess. */
async function makeVictim(): Promise<{ project: Project; values: Record<string, string>; traces: string[] }> {
  const project = await farthing.createProject({ name: `name-${randomUUID()}` });
  const word = (kind: string) => `${kind}-${randomUUID()}`;
  const tags = { customer: word('customer'), user: word('user'), feature: word('feature'), run_id: word('run') };
  const event = costEvent({ cost: 7.25, model: word('model'), provider: word('provider'), tags, note: word('note') });
  await project.post(event);
  await project.tag({ customer_name: tags.customer, tags: { [word('key')]: word('value') } });
  const metric = word('metric');
  await project.keyMetric(metric, { event_type: word('type'), aggregation: 'count' });
  const price = await project.addPrice({ model: word('priced'), input_per_mtok: 1, output_per_mtok: 2 });
  const entry = { external_id: word('invoice'), customer: tags.customer, amount: 12.5, date_from: '2024-05-01' };
  expectStatus(await project.api('POST', '/api/revenue/', { entries: [entry] }), 200);
  const grant = { provider: word('granted'), amount: 5, starts_on: '2024-05-01', name: word('grant') };
  expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);
  const reprice = Object(
    expectStatus(
      await project.api('POST', '/api/prices/reprice/', { date_from: '2024-05-01', date_to: '2024-05-31' }),
      202,
    ),
  );
  const { client_id: clientId } = await project.createClient();
  const [secret, key] = await Promise.all([project.createSecret(clientId), project.createKey({})]);
  const values = {
    client_id: clientId,
    secret_id: secret.id,
    key_id: key.id,
    rebuild_id: String(reprice.id),
    event_id: String(event.event_id),
    run: tags.run_id,
    external_id: entry.external_id,
    reprice_id: String(reprice.id),
    price_id: price,
    metric,
    ...tags,
    model: String(event.model),
  };
  const traces = [
    project.id,
    project.record.name,
    price,
    metric,
    grant.name,
    String(event.note),
    String(event.provider),
    project.clientId,
    ...Object.values(values),
  ];
  return { project, values, traces };
}

/** The paths of an operation that name things of the victim. */
function pathsOf({ path }: Operation, victim: Awaited<ReturnType<typeof makeVictim>>): string[] {
  const { values, project } = victim;
  const names = path.startsWith('/api/key-metrics/')
    ? [values.metric]
    : path.startsWith('/api/models/')
      ? [values.model]
      : path.startsWith('/api/users/')
        ? [values.user]
        : [values.customer];
  const ids = path.startsWith('/admin/') ? [project.id] : [values.price_id, values.reprice_id];
  return [
    ...new Set(ids.flatMap((id) => names.map((name) => fill(path, { ...values, id: id ?? '', name: name ?? '' })))),
  ];
}

/** The answers about a project that its own key and the admin can get. */
async function lookAt(
  { project }: { project: Project },
  operations: readonly Operation[],
): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  for (const operation of operations) {
    if (
      operation.method !== 'GET' ||
      /\{(?!id\})/.test(operation.path) ||
      // The same answers as without `files/`, and what is computed from what others show.
      /^\/api\/(?:files|prices\/reprices|coverage|credit-cliff|next-steps|price-check|metrics)\//.test(operation.path)
    )
      continue;
    const isAdmin =
      operation.path.startsWith('/admin/projects/{id}/') || (!has(operation, 'apiKey') && isOfProject(operation));
    if (!isAdmin && !has(operation, 'apiKey')) continue;
    const token = isAdmin ? farthing.adminToken : project.apiKey;
    const answer = await farthing.send('GET', fill(operation.path, { id: project.id }), {
      token,
      headers: { 'farthing-project': project.id },
    });
    seen[operation.key] = answer.status === 200 ? withoutTimesOfUse(answer.body ?? answer.text) : answer.status;
  }
  const costs = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-31', group_by: 'customer' });
  return { ...seen, costs };
}

const withoutTimesOfUse = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === 'last_used_at' ? undefined : value)));

test("D1.1: with another project's key no route shows, counts, changes or tells apart anything of a project", async () => {
  const [operations, victim, other] = await Promise.all([readAll(), makeVictim(), farthing.createProject()]);
  const before = await lookAt(victim, operations);
  const faults: string[] = [];
  // The answer for things that do not exist must equal the one for things of another project.
  const nowhere = {
    ...Object.fromEntries(
      Object.keys(victim.values).map((name) => [
        name,
        name === 'event_id' || name === 'client_id' ? randomUUID() : 'nothing',
      ]),
    ),
    id: 'nothing',
    name: 'nothing',
  };
  for (const operation of withKeys(operations)) {
    const token = has(operation, 'clientSecret') ? other.secret : other.apiKey;
    const ask = (path: string): Promise<Answer> =>
      farthing.send(operation.method, path, {
        ...bodyOf(operation),
        token,
        headers: { 'farthing-project': victim.project.id },
      });
    const none = operation.path.includes('{') ? await ask(fill(operation.path, nowhere)) : undefined;
    for (const path of pathsOf(operation, victim)) {
      const answer = await ask(path);
      const told = victim.traces.filter(
        (trace) => answer.text.includes(trace) && !decodeURIComponent(path).includes(trace),
      );
      if (told.length > 0) faults.push(`${operation.key} tells ${told.join(', ')}`);
      if (none && none.status !== answer.status)
        faults.push(
          `${operation.key} answers ${answer.status} for a thing of another project, and ${none.status} for one that does not exist`,
        );
    }
  }
  expect(faults).toEqual([]);
  expect(await lookAt(victim, operations)).toEqual(before);

  // A key that names another project in a header, the query or the body stays with its own.
  const headers = { 'farthing-project': victim.project.id };
  const project = Object(expectStatus(await other.api('GET', '/api/project/', undefined, { headers }), 200));
  expect(project.id).toBe(other.id);
  for (const body of [{ project: victim.project.id }, { project_id: victim.project.id }]) {
    expectStatus(await other.postCosts({ date_from: '2024-05-01', ...body }), 400);
  }
  const range = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' };
  const costs = await other.costs({ ...range, customers: [victim.values.customer] });
  expect(costs.rows.map(({ cost }) => cost)).toEqual([0]);
  // A cursor of one project is invalid in another.
  await victim.project.post(costEvent({ cost: 1, tags: { customer: 'second' } }));
  const page = await victim.project.costs({ ...range, group_by: 'customer', limit: 1 });
  expectStatus(await other.postCosts({ ...range, group_by: 'customer', cursor: page.next_cursor }), 400);
});
