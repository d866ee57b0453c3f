// Calls, runs and explanations from the API, parsed with their exact fields.
import { z } from 'zod';
import { expectStatus, type Json, type Project } from './client.ts';

const callFields = {
  event_id: z.string(),
  ordinal: z.number().int(),
  day: z.string(),
  time: z.string(),
  customer: z.string(),
  user: z.string(),
  feature: z.string(),
  run: z.string(),
  model: z.string(),
  provider: z.string(),
  tags: z.record(z.string(), z.string()),
  failed: z.boolean(),
  aborted: z.boolean(),
  elapsed_ms: z.number().nullable(),
  cost: z.number(),
  net_cost: z.number().optional(),
  cost_source: z.enum([
    'reported',
    'override',
    'catalogue',
    'further_list',
    'gateway_cache',
    'wrapper',
    'none',
    'unpriced',
  ]),
  unpriced_reason: z.string().nullable(),
  partly_priced: z.array(z.string()),
  tokens: z.record(z.string(), z.number().int()),
  units: z.record(z.string(), z.number()),
  terms: z.record(z.string(), z.string()),
};

const call = z.strictObject(callFields);
export type Call = z.infer<typeof call>;

const pageFields = { rows: z.array(call), next_cursor: z.string().nullable(), has_more: z.boolean() };
const callsPage = z.strictObject(pageFields);
export type CallsPage = z.infer<typeof callsPage>;

const source = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('override'), override_id: z.string() }),
  z.strictObject({
    kind: z.literal('catalogue'),
    version: z.string(),
    provider: z.string(),
    entry: z.string(),
    correction_source: z.string().nullable(),
  }),
  z.strictObject({
    kind: z.literal('further_list'),
    list: z.string(),
    version: z.string(),
    provider: z.string(),
    entry: z.string(),
  }),
  z.strictObject({ kind: z.literal('supplement'), page: z.url(), checked_on: z.iso.date() }),
]);

const termChange = z.strictObject({ name: z.string(), value: z.string(), factor: z.number().nullable(), source });

const line = z.union([
  z.strictObject({
    bucket: z.string(),
    tokens: z.number().int(),
    rate_per_mtok: z.number(),
    amount: z.number(),
    source,
    terms: z.array(termChange).optional(),
    rate_of: z.string().optional(),
    model: z.string().optional(),
  }),
  z.strictObject({ unit: z.string(), count: z.number(), rate_per_unit: z.number(), amount: z.number(), source }),
  z.strictObject({
    bucket: z.literal('request'),
    requests: z.literal(1),
    rate_per_request: z.number(),
    amount: z.number(),
    source,
  }),
]);

const eventsFields = {
  events: z.array(z.strictObject({ received_at: z.string(), client_id: z.string(), event: z.looseObject({}) })),
  events_total: z.number().int(),
};

const explainedCall = z.strictObject({
  ...callFields,
  open: z.literal(false),
  calls: z.number().int(),
  explanation: z.strictObject({
    // Any other value is a fault, unless another version costed the call.
    reproduced: z.literal(true),
    lines: z.array(line),
    partly_priced: z.array(z.string()),
    note: z.string().nullable(),
    reported_cost: z.number().nullable(),
    price_book: z.strictObject({ id: z.string(), activated_at: z.string() }),
    wraps: z.string().optional(),
    reports: z.array(
      z.strictObject({
        event_id: z.string(),
        emitter: z.string().nullable(),
        joined_by: z.enum(['answer_id', 'span', 'likeness']),
      }),
    ),
    credit: z.strictObject({ covered_fraction: z.number(), net_cost: z.number() }),
  }),
  ...eventsFields,
});
export type ExplainedCall = z.infer<typeof explainedCall>;

const runPage = z.strictObject({
  run: z.string(),
  first_time: z.string(),
  last_time: z.string(),
  calls: z.number().int(),
  failed_calls: z.number().int(),
  cost: z.number(),
  features: z.array(z.string()),
  customers: z.array(z.string()),
  ...pageFields,
});
export type RunPage = z.infer<typeof runPage>;

/** One page of calls; the answer must be a 200. */
export async function listCalls(project: Project, body: Json): Promise<CallsPage> {
  return callsPage.parse(expectStatus(await project.api('POST', '/api/calls/', body), 200));
}

/** The calls of all pages. */
export async function allCalls(project: Project, body: Json): Promise<Call[]> {
  const calls: Call[] = [];
  let cursor: string | null = null;
  do {
    const page: CallsPage = await listCalls(project, { limit: 1000, ...body, ...(cursor !== null && { cursor }) });
    calls.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return calls;
}

/** A call with its explanation; the answer must be a 200. */
export async function explainCall(project: Project, eventId: string): Promise<ExplainedCall> {
  return explainedCall.parse(expectStatus(await project.api('GET', `/api/calls/${eventId}/`), 200));
}

/** One page of a run; the answer must be a 200. */
export async function readRun(project: Project, run: string, query = ''): Promise<RunPage> {
  return runPage.parse(expectStatus(await project.api('GET', `/api/runs/${encodeURIComponent(run)}/${query}`), 200));
}
