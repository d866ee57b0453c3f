// A good request to every route that answers from calls and events, and to those of key metrics.
import { randomUUID } from 'node:crypto';
import { costEvent, type Json, tokenEvent } from '../../support/client.ts';
import { postMargin } from '../../support/margin.ts';
import { type Drive, range } from './world.ts';

const simulation = {
  ...range,
  plans: [{ name: 'All', customers: { customer_tags: { plan: 'pro' } }, base_per_month: 1, markup_pct: 20 }],
};

export const analytics: Record<string, Drive> = {
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
  'POST /api/digests/preview/': async ({ project, internal }) => [
    await project.api('POST', '/api/digests/preview/', { every: 'weekly', on: '2024-05-20' }),
    await project.api('POST', '/api/digests/preview/', { every: 'daily' }),
    await internal.api('POST', '/api/digests/preview/', { every: 'monthly' }),
  ],
  'POST /api/plans/': async ({ project, internal }) => [
    await project.api('POST', '/api/plans/', { ...range, aggregate: 'all', target_margin_pct: 70 }),
    await project.api('POST', '/api/plans/', { ...range, plan_tag: '' }),
    await internal.api('POST', '/api/plans/', range),
  ],
  'POST /api/plans/simulate/': async ({ project, internal }) => {
    const plan = { name: 'All', customers: { names: ['acme'] }, base_per_month: 1, markup_pct: 20 };
    const charged = { ...plan, name: 'Calls', overage: { unit: 'calls', price: '0.01' } };
    return [
      await project.api('POST', '/api/plans/simulate/', { ...range, plans: [plan], target_margin_pct: 70 }),
      await project.api('POST', '/api/plans/simulate/', { ...range, plans: [charged] }),
      await project.api('POST', '/api/plans/simulate/', { ...range, plans: [plan, plan] }),
      await internal.api('POST', '/api/plans/simulate/', { ...range, plans: [plan] }),
    ];
  },
  'GET /api/plans/simulations/': async ({ project }) => {
    await project.api('PUT', '/api/plans/simulations/listed/', simulation);
    return await project.api('GET', '/api/plans/simulations/');
  },
  'GET /api/plans/simulations/{name}/': async ({ project }) => {
    await project.api('PUT', '/api/plans/simulations/one/', simulation);
    return await project.api('GET', '/api/plans/simulations/one/');
  },
  'PUT /api/plans/simulations/{name}/': async ({ project }) => {
    const path = `/api/plans/simulations/${randomUUID()}/`;
    return [
      await project.api('PUT', path, simulation),
      await project.api('PUT', path, simulation),
      await project.api('PUT', path, { ...simulation, plans: [] }),
    ];
  },
  'DELETE /api/plans/simulations/{name}/': async ({ project }) => {
    const path = `/api/plans/simulations/${randomUUID()}/`;
    await project.api('PUT', path, simulation);
    return [await project.api('DELETE', path), await project.api('DELETE', path)];
  },
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

export const performance: Record<string, Drive> = {
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

export const lists: Record<string, Drive> = Object.fromEntries(
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

lists['GET /api/tags/'] = async ({ project }) => [
  await project.api('GET', '/api/tags/?kind=call&date_from=2024-05-01&date_to=2024-05-31'),
  await project.api('GET', '/api/tags/?kind=customer'),
  await project.api('GET', '/api/tags/?kind=model'),
  await project.api('GET', '/api/tags/?kind=call&date_from=2024-05-02&date_to=2024-05-01'),
];

export const log: Record<string, Drive> = {
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

export const exports: Record<string, Drive> = {
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

export const calls: Record<string, Drive> = {
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

export const assistants: Record<string, Drive> = {
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
