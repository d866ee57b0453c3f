// A good request to every route of budgets, alerts and notifications.
import { randomUUID } from 'node:crypto';
import { costEvent, expectStatus, type Json, onceCaughtUp, type Project } from '../../support/client.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { type Drive, idOf, type World } from './world.ts';

const limit = {
  amount: '2.5',
  period: 'week',
  scope: { features: ['f'], user: 'ann', customer_tags: { plan: 'free' } },
  each: 'customer',
  apply_credits: true,
};

/** Adds a budget of this definition, and returns its path. */
async function addBudget(project: Project, fields: Json): Promise<string> {
  const name = randomUUID();
  expectStatus(await project.api('POST', '/api/budgets/', { name, ...fields }), 201);
  return `/api/budgets/${name}/`;
}

export const budgets: Record<string, Drive> = {
  'GET /api/budgets/': async ({ project }) => {
    await addBudget(project, limit);
    return await project.api('GET', '/api/budgets/');
  },
  'POST /api/budgets/': async ({ project }) => {
    const body = { name: randomUUID(), ...limit };
    const post = (fields: Json) => project.api('POST', '/api/budgets/', fields);
    return [await post(body), await post(body), await post({ ...body, period: 'year' })];
  },
  'PUT /api/budgets/{name}/': async ({ project }) => {
    const path = `/api/budgets/${randomUUID()}/`;
    const put = (body: Json) => project.api('PUT', path, body);
    return [await put(limit), await put({ amount: 1, period: 'day' }), await put({ amount: -1 })];
  },
  'DELETE /api/budgets/{name}/': async ({ project }) => await project.api('DELETE', await addBudget(project, limit)),
  'GET /api/budgets/{name}/': async ({ project }) => {
    await project.post(costEvent({ cost: 1, customer: 'acme', timestamp: new Date().toISOString() }));
    const paths = [
      await addBudget(project, { ...limit, scope: {} }),
      await addBudget(project, { amount: 1, period: 'day' }),
    ];
    return [
      ...(await Promise.all(paths.map((path) => project.api('GET', path)))),
      await project.api('GET', `${paths[0]}?of=acme`),
      await project.api('GET', `${paths[1]}?of=acme`),
    ];
  },
  'GET /api/budgets/{name}/check/': async ({ project }) => {
    const path = await addBudget(project, limit);
    return [
      await onceCaughtUp(() => project.api('GET', `${path}check/?of=acme`)),
      await onceCaughtUp(() => project.api('GET', `${path}check/`)),
    ];
  },
};

export const alerts: Record<string, Drive> = {
  'GET /api/alerts/': async ({ project }) => await project.api('GET', '/api/alerts/'),
  'PUT /api/alerts/{kind}/': async ({ project }) => {
    const put = (kind: string, fields: Json) => project.api('PUT', `/api/alerts/${kind}/`, fields);
    return [
      await put('credit_ending', { days: 30 }),
      await put('budget', { enabled: true, forecast: true }),
      await put('budget', { days: 30 }),
      await put('weather', {}),
    ];
  },
  'GET /api/alerts/firings/': async ({ project }) =>
    await project.api('GET', '/api/alerts/firings/?state=open&limit=3'),
};

const endpoints = '/api/notification-endpoints/';
const newEndpoint = async ({ project }: World, kind = 'webhook') =>
  await project.api('POST', endpoints, { kind, url: 'https://hooks.invalid/', enabled: false });
const pathOfEndpoint = async (world: World, below = '') =>
  `${endpoints}${idOf(expectStatus(await newEndpoint(world), 201))}/${below}`;
const deleteEndpoint = async (world: World, path: string) =>
  await world.project.api('DELETE', path.replace(/(nep_[^/]*\/).*$/, '$1'));
/** Asks a route of a new endpoint, which is deleted after it: a project has few. */
const ofEndpoint =
  (method: string, below = '', body?: unknown): Drive =>
  async (world) => {
    const path = await pathOfEndpoint(world, below);
    const answer = await world.project.api(method, path, body);
    await deleteEndpoint(world, path);
    return answer;
  };

export const notifications: Record<string, Drive> = {
  'GET /api/notification-endpoints/': async (world) => {
    const path = await pathOfEndpoint(world);
    const answer = await world.project.api('GET', endpoints);
    await deleteEndpoint(world, path);
    return answer;
  },
  'POST /api/notification-endpoints/': async (world) => {
    const made = await newEndpoint(world);
    await deleteEndpoint(world, `${endpoints}${idOf(made.body)}/`);
    return [made, await newEndpoint(world, 'email'), await newEndpoint(world, 'x')];
  },
  'GET /api/notification-endpoints/{id}/': ofEndpoint('GET'),
  'PATCH /api/notification-endpoints/{id}/': ofEndpoint('PATCH', '', { alerts: ['budget'], enabled: true }),
  'DELETE /api/notification-endpoints/{id}/': async (world) =>
    await world.project.api('DELETE', await pathOfEndpoint(world)),
  'POST /api/notification-endpoints/{id}/rotate-secret/': ofEndpoint('POST', 'rotate-secret/'),
  'POST /api/notification-endpoints/{id}/test/': ofEndpoint('POST', 'test/'),
  'GET /api/notification-endpoints/{id}/attempts/': async (world) => {
    const path = await pathOfEndpoint(world);
    expectStatus(await world.project.api('POST', `${path}test/`), 202);
    const answer = await poll('the test was tried', { within: backgroundWithin }, async () => {
      const asked = await world.project.api('GET', `${path}attempts/`);
      return asked.text.includes('given_up') ? asked : undefined;
    });
    return [answer, await world.project.api('GET', `${path}attempts/?cursor=nonsense`)];
  },
};
