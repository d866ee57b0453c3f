// A good request to every route. A new route needs a line here, so that its answer is compared with the OpenAPI document.
import { randomUUID } from 'node:crypto';
import {
  type Answer,
  costEvent,
  expectStatus,
  type Farthing,
  type Json,
  onceCaughtUp,
  type Project,
  tokenEvent,
} from '../../support/client.ts';
import { postMargin, postRevenue } from '../../support/margin.ts';
import { postOtlp } from '../../support/otlp/post.ts';
import { callSpan, logs, traces } from '../../support/otlp/records.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { closes } from './closes-requests.ts';
import { stripe } from './stripe-requests.ts';

export interface World {
  farthing: Farthing;
  /** A project of type revenue with calls, tags and a price. */
  project: Project;
  /** A project of type internal. */
  internal: Project;
  /** The ids of a reprice of `project` and of a rebuild of `internal`. Both take long, so all requests share them. */
  repriceId: string;
  rebuildId: string;
}

/** The first answer must be a success. Further answers may have any status in the document. */
export type Drive = (world: World) => Promise<Answer | Answer[]>;

export const idOf = (body: unknown): string => String(Object(body).id);
const newProject = ({ farthing }: World) => farthing.createProject({ name: 'described' });
export const range = { date_from: '2024-05-01', date_to: '2024-05-31' };

const operations: Record<string, Drive> = {
  'GET /healthz': ({ farthing }) => farthing.send('GET', '/healthz'),
  'GET /readyz': ({ farthing }) => farthing.send('GET', '/readyz'),
  'GET /metrics': ({ farthing }) => farthing.send('GET', '/metrics'),
  'GET /openapi.json': ({ farthing }) => farthing.send('GET', '/openapi.json'),
  'GET /docs/': ({ farthing }) => farthing.send('GET', '/docs/'),
  'GET /docs/reference.js': ({ farthing }) => farthing.send('GET', '/docs/reference.js'),
};

const sessions: Record<string, Drive> = {
  'POST /session/': async ({ farthing, project }) => [
    await farthing.send('POST', '/session/', { body: { api_key: project.apiKey } }),
    await farthing.send('POST', '/session/', { body: { admin_token: farthing.adminToken } }),
    await farthing.send('POST', '/session/', { body: { api_key: 'fk_none' } }),
  ],
  'GET /session/': async (world) => {
    const cookie = await signIn(world);
    return [
      await world.farthing.send('GET', '/session/', { headers: { cookie } }),
      await world.farthing.send('GET', '/session/'),
    ];
  },
  'DELETE /session/': async (world) => {
    const { farthing } = world;
    const cookie = await signIn(world);
    const foreign = await farthing.send('DELETE', '/session/', { headers: { cookie } });
    return [await farthing.send('DELETE', '/session/', { headers: { cookie, origin: farthing.url } }), foreign];
  },
};

async function signIn({ farthing, project }: World): Promise<string> {
  const answer = await farthing.send('POST', '/session/', { body: { api_key: project.apiKey } });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const intake: Record<string, Drive> = {
  'POST /intake/{client_id}/': async ({ project }) => [
    await project.intake({ body: costEvent({ cost: 1 }) }),
    await project.intake({ body: [costEvent({ cost: 1 }), costEvent({ cost: 2 })] }),
    await project.intake({ body: [costEvent({ cost: 1 }), { event_id: 'none' }] }),
    await project.intake({ raw: `${JSON.stringify(costEvent({ cost: 1 }))}\n`, contentType: 'application/x-ndjson' }),
  ],
};

const telemetry: Record<string, Drive> = {
  'POST /intake/{client_id}/v1/traces/': async ({ project }) => [
    await postOtlp(project, traces([callSpan()])),
    await postOtlp(project, traces([callSpan(), 7])),
  ],
  'POST /intake/{client_id}/v1/logs/': async ({ project }) => [
    await postOtlp(project, logs([])),
    await postOtlp(project, logs([7])),
  ],
  'POST /intake/{client_id}/v1/metrics/': ({ farthing, project }) =>
    farthing.send('POST', `${project.intakePath}v1/metrics`, { token: project.secret, body: { resourceMetrics: [] } }),
};

const openRouter =
  (method: string): Drive =>
  async ({ farthing, project }) => [
    await farthing.send(method, `${project.intakePath}openrouter/`, {
      token: project.secret,
      body: { resourceSpans: [] },
    }),
  ];

const gateways: Record<string, Drive> = {
  'POST /intake/{client_id}/litellm/': async ({ farthing, project }) => {
    const post = (body: unknown) =>
      farthing.send('POST', `${project.intakePath}litellm/`, { token: project.secret, body });
    return [await post({ id: 'one' }), await post([{ id: 'two' }]), await post([{ id: 'three' }, {}])];
  },
  'POST /intake/{client_id}/openrouter/': openRouter('POST'),
  'PUT /intake/{client_id}/openrouter/': openRouter('PUT'),
};

const analytics: Record<string, Drive> = {
  'POST /api/costs/': async ({ project }) => [
    await project.postCosts({ ...range, aggregate: 'all', group_by: 'customer' }),
    await project.postCosts({ ...range, aggregate: 'month' }),
    await project.postCosts({ ...range, limit: 2 }, { headers: { 'Farthing-Consistency': 'relaxed' } }),
    await project.postCosts({ ...range, cursor: 'nonsense' }),
    await project.postCosts({ ...range, date_to: '2024-04-01' }),
  ],
  'POST /api/usage/': async ({ project }) => [
    await project.api('POST', '/api/usage/', { ...range, aggregate: 'all', group_by: 'customer' }),
    await project.api('POST', '/api/usage/', { ...range, aggregate: 'month' }),
    await project.api('POST', '/api/usage/', { ...range, limit: 0 }),
  ],
  'POST /api/changes/': async ({ project }) => [
    await project.api('POST', '/api/changes/', { date_from: '2024-05-15', date_to: '2024-05-20' }),
    await project.api('POST', '/api/changes/', { ...range, before_from: '2024-05-01', limit: 1 }),
    await project.api('POST', '/api/changes/', range.date_from),
  ],
  'GET /api/metrics/': async ({ project }) => [
    await project.api('GET', '/api/metrics/'),
    await project.api('GET', '/api/metrics/', undefined, { headers: { accept: 'application/openmetrics-text' } }),
  ],
  'POST /api/waste/': async ({ project }) => [
    await project.api('POST', '/api/waste/', range),
    await project.api('POST', '/api/waste/', {
      ...range,
      alternatives: { 'gpt-4o': 'gpt-4o-mini' },
      customers: ['acme'],
    }),
    await project.api('POST', '/api/waste/', { ...range, alternatives: {} }),
  ],
  'GET /api/next-steps/': async ({ project, internal }) => [
    await project.api('GET', '/api/next-steps/'),
    await internal.api('GET', '/api/next-steps/'),
  ],
  'GET /api/credit-cliff/': async ({ project, internal }) => [
    await project.api('GET', '/api/credit-cliff/'),
    await internal.api('GET', '/api/credit-cliff/'),
  ],
  'POST /api/margin/': async ({ project, internal }) => [
    await postMargin(project, { ...range, aggregate: 'all', group_by: 'customer' }),
    await postMargin(project, { ...range, aggregate: 'month' }),
    await postMargin(internal, range),
    await postMargin(project, { ...range, cursor: 'nonsense' }),
  ],
};

const metric = { event_type: 'described', aggregation: 'sum', field: '/v', features: ['f'], unit: 'u' };

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

const alerts: Record<string, Drive> = {
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

const charge = { provider: 'openai', date_from: '2024-05-15', date_to: '2024-05-16', model: 'm', amount: '1.25' };

/** Adds an entry of an invoice, and returns its path. */
async function addInvoice(project: Project): Promise<string> {
  const id = randomUUID();
  const entries = [{ external_id: id, ...charge }];
  expectStatus(await project.api('POST', '/api/invoices/', { entries }), 201);
  return `/api/invoices/${id}/`;
}

const invoices: Record<string, Drive> = {
  'GET /api/invoices/': async ({ project }) => {
    await addInvoice(project);
    return await project.api('GET', '/api/invoices/?provider=openai&date_from=2024-05-16');
  },
  'POST /api/invoices/': async ({ project }) => {
    const post = (entries: readonly Json[]) => project.api('POST', '/api/invoices/', { entries });
    return [await post([{ external_id: 'described', ...charge, kind: 'tax', description: 'VAT' }]), await post([{}])];
  },
  'DELETE /api/invoices/': async ({ project }) => {
    const within = 'provider=openai&date_from=2024-05-16&date_to=2024-05-16';
    return [await project.api('DELETE', `/api/invoices/?${within}`), await project.api('DELETE', '/api/invoices/')];
  },
  'DELETE /api/invoices/{external_id}/': async ({ project }) => {
    const path = await addInvoice(project);
    return [await project.api('DELETE', path), await project.api('DELETE', path)];
  },
  'POST /api/reconciliation/': async ({ project }) => {
    await addInvoice(project);
    const ask = (fields: Json) => project.api('POST', '/api/reconciliation/', { ...range, ...fields });
    return [
      await ask({ aggregate: 'all', group_by: 'model' }),
      await ask({ aggregate: 'month' }),
      await ask({ limit: 0 }),
    ];
  },
};

const budgets: Record<string, Drive> = {
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
      await project.api('GET', `${path}check/?of=acme`),
      await onceCaughtUp(() => project.api('GET', `${path}check/`)),
    ];
  },
};

const performance: Record<string, Drive> = {
  'POST /api/performance/': async ({ project, internal }) => {
    await internal.keyMetric('described', metric);
    await internal.post({ ...costEvent({ cost: 1 }), event_type: 'described', user: 'ann', v: 2.5 });
    const ask = (body: unknown) => internal.api('POST', '/api/performance/', body);
    return [
      await ask({ ...range, aggregate: 'all', group_by: 'user' }),
      await ask({ ...range, aggregate: 'month' }),
      await project.api('POST', '/api/performance/', range),
      await ask({ ...range, cursor: 'nonsense' }),
    ];
  },
  'GET /api/key-metrics/': async ({ internal }) => {
    await internal.keyMetric('described', metric);
    return await internal.api('GET', '/api/key-metrics/');
  },
  'GET /api/key-metrics/{name}/': async ({ internal }) => {
    await internal.keyMetric('described', metric);
    return await internal.api('GET', '/api/key-metrics/described/');
  },
  'PUT /api/key-metrics/{name}/': async ({ internal }) => {
    const path = `/api/key-metrics/${randomUUID()}/`;
    return [
      await internal.api('PUT', path, { event_type: 'described', aggregation: 'count' }),
      await internal.api('PUT', path, metric),
      await internal.api('PUT', path, { ...metric, event_type: 'x.after' }),
    ];
  },
  'DELETE /api/key-metrics/{name}/': async ({ internal }) => {
    const name = randomUUID();
    await internal.keyMetric(name, metric);
    return await internal.api('DELETE', `/api/key-metrics/${name}/`);
  },
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

const notifications: Record<string, Drive> = {
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

const entry = () => ({ external_id: randomUUID(), customer: 'acme', amount: '2.5', date_from: '2024-05-01' });

const revenue: Record<string, Drive> = {
  'GET /api/revenue/': async ({ project }) => {
    expectStatus(await postRevenue(project, [entry(), entry()]), 200);
    return [
      await project.api('GET', '/api/revenue/?limit=1'),
      await project.api('GET', '/api/revenue/?customer=acme&date_from=2024-05-01&date_to=2024-05-31'),
      await project.api('GET', '/api/revenue/?cursor=nonsense'),
    ];
  },
  'POST /api/revenue/': async ({ project }) => [
    await postRevenue(project, [entry(), { ...entry(), amount: -1, date_to: '2024-05-31' }]),
    await postRevenue(project, [{ ...entry(), amount: 'much' }]),
  ],
  'DELETE /api/revenue/{external_id}/': async ({ project }) => {
    const made = entry();
    expectStatus(await postRevenue(project, [made]), 200);
    return await project.api('DELETE', `/api/revenue/${made.external_id}/`);
  },
};

const grant = () => ({ provider: 'described', amount: '2.5', starts_on: '2024-05-01', expires_on: '2024-05-31' });

const credits: Record<string, Drive> = {
  'GET /api/credit-grants/': async ({ project }) => {
    expectStatus(await project.api('POST', '/api/credit-grants/', grant()), 201);
    return await project.api('GET', '/api/credit-grants/');
  },
  'POST /api/credit-grants/': async ({ project }) => [
    await project.api('POST', '/api/credit-grants/', grant()),
    await project.api('POST', '/api/credit-grants/', { ...grant(), models: ['m*'], priority: -1, name: 'described' }),
    await project.api('POST', '/api/credit-grants/', { ...grant(), amount: 0 }),
  ],
  'DELETE /api/credit-grants/{id}/': async ({ project }) => {
    const id = idOf(expectStatus(await project.api('POST', '/api/credit-grants/', grant()), 201));
    return await project.api('DELETE', `/api/credit-grants/${id}/`);
  },
};

const lists: Record<string, Drive> = Object.fromEntries(
  ['customers', 'users', 'features', 'models', 'providers'].map((name): [string, Drive] => [
    `GET /api/${name}/`,
    async ({ project }) => [
      await project.api('GET', `/api/${name}/?limit=1`),
      await project.api('GET', `/api/${name}/?search=A`),
      await project.api('GET', `/api/${name}/?limit=0`),
      await project.api('GET', `/api/${name}/?cursor=nonsense`),
    ],
  ]),
);

const log: Record<string, Drive> = {
  'GET /api/events/': async ({ project }) => [
    await project.api('GET', '/api/events/?limit=1'),
    await project.api('GET', '/api/events/?customer=acme'),
    await project.api('GET', '/api/events/?from=nonsense'),
    await project.api('GET', '/api/events/?order=oldest&limit=1', undefined, {
      headers: { accept: 'application/x-ndjson' },
    }),
  ],
  'GET /api/coverage/': async ({ project }) => [
    await project.api('GET', '/api/coverage/'),
    await project.api('GET', '/api/coverage/?date_from=2024-05-01&date_to=2024-05-31'),
    await project.api('GET', '/api/coverage/?date_from=2024-05-01&date_to=2024-04-01'),
  ],
};

const exports: Record<string, Drive> = {
  'GET /api/exports/focus/': async ({ project }) => {
    const ask = (query: string) =>
      project.api('GET', `/api/exports/focus/?date_from=2024-05-01&date_to=2024-05-31&${query}`);
    return [
      await ask('limit=1'),
      ...(await Promise.all(['csv', 'ndjson', 'parquet', 'xlsx'].map((format) => ask(`format=${format}`)))),
      await ask('format=csv&limit=1'),
      await ask('cursor=nonsense'),
    ];
  },
};

const calls: Record<string, Drive> = {
  'POST /api/calls/': async ({ project }) => [
    await project.api('POST', '/api/calls/', { ...range, limit: 1, row: { ...range, customer: 'acme' } }),
    await project.api('POST', '/api/calls/', { ...range, apply_credits: true }),
    await project.api('POST', '/api/calls/', { ...range, waste: ['failed', 'uncached_input'] }),
    await project.api('POST', '/api/calls/', { ...range, row: { date_from: '2024-04-30', date_to: '2024-05-01' } }),
  ],
  'GET /api/calls/{event_id}/': async ({ project }) => {
    const events = [
      tokenEvent({ model: 'house-llm', prompt_tokens: 5 }),
      tokenEvent({ model: 'gpt-4o', prompt_tokens: 5 }),
      { event_id: randomUUID(), event_type: 'llm.before' },
    ];
    await project.post(...events);
    return await Promise.all(events.map(({ event_id: id }) => project.api('GET', `/api/calls/${id}/`)));
  },
  'GET /api/runs/{run}/': async ({ project }) => [
    await project.api('GET', '/api/runs/run-1/?limit=1'),
    await project.api('GET', '/api/runs/run-1/?cursor=nonsense'),
  ],
};

const customers: Record<string, Drive> = {
  'POST /api/customer-tags/': async ({ project }) => {
    const customer = [{ customer_name: randomUUID(), tags: { plan: 'pro', trial: null } }];
    const first = await project.postTags(customer);
    return [first, await project.postTags(customer)];
  },
};

const users: Record<string, Drive> = {
  'POST /api/user-tags/': async ({ internal }) => {
    const users = [{ user_name: randomUUID(), tags: { team: 'support', trainee: null } }];
    const first = await internal.api('POST', '/api/user-tags/', { users });
    return [first, await internal.api('POST', '/api/user-tags/', { users })];
  },
};

const erasures: Record<string, Drive> = {
  'DELETE /api/customers/{name}/': (world) => asAdmin(world, 'DELETE', `/api/customers/${randomUUID()}/`),
  'DELETE /api/users/{name}/': (world) => asAdmin(world, 'DELETE', `/api/users/${randomUUID()}/`),
  'GET /api/erasures/': async (world) => {
    expectStatus(await asAdmin(world, 'DELETE', `/api/users/${randomUUID()}/`), 202);
    return await asAdmin(world, 'GET', '/api/erasures/');
  },
};

/** A request with the admin token, for the internal project. */
const asAdmin = ({ farthing, internal }: World, method: string, path: string) =>
  farthing.send(method, path, { token: farthing.adminToken, headers: { 'Farthing-Project': internal.id } });

const prices: Record<string, Drive> = {
  'GET /api/prices/': ({ project }) => project.api('GET', '/api/prices/'),
  'GET /api/models/{name}/price/': async ({ project }) => [
    await project.api('GET', '/api/models/gpt-4o/price/'),
    await project.api('GET', '/api/models/claude-opus-4-6/price/?at=2026-03-12'),
    await project.api('GET', '/api/models/house-llm/price/?at=2026-11-01T00:00:00Z&provider=us&service_tier=batch'),
    await project.api('GET', '/api/models/nobody%2Fknows/price/'),
  ],
  'POST /api/prices/': ({ project }) => project.api('POST', '/api/prices/', price()),
  'DELETE /api/prices/{id}/': async ({ project }) =>
    project.api('DELETE', `/api/prices/${await project.addPrice(price())}/`),
  'POST /api/prices/reprice/': async ({ project }) => [
    await project.api('POST', '/api/prices/reprice/', range),
    await project.api('POST', '/api/prices/reprice/', { ...range, assume: { models: { m1: 'nobody-knows' } } }),
  ],
  'GET /api/prices/reprices/': ({ project }) => project.api('GET', '/api/prices/reprices/'),
  'GET /api/prices/reprices/{id}/': async ({ project, repriceId }) => {
    const assume = { models: { m1: 'gpt-4o' }, overrides: [price()], cached_share: 0.5, service_tier: 'batch' };
    const whatIf = await project.api('POST', '/api/prices/reprice/', { ...range, assume });
    const read = (id: string) => project.api('GET', `/api/prices/reprices/${id}/`);
    const readDone = (id: string) =>
      poll('the reprice is done', { within: backgroundWithin }, async () => {
        const answer = await read(id);
        return Object(answer.body).state === 'done' ? answer : undefined;
      });
    return [await read(repriceId), await readDone(repriceId), await readDone(idOf(whatIf.body))];
  },
};

const catalogue: Record<string, Drive> = {
  'GET /admin/prices/update/': ({ farthing }) => farthing.admin('GET', '/admin/prices/update/'),
  'POST /admin/prices/update/': ({ farthing }) => farthing.admin('POST', '/admin/prices/update/'),
  'POST /admin/prices/look/': ({ farthing }) => farthing.admin('POST', '/admin/prices/look/'),
  'GET /api/price-check/': async ({ project }) => [
    await project.api('GET', '/api/price-check/'),
    await project.api('GET', '/api/price-check/?days=0'),
  ],
};

const price = () => ({ model: `described-${randomUUID()}`, input_per_mtok: 1, output_per_mtok: '2.5' });

const projects: Record<string, Drive> = {
  'GET /api/project/': ({ project }) => project.api('GET', '/api/project/'),
  'POST /admin/projects/': ({ farthing }) => farthing.admin('POST', '/admin/projects/', { name: 'described' }),
  'GET /admin/projects/': ({ farthing }) => farthing.admin('GET', '/admin/projects/'),
  'GET /admin/projects/{id}/': ({ farthing, project }) => farthing.admin('GET', `${project.adminPath}/`),
  'PATCH /admin/projects/{id}/': ({ farthing, internal }) =>
    farthing.admin('PATCH', `${internal.adminPath}/`, { name: 'renamed' }),
  'DELETE /admin/projects/{id}/': async (world) =>
    world.farthing.admin('DELETE', `${(await newProject(world)).adminPath}/`),
  'POST /admin/projects/{id}/rebuilds/': ({ farthing, internal }) =>
    farthing.admin('POST', `${internal.adminPath}/rebuilds/`),
  'GET /admin/projects/{id}/rebuilds/': ({ farthing, internal }) =>
    farthing.admin('GET', `${internal.adminPath}/rebuilds/`),
  'GET /admin/projects/{id}/rebuilds/{rebuild_id}/': ({ farthing, internal, rebuildId }) =>
    farthing.admin('GET', `${internal.adminPath}/rebuilds/${rebuildId}/`),
};

const keys: Record<string, Drive> = {
  'POST /admin/projects/{id}/clients/': ({ farthing, project }) =>
    farthing.admin('POST', `${project.adminPath}/clients/`, { name: 'described' }),
  'GET /admin/projects/{id}/clients/': ({ farthing, project }) =>
    farthing.admin('GET', `${project.adminPath}/clients/`),
  'DELETE /admin/projects/{id}/clients/{client_id}/': async ({ farthing, project }) =>
    farthing.admin('DELETE', `${project.adminPath}/clients/${(await project.createClient()).client_id}/`),
  'POST /admin/projects/{id}/clients/{client_id}/secrets/': async ({ farthing, project }) => {
    const path = `${project.adminPath}/clients/${(await project.createClient()).client_id}/secrets/`;
    return [
      await farthing.admin('POST', path, { expires_at: '2099-12-31T00:00:00Z' }),
      await farthing.send('POST', path, { token: farthing.adminToken }),
    ];
  },
  'DELETE /admin/projects/{id}/clients/{client_id}/secrets/{secret_id}/': async ({ farthing, project }) => {
    const { client_id: clientId } = await project.createClient();
    const { id } = await project.createSecret(clientId);
    return await farthing.admin('DELETE', `${project.adminPath}/clients/${clientId}/secrets/${id}/`);
  },
  'POST /admin/projects/{id}/api-keys/': ({ farthing, project }) =>
    farthing.admin('POST', `${project.adminPath}/api-keys/`, { expires_at: '2099-12-31T00:00:00Z' }),
  'GET /admin/projects/{id}/api-keys/': ({ farthing, project }) =>
    farthing.admin('GET', `${project.adminPath}/api-keys/`),
  'DELETE /admin/projects/{id}/api-keys/{key_id}/': async ({ farthing, project }) =>
    farthing.admin('DELETE', `${project.adminPath}/api-keys/${(await project.createKey({})).id}/`),
};

/** Begins a backup, sends a request about it, and ends it, because deletions of other tests wait for its end. */
async function withBackup({ farthing }: World, ask: (path: string) => Promise<Answer>): Promise<Answer> {
  const begun = await farthing.admin('POST', '/admin/backups/');
  const path = `/admin/backups/${idOf(expectStatus(begun, 201))}/`;
  const answer = await ask(path);
  await farthing.admin('DELETE', path);
  return answer;
}

const operating: Record<string, Drive> = {
  'GET /admin/diagnosis/': ({ farthing }) => farthing.admin('GET', '/admin/diagnosis/'),
  'POST /admin/backups/': async ({ farthing }) => {
    const begun = await farthing.admin('POST', '/admin/backups/');
    await farthing.admin('DELETE', `/admin/backups/${idOf(begun.body)}/`);
    return begun;
  },
  'GET /admin/backups/{id}/control/': (world) =>
    withBackup(world, (path) => world.farthing.admin('GET', `${path}control/`)),
  'GET /admin/backups/{id}/parts/{part}/': (world) =>
    withBackup(world, (path) => world.farthing.admin('GET', `${path}parts/0/`)),
  'DELETE /admin/backups/{id}/': (world) => withBackup(world, (path) => world.farthing.admin('DELETE', path)),
};

const assistants: Record<string, Drive> = {
  'POST /mcp': async ({ project }) => {
    const post = (message: Json, headers = {}) =>
      project.api('POST', '/mcp', { jsonrpc: '2.0', ...message }, { headers });
    const unknownVersion = { 'MCP-Protocol-Version': '1999-01-01' };
    return [
      await post({ id: 1, method: 'tools/list' }),
      await post({ id: 1, method: 'tools/call', params: { name: 'costs', arguments: range } }),
      await post({ method: 'notifications/initialized' }),
      await post({ id: 1, method: 'tools/list' }, unknownVersion),
      await post({ method: 1 }),
    ];
  },
};

export const goodRequests: Readonly<Record<string, Drive>> = {
  ...operations,
  ...sessions,
  ...intake,
  ...telemetry,
  ...gateways,
  ...analytics,
  ...performance,
  ...budgets,
  ...invoices,
  ...closes,
  ...alerts,
  ...credits,
  ...notifications,
  ...revenue,
  ...stripe,
  ...lists,
  ...log,
  ...exports,
  ...calls,
  ...customers,
  ...users,
  ...erasures,
  ...prices,
  ...catalogue,
  ...projects,
  ...keys,
  ...operating,
  ...assistants,
};
