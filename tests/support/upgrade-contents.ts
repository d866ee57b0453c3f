// The contents of the data folder that a release leaves behind: an example of everything that a project can have.
import { randomUUID } from 'node:crypto';
import type { ProjectOfRelease } from './upgrades.ts';

/** Sends a request for a project, or with the admin token alone; the status must be 200 to 299. */
export interface Asker {
  ask(method: string, path: string, body?: unknown, project?: string): Promise<Record<string, unknown>>;
  post(project: ProjectOfRelease, events: readonly object[]): Promise<void>;
}

/** The first day of the calls. Their days are long past, so the answers don't depend on today. */
const firstDay = Date.UTC(2025, 10, 24);
const dayCount = 14;
const dayMs = 86_400_000;
/** The last day of the questions. */
export const lastDay = '2025-12-31';

/** Makes two projects with everything they can have. All of their days except some can be sealed afterwards. */
export async function makeContents(asker: Asker): Promise<ProjectOfRelease[]> {
  const revenue = await makeProject(asker, { name: 'Shop', timezone: 'America/New_York', at_risk_below_pct: 40 });
  const internal = await makeProject(asker, { name: 'Desk', type: 'internal' });
  const doomed = await makeProject(asker, { name: 'Closed' });
  await surroundRevenue(asker, revenue.id);
  await surroundInternal(asker, internal.id);
  for (const project of [revenue, internal, doomed]) {
    for (let day = 0; day < dayCount; day += 1) await asker.post(project, makeEvents(day));
  }
  await asker.ask('DELETE', `/admin/projects/${doomed.id}/`);
  // New prices and another timezone make further generations of days; an erasure deletes.
  await asker.ask('POST', '/api/prices/', { model: 'house-*', input_per_mtok: 3, output_per_mtok: 9 }, revenue.id);
  const range = { date_from: '2025-11-26', date_to: '2025-11-29' };
  await asker.ask('POST', '/api/prices/reprice/', { ...range, dry_run: false }, revenue.id);
  await asker.ask('PATCH', `/admin/projects/${revenue.id}/`, { timezone: 'Europe/Berlin' });
  await asker.ask('DELETE', '/api/customers/initech/', undefined, revenue.id);
  return [revenue, internal];
}

/** Posts late events of sealed days, so that these are sealed again. */
export async function addLateEvents(asker: Asker, projects: readonly ProjectOfRelease[]): Promise<void> {
  for (const project of projects) {
    for (const day of [2, dayCount - 1]) await asker.post(project, makeEvents(day).slice(0, 8));
  }
}

async function makeProject(asker: Asker, fields: object): Promise<ProjectOfRelease> {
  const { id, type } = await asker.ask('POST', '/admin/projects/', fields);
  const path = `/admin/projects/${id}`;
  const client = await asker.ask('POST', `${path}/clients/`, { name: 'backend' });
  const key = await asker.ask('POST', `${path}/api-keys/`, { name: 'page', scopes: ['read', 'write'] });
  const revoked = await asker.ask('POST', `${path}/api-keys/`, { name: 'lost', scopes: ['read'] });
  await asker.ask('DELETE', `${path}/api-keys/${revoked.id}/`);
  return {
    id: String(id),
    type: type === 'internal' ? 'internal' : 'revenue',
    api_key: String(key.api_key),
    client_id: String(client.client_id),
    secret: String(client.secret),
  };
}

async function surroundRevenue(asker: Asker, id: string): Promise<void> {
  const prices = [
    { model: 'house-*', input_per_mtok: 2, output_per_mtok: 8, cache_read_per_mtok: 0.5 },
    { model: 'house-large', provider: 'house', input_per_mtok: 4, output_per_mtok: 16, per_request: 0.001 },
  ];
  for (const price of prices) await asker.ask('POST', '/api/prices/', price, id);
  const grants = [
    { name: 'used up', provider: 'openai', amount: 0.05, starts_on: '2025-11-25' },
    { name: 'expired', provider: 'anthropic', amount: 1, starts_on: '2025-11-01', expires_on: '2025-12-02' },
    { provider: 'house', models: ['house-l*'], amount: 500, starts_on: '2025-11-01', priority: -1 },
  ];
  for (const grant of grants) await asker.ask('POST', '/api/credit-grants/', grant, id);
  const entries = [
    { external_id: 'inv-1', customer: 'acme', amount: 100, date_from: '2025-11-01', date_to: '2025-11-30' },
    { external_id: 'inv-2', customer: 'globex', amount: '0.07', date_from: '2025-11-24', date_to: '2025-12-23' },
    { external_id: 'refund', customer: 'acme', amount: -9.99, date_from: '2025-12-01' },
    { external_id: 'inv-3', customer: 'initech', amount: 1, date_from: '2025-12-01' },
  ];
  await asker.ask('POST', '/api/revenue/', { entries }, id);
  const customers = [
    { customer_name: 'acme', tags: { plan: 'pro', region: 'eu' } },
    { customer_name: 'globex', tags: { plan: 'free' } },
    { customer_name: 'never seen', tags: { plan: 'free' } },
  ];
  await asker.ask('POST', '/api/customer-tags/', { customers }, id);
}

async function surroundInternal(asker: Asker, id: string): Promise<void> {
  const metrics = {
    tickets: { event_type: 'ticket.closed', aggregation: 'count', unit: 'ticket' },
    minutes: { event_type: 'ticket.closed', aggregation: 'sum', field: '/data/minutes', features: ['search'] },
    queues: { event_type: 'ticket.closed', aggregation: 'unique', field: '/data/queue' },
  };
  for (const [name, metric] of Object.entries(metrics)) {
    await asker.ask('PUT', `/api/key-metrics/${name}/`, metric, id);
  }
  const users = ['ann', 'bob'].map((user_name, index) => ({ user_name, tags: { team: `team-${index}` } }));
  await asker.ask('POST', '/api/user-tags/', { users }, id);
}

const models = [
  { provider: 'openai', model: 'gpt-4o' },
  { provider: 'anthropic', model: 'claude-sonnet-4-5' },
  { provider: 'house', model: 'house-large' },
  { model: 'gpt-4o-mini' },
  { model: 'house-small' },
  { provider: 'nobody', model: 'unheard-of' },
];

/** The usage that calls report, by the conventions of several providers, and a cost. */
const usages = [
  { prompt_tokens: 1_200, completion_tokens: 340, cached_tokens: 800 },
  { usage: { prompt_tokens: 900, completion_tokens: 210, prompt_tokens_details: { cached_tokens: 128 } } },
  { usage: { input_tokens: 300, output_tokens: 80, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 50 } },
  { response: { usage: { inputTokens: 100, outputTokens: 50, cacheReadInputTokens: 200 } } },
  { usageMetadata: { promptTokenCount: 700, candidatesTokenCount: 90, thoughtsTokenCount: 30 } },
  { cost: 0.012345678901 },
  {},
  // The first releases read this usage only in part, or not at all.
  { usage: { input_tokens: 500, output_tokens: 60, server_tool_use: { web_search_requests: 3 } } },
  {
    response: {
      usage: { input_tokens: 40, output_tokens: 8 },
      output: [{ type: 'web_search_call', action: { type: 'search' } }],
    },
  },
  {
    usage: {
      inputTokens: { total: 400, noCache: 300, cacheRead: 100, cacheWrite: 0 },
      outputTokens: { total: 90, text: 70, reasoning: 20 },
    },
  },
  { usage: { type: 'duration', seconds: 61 } },
];

const of = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** The events of a day: closed tickets and calls. Some calls fail, some are repeated, some run past midnight. */
function makeEvents(day: number): object[] {
  const startMs = firstDay + day * dayMs;
  const calls = Array.from({ length: 9 }, (_, index) => {
    const at = 9 * day + index;
    const tags = {
      ...(at % 7 !== 0 && { customer: of(['acme', 'globex', 'initech', 'Österreich 🎻'], at) }),
      ...(at % 5 !== 0 && { feature: of(['search', 'chat'], at) }),
      user: of(['ann', 'bob', 'cem'], at),
      run_id: `run-${Math.floor(at / 4)}`,
      stage: of(['draft', 'final'], at),
    };
    const timestamp = new Date(startMs + index * 9_600_000).toISOString();
    const base = { event_id: randomUUID(), timestamp, ...of(models, at), tags };
    const before = { ...base, event_type: 'llm.before' };
    const failed = { ...base, event_type: 'llm.error', error_type: 'timeout', elapsed_ms: 30_000 };
    const after = { ...base, event_type: 'llm.after', elapsed_ms: 100 + at / 8, ...of(usages, at) };
    const outcome = at % 11 === 3 ? failed : after;
    return at % 6 === 1 ? [outcome, before, outcome] : [before, outcome];
  });
  const tickets = Array.from({ length: 3 }, (_, index) => ({
    event_id: randomUUID(),
    event_type: 'ticket.closed',
    timestamp: new Date(startMs + 43_200_000 + index).toISOString(),
    tags: { user: of(['ann', 'bob'], day + index) },
    data: { minutes: index === 2 ? 'many' : 2.5 * index + 0.1, queue: of(['sales', 'billing', 7], day + index) },
  }));
  return [...calls.flat(), ...tickets];
}
