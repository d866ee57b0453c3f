// A question to each tool, and the request to the route that must give the same answer.
import { randomUUID } from 'node:crypto';
import {
  type Answer,
  costEvent,
  expectStatus,
  type Farthing,
  type Json,
  type Project,
  tokenEvent,
} from '../../support/client.ts';
import { postRevenue } from '../../support/margin.ts';
import { createInternalProject } from '../../support/performance.ts';

export interface World {
  readonly revenue: Project;
  readonly internal: Project;
  readonly callId: string;
  readonly closeId: string;
}

/** Projects with something of everything that the tools tell. */
export async function makeWorld(farthing: Farthing): Promise<World> {
  const [revenue, internal] = await Promise.all([farthing.createProject(), createInternalProject(farthing)]);
  const callId = randomUUID();
  await revenue.addPrice({ model: 'm1', input_per_mtok: 2.5, output_per_mtok: 10 });
  await revenue.post(
    tokenEvent({
      event_id: callId,
      prompt_tokens: 412,
      completion_tokens: 87,
      tags: { customer: 'acme', feature: 'chat' },
    }),
    costEvent({ cost: 1.25, model: 'm2', provider: 'openai', tags: { customer: 'globex' }, elapsed_ms: 840.5 }),
    costEvent({ cost: 0.1, timestamp: '2024-04-20T12:00:00Z', model: 'm2', tags: { customer: 'acme' } }),
    tokenEvent({ model: 'house-llm', prompt_tokens: 10, tags: { customer: 'acme', feature: 'chat' } }),
  );
  await internal.post(costEvent({ cost: 3, tags: { user: 'ann' } }));
  await revenue.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
  await Promise.all([
    postRevenue(revenue, [
      { external_id: 'r', customer: 'acme', amount: 350, date_from: '2024-05-01', date_to: '2024-05-31' },
    ]),
    revenue.api('POST', '/api/invoices/', { entries: [invoice] }),
    revenue.api('POST', '/api/budgets/', { name: 'a / ü', amount: 5, period: 'month', each: 'customer' }),
  ]).then((answers) => answers.map((answer) => expect2xx(answer)));
  const close = await revenue.api('POST', '/api/closes/', { through: '2024-05-31' });
  await revenue.post(costEvent({ cost: 2, tags: { customer: 'acme' } }));
  return { revenue, internal, callId, closeId: String(Object(expectStatus(close, 201)).id) };
}

function expect2xx(answer: Answer): void {
  if (answer.status >= 300) throw new Error(answer.text);
}

const invoice = {
  external_id: 'i',
  provider: 'openai',
  date_from: '2024-05-01',
  date_to: '2024-05-31',
  amount: 1.5,
  kind: 'usage',
};

const plan = { name: 'Pro', customers: { customer_tags: { plan: 'pro' } }, base_per_month: 34, markup_pct: 20 };

interface Question {
  readonly tool: string;
  readonly project: Project;
  readonly asked: Json;
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

const range = { date_from: '2024-04-01', date_to: '2024-05-31' };
const perMonth = { ...range, aggregate: 'month' };

/** A question or two to every tool. */
export function listQuestions({ revenue, internal, callId, closeId }: World): Question[] {
  const get = (tool: string, path: string, asked: Json = {}): Question => ({
    tool,
    project: revenue,
    asked,
    method: 'GET',
    path,
  });
  const post = (tool: string, asked: Json, project = revenue, path = `/api/${tool}/`): Question => ({
    tool,
    project,
    asked,
    method: 'POST',
    path,
  });
  return [
    get('project', '/api/project/'),
    post('costs', { ...perMonth, group_by: 'customer' }),
    post('costs', { ...range, aggregate: 'all', customer_tags: { plan: 'pro' }, as_of: closeId }),
    post('margin', { ...perMonth, group_by: 'customer_tag:plan' }),
    post('plans', { ...perMonth, target_margin_pct: 70 }),
    post('simulate_plans', { ...range, plans: [plan] }, revenue, '/api/plans/simulate/'),
    post('performance', { ...perMonth, group_by: 'user_tag:team' }, internal),
    post('usage', { ...perMonth, group_by: 'model' }),
    post('changes', { date_from: '2024-05-01', date_to: '2024-05-31', group_by: 'tag:env' }),
    get('coverage', '/api/coverage/?date_from=2024-04-01&date_to=2024-05-31', range),
    post('calls', { ...range, order: 'newest', limit: 2 }),
    get('explain_call', `/api/calls/${callId}/?ordinal=0`, { event_id: callId, ordinal: 0 }),
    get('budgets', '/api/budgets/'),
    get('budget', '/api/budgets/a%20%2F%20%C3%BC/?of=acme', { name: 'a / ü', of: 'acme' }),
    post('reconciliation', { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all', group_by: 'provider' }),
    get('closes', '/api/closes/?limit=1', { limit: 1 }),
    post('drift', { id: closeId, date_from: '2024-05-01' }, revenue, `/api/closes/${closeId}/drift/`),
    get('customers', '/api/customers/?search=ACM', { search: 'ACM' }),
    get('tags', '/api/tags/?kind=customer', { kind: 'customer' }),
    ...['users', 'features', 'models', 'providers', 'alerts'].map((name) => get(name, `/api/${name}/`)),
    get('firings', '/api/alerts/firings/?kind=anomaly', { kind: 'anomaly' }),
    post('waste', { ...range, alternatives: { m1: 'gpt-4o-mini' } }),
    get('next_steps', '/api/next-steps/'),
    get('credit_cliff', '/api/credit-cliff/'),
  ];
}

/** The answer of the route, which must be a success. */
export async function askRoute({ project, method, path, asked }: Question): Promise<unknown> {
  const { id: _id, ...body } = asked;
  return expectStatus(await project.api(method, path, method === 'POST' ? body : undefined), 200);
}
