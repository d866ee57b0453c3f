// A small HTTP client of the service for tests. A project has its key, its client and its secret with it.
import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import { z } from 'zod';
import { backgroundWithin, poll } from './poll.ts';
import './provided.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON of the answer, or undefined if it is not JSON. */
  body: unknown;
}

export interface SendOptions {
  /** Sent as JSON, unless `raw` is given. */
  body?: unknown;
  /** Sent unchanged. */
  raw?: string | Uint8Array<ArrayBuffer>;
  /** null sends no content type. */
  contentType?: string | null;
  token?: string | undefined;
  headers?: Record<string, string>;
}

export type Json = Record<string, unknown>;

export async function send(method: string, url: string, options: SendOptions = {}): Promise<Answer> {
  const { body, raw = body === undefined ? undefined : JSON.stringify(body), token, headers = {} } = options;
  const contentType = options.contentType === undefined ? 'application/json' : options.contentType;
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(raw !== undefined && contentType !== null && { 'content-type': contentType }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    // As bytes: `fetch` adds a content type to a string.
    ...(raw !== undefined && { body: typeof raw === 'string' ? new TextEncoder().encode(raw) : raw }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const projectRecord = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(['revenue', 'internal']),
  timezone: z.string(),
  at_risk_below_pct: z.number().nullable(),
  created_at: z.string(),
});
export type ProjectRecord = z.infer<typeof projectRecord>;

const createdClient = z.object({ client_id: z.string(), secret: z.string() });
const createdSecret = z.object({ id: z.string(), secret: z.string() });
const createdKey = z.object({ id: z.string(), api_key: z.string() });
const createdPrice = z.object({ id: z.string() });
const tagsAnswer = z.object({ ok: z.literal(true), customers_updated: z.number().int() });

const costRow = z.object({
  date_from: z.string(),
  date_to: z.string(),
  customer: z.string().optional(),
  feature: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  tag: z.string().optional(),
  cost: z.number(),
  avg_feature_run_cost: z.number(),
  max_feature_run_cost: z.number(),
});
export type CostRow = z.infer<typeof costRow>;

const keyMetricEntry = z.strictObject({ value: z.number(), total_cost: z.number(), cost_per_unit: z.number() });

const performanceRow = z.strictObject({
  date_from: z.string(),
  date_to: z.string(),
  user: z.string().optional(),
  tag: z.string().optional(),
  cost: z.number(),
  key_metrics: z.record(z.string(), keyMetricEntry),
});
export type PerformanceRow = z.infer<typeof performanceRow>;

export interface Page<Row> {
  rows: Row[];
  next_cursor: string | null;
  has_more: boolean;
}

const pageOf = <Row>(row: z.ZodType<Row>): z.ZodType<Page<Row>> =>
  z.object({ rows: z.array(row), next_cursor: z.string().nullable(), has_more: z.boolean() });
const [costPage, performancePage] = [pageOf(costRow), pageOf(performanceRow)];
export type CostPage = Page<CostRow>;

const userTagsAnswer = z.object({ ok: z.literal(true), users_updated: z.number().int() });

export type CustomerTags = { customer_name: string; tags: Record<string, string | null> };
export type UserTags = { user_name: string; tags: Record<string, string | null> };

export interface Farthing {
  url: string;
  adminToken: string;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** A request with the admin token. */
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates a project for a test, with a client and a key of both scopes. */
  createProject(fields?: Json): Promise<Project>;
}

export interface Project {
  farthing: Farthing;
  record: ProjectRecord;
  id: string;
  adminPath: string;
  apiKey: string;
  clientId: string;
  secret: string;
  intakePath: string;

  /** A request with the project's key. */
  api(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
  /** A request to the intake with the client's secret. */
  intake(options: SendOptions): Promise<Answer>;
  /** Posts one event, or several as one batch; the answer must be a success. */
  post(...events: Json[]): Promise<void>;
  postCosts(query: unknown, options?: SendOptions): Promise<Answer>;
  /** One page; the answer must be a 200. */
  costs(query: Json, options?: SendOptions): Promise<CostPage>;
  /** The rows of all pages. */
  allCosts(query: Json): Promise<CostRow[]>;
  /** The total cost of all matching calls, over all time. */
  totalCost(filters?: Json): Promise<number>;
  /** Value → cost over all time. */
  costBy(dimension: Dimension, filters?: Json): Promise<Record<string, number>>;
  postTags(customers: unknown, fields?: Json): Promise<Answer>;
  /** Sets tags with `upsert`; the answer must be a success. */
  tag(...customers: CustomerTags[]): Promise<void>;
  /** Adds a price override, which must succeed, and returns its id. */
  addPrice(fields: Json): Promise<string>;
  /** Sets tags of users with `upsert`; the answer must be a success. */
  tagUsers(...users: UserTags[]): Promise<void>;
  /** Defines a key metric; the answer must be a success. */
  keyMetric(name: string, fields: Json): Promise<void>;
  /** One page; the answer must be a 200. */
  performance(query: Json): Promise<Page<PerformanceRow>>;
  /** The rows of all pages. */
  allPerformance(query: Json): Promise<PerformanceRow[]>;
  createKey(fields: Json): Promise<{ id: string; api_key: string }>;
  createClient(): Promise<{ client_id: string; secret: string }>;
  /** The same project, reached through another instance of the service. */
  through(farthing: Farthing): Project;
  createSecret(clientId: string): Promise<{ id: string; secret: string }>;
}

export type Dimension = 'customer' | 'feature' | 'model' | 'provider';

/** The ten years that hold all events of the tests, which is the longest range allowed (D6.5). */
export const wholeRange = { date_from: '2019-01-01', date_to: '2029-01-06' };

/** The service that all tests of this vitest project share. On a busy machine it may be behind, so requests are repeated. */
export function sharedFarthing(): Farthing {
  const sendPatiently: typeof send = (...request) => onceCaughtUp(() => send(...request));
  return connect(inject('serviceUrl'), inject('adminToken'), sendPatiently);
}

/** Reads `url` for each request, so that requests can go to several instances in turn. */
export function connect(service: string | (() => string), adminToken: string, sendOne = send): Farthing {
  const urlOf = typeof service === 'string' ? () => service : service;
  const farthing: Farthing = {
    get url() {
      return urlOf();
    },
    adminToken,
    send: (method, path, options) => sendOne(method, `${urlOf()}${path}`, options),
    admin: (method, path, body) => sendOne(method, `${urlOf()}${path}`, { body, token: adminToken }),
    createProject: async (fields = {}) => {
      const made = await farthing.admin('POST', '/admin/projects/', { name: 'a test', ...fields });
      const record = projectRecord.parse(expectStatus(made, 201));
      return await equipProject(farthing, record);
    },
  };
  return farthing;
}

const adminPathOf = ({ id }: ProjectRecord) => `/admin/projects/${id}`;

async function createIn(farthing: Farthing, record: ProjectRecord, path: string, fields: Json): Promise<unknown> {
  return expectStatus(await farthing.admin('POST', `${adminPathOf(record)}${path}`, fields), 201);
}

async function equipProject(farthing: Farthing, record: ProjectRecord): Promise<Project> {
  const [client, key] = await Promise.all([
    createIn(farthing, record, '/clients/', { name: 'client' }),
    createIn(farthing, record, '/api-keys/', { name: 'key', scopes: ['read', 'write'] }),
  ]);
  const { client_id: clientId, secret } = createdClient.parse(client);
  return connectProject(farthing, record, { clientId, secret, apiKey: createdKey.parse(key).api_key });
}

function connectProject(
  farthing: Farthing,
  record: ProjectRecord,
  credentials: Pick<Project, 'clientId' | 'secret' | 'apiKey'>,
): Project {
  const { clientId, secret, apiKey } = credentials;
  const adminPath = adminPathOf(record);
  const create = (path: string, fields: Json) => createIn(farthing, record, path, fields);
  const createClient = async () => createdClient.parse(await create('/clients/', { name: 'client' }));
  const createKey = async (fields: Json) => createdKey.parse(await create('/api-keys/', fields));
  const intakePath = `/intake/${clientId}/`;

  const project: Project = {
    farthing,
    record,
    id: record.id,
    adminPath,
    apiKey,
    clientId,
    secret,
    intakePath,
    createClient,
    createKey,
    createSecret: async (id) => createdSecret.parse(await create(`/clients/${id}/secrets/`, {})),
    api: (method, path, body, options = {}) => farthing.send(method, path, { body, token: apiKey, ...options }),
    intake: (options) => farthing.send('POST', intakePath, { token: secret, ...options }),
    post: async (...events) => {
      const answer = await project.intake({ body: events.length === 1 ? events[0] : events });
      expectStatus(answer, 200);
    },
    postCosts: (query, options) => project.api('POST', '/api/costs/', query, options),
    costs: async (query, options) =>
      costPage.parse(expectStatus(await onceCaughtUp(() => project.postCosts(query, options)), 200)),
    allCosts: (query) => allRows((fields) => project.costs(fields), query),
    totalCost: async (filters = {}) => {
      const [row] = await project.allCosts({ ...wholeRange, aggregate: 'all', ...filters });
      if (row === undefined) throw new Error('an ungrouped answer had no row');
      return row.cost;
    },
    costBy: async (dimension, filters = {}) => {
      const rows = await project.allCosts({ ...wholeRange, aggregate: 'all', group_by: dimension, ...filters });
      return Object.fromEntries(rows.map((row) => [row[dimension], row.cost]));
    },
    postTags: (customers, fields = {}) => project.api('POST', '/api/customer-tags/', { customers, ...fields }),
    tag: async (...customers) => {
      tagsAnswer.parse(expectStatus(await project.postTags(customers, { upsert: true }), 200));
    },
    addPrice: async (fields) =>
      createdPrice.parse(expectStatus(await project.api('POST', '/api/prices/', fields), 201)).id,
    tagUsers: async (...users) => {
      const answer = await project.api('POST', '/api/user-tags/', { users, upsert: true });
      userTagsAnswer.parse(expectStatus(answer, 200));
    },
    keyMetric: async (name, fields) => {
      const answer = await project.api('PUT', `/api/key-metrics/${encodeURIComponent(name)}/`, fields);
      expect([200, 201], answer.text).toContain(answer.status);
    },
    performance: async (query) =>
      performancePage.parse(
        expectStatus(await onceCaughtUp(() => project.api('POST', '/api/performance/', query)), 200),
      ),
    allPerformance: (query) => allRows((fields) => project.performance(fields), query),
    through: (other) => connectProject(other, record, credentials),
  };
  return project;
}

async function allRows<Row>(ask: (query: Json) => Promise<Page<Row>>, query: Json): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await ask({ limit: 1000, ...query, ...(cursor !== null && { cursor }) });
    rows.push(...page.rows);
    cursor = page.has_more ? page.next_cursor : null;
  } while (cursor !== null);
  return rows;
}

/** Asks again while the answer is refused because assembly is more than 10 s behind: on a busy machine it may be. */
export async function onceCaughtUp(ask: () => Promise<Answer>): Promise<Answer> {
  return await poll('assembly has caught up', { within: backgroundWithin, every: 500 }, async () => {
    const answer = await ask();
    return answer.status === 503 && answer.text.includes('"code":"catching_up"') ? undefined : answer;
  });
}

/** Waits until all posted events are in the calls. A question about credits that were never granted reads none of them. */
export async function untilAssembled(project: Project): Promise<void> {
  expectStatus(await project.api('GET', '/api/credit-grants/'), 200);
}

/** The body of an answer, which must have this status. */
export function expectStatus(answer: Answer, status: number): unknown {
  expect(answer.status, answer.text).toBe(status);
  return answer.body;
}

/** An event that reports this cost, at noon of a day. */
export function costEvent(fields: Json & { cost: number }): Json {
  return { event_id: randomUUID(), event_type: 'llm.after', timestamp: '2024-05-15T12:00:00Z', ...fields };
}

/** An `.after` event with token counts, for a model with a price override. */
export function tokenEvent(fields: Json): Json {
  return { event_id: randomUUID(), event_type: 'llm.after', timestamp: '2024-05-15T12:00:00Z', model: 'm1', ...fields };
}
