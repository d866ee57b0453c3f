import { readFileSync } from 'node:fs';
import { beforeAll, expect, inject, test } from 'vitest';
import { explainCall } from '../../support/calls.ts';
import { type Json, type Project, type SendOptions, send, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';

const farthing = sharedFarthing();

const fixture = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../fixtures/gateways/${name}.json`, import.meta.url), 'utf8')) as T;
const liteLlm = fixture<{ records: Record<string, Json> }>('litellm-callback').records;
const openRouter = fixture<{ payload: Json }>('openrouter-broadcast').payload;

let project: Project;

beforeAll(async () => {
  project = await farthing.createProject();
  await postTo('litellm', { body: Object.values(liteLlm) });
  await postTo('openrouter', { body: openRouter });
});

const postTo = (path: string, options: SendOptions, method = 'POST') =>
  farthing.send(method, `${project.intakePath}${path}/`, { token: project.secret, ...options });

interface Listed extends Json {
  readonly event_id: string;
  readonly tags: Record<string, string>;
}

/** The ids that the gateways gave to the calls, by the id of the call. */
const idsOfGateways = new Map<string, Promise<string>>();

async function idOfGateway(eventId: string): Promise<string> {
  const { events } = (await explainCall(project, eventId)) as unknown as { events: { event: Json }[] };
  const { litellm, openrouter } = (events[0]?.event ?? {}) as { litellm?: Json; openrouter?: Json };
  return String(litellm?.id ?? openrouter?.spanId);
}

/** The calls of the project, by the id that their gateway gave them. Each is there once. */
async function calls(): Promise<Map<string, Listed>> {
  const listed = await project.api('POST', '/api/calls/', { date_from: '2026-01-15', date_to: '2026-01-15' });
  expect(listed.status).toBe(200);
  const { rows } = listed.body as { rows: Listed[] };
  const named = await Promise.all(
    rows.map(async (row): Promise<[string, Listed]> => {
      const id = idsOfGateways.get(row.event_id) ?? idOfGateway(row.event_id);
      idsOfGateways.set(row.event_id, id);
      return [await id, row];
    }),
  );
  expect(new Set(named.map(([id]) => id)).size).toBe(rows.length);
  return new Map(named);
}

test('D16.1: records of LiteLLM become calls, whichever form its callback sends and however often', async () => {
  const records = Object.values(liteLlm);
  const lines = records.map((record) => JSON.stringify(record)).join('\n');
  const all = { ok: true, accepted: records.length };
  expect((await postTo('litellm', { body: records })).body).toEqual(all);
  expect((await postTo('litellm', { raw: lines, contentType: 'application/x-ndjson' })).body).toEqual(all);
  // LiteLLM itself sends NDJSON with this content type.
  expect((await postTo('litellm', { raw: lines })).body).toEqual(all);
  expect((await postTo('litellm', { body: liteLlm.chat })).body).toEqual({ ok: true });
  // On the port of the intake, without its path.
  const root = `${inject('intakeRootUrl')}/${project.clientId}/litellm`;
  expect((await send('POST', root, { token: project.secret, body: liteLlm.chat })).body).toEqual({ ok: true });

  const found = await calls();
  const one = (name: string) => found.get(String(liteLlm[name]?.id));
  expect(one('chat')).toMatchObject({
    time: '2026-01-15T10:00:01.750Z',
    customer: 'acme',
    user: 'ann',
    feature: 'summarize',
    run: 'trace-81',
    model: 'gpt-4o-2024-08-06',
    provider: 'openai',
    elapsed_ms: 1500,
    cost: 0.000225,
    cost_source: 'catalogue',
    failed: false,
    tags: { plan: 'pro', beta: 'true', environment: 'production', team: 'support', key: 'support-bot' },
  });
  expect(one('anthropic_cached')).toMatchObject({
    customer: 'globex',
    provider: 'anthropic',
    cost_source: 'catalogue',
    tokens: { input: 100, cache_read: 1500, cache_write: 500, output: 40 },
    // 100 × 3 + 1,500 × 0.30 + 500 × 3.75 + 40 × 15, in millionths of a dollar.
    cost: 0.003225,
  });
  expect(one('failure')).toMatchObject({ failed: true, cost: 0, event_id: liteLlm.failure?.id });
  expect(one('embedding')).toMatchObject({ cost: 0.00002, model: 'text-embedding-3-small' });
});

test('D16.1: a cost of the gateway counts where Farthing has no price, and stands beside its own', async () => {
  const found = await calls();
  const explain = (name: string) => explainCall(project, found.get(String(liteLlm[name]?.id))?.event_id ?? '');
  const unknown = await explain('unknown_model');
  expect(unknown).toMatchObject({ cost: 0.0042, cost_source: 'reported', unpriced_reason: null });
  expect(unknown.explanation).toMatchObject({
    reported_cost: 0.0042,
    lines: [],
    note: expect.stringContaining('no price'),
  });
  const priced = await explain('anthropic_cached');
  expect(priced.explanation).toMatchObject({ reported_cost: 0.0032, note: null });
  const cached = await explain('cache_hit');
  expect(cached).toMatchObject({ cost: 0, cost_source: 'gateway_cache', tokens: { input: 10, output: 20 } });
  expect(cached.explanation).toMatchObject({ lines: [], note: expect.stringContaining('its own cache') });
});

test('D16.1: spans that OpenRouter broadcasts become calls, and a test of the connection passes', async () => {
  for (const body of [{}, { resourceSpans: [] }]) {
    const headers = { 'x-test-connection': 'true' };
    expect((await postTo('openrouter', { body, headers })).body).toEqual({ ok: true, accepted: 0 });
  }
  for (const method of ['POST', 'PUT']) {
    expect((await postTo('openrouter', { body: openRouter }, method)).body).toEqual({ ok: true, accepted: 2 });
  }
  const found = await calls();
  expect(found.get('eee19b7ec3c1b174')).toMatchObject({
    model: 'openai/gpt-4-turbo',
    provider: 'openrouter',
    user: 'user_2gNF',
    run: '5b8efff798038103d269b633813fc60c',
    elapsed_ms: 1500,
    tokens: { input: 30, cache_read: 20, output: 90, reasoning: 10 },
    tags: { test: 'true', plan: 'pro', key: 'Test API Key', upstream: 'openai' },
  });
  expect(found.get('8ebcf0a15806fbd0')).toMatchObject({
    customer: 'acme',
    user: 'ann',
    feature: 'summarize',
    cost: 0.00006958,
    cost_source: 'reported',
    tags: { session: 'chat-9', key: 'prod-key', upstream: 'novita/fp8' },
  });
  expect(found.has('8ebcf0a15806fbd1')).toBe(false);
});

test('D16.1: prompts and answers are not stored, and the event names what was dropped', async () => {
  const listed = await project.api('GET', '/api/events/?limit=100');
  expect(listed.text).not.toContain('SECRET');
  const { rows } = listed.body as { rows: { event: { litellm?: Json; dropped: string[] } }[] };
  const dropped = (isLiteLlm: boolean) =>
    new Set(rows.flatMap(({ event }) => ((event.litellm !== undefined) === isLiteLlm ? event.dropped : [])));
  for (const name of ['messages', 'response', 'error_information.error_message', 'metadata.requester_custom_headers']) {
    expect(dropped(true)).toContain(name);
  }
  for (const name of ['gen_ai.prompt', 'gen_ai.completion', 'span.input', 'trace.output']) {
    expect(dropped(false)).toContain(`attributes.${name}`);
  }
});

longTest('D16.1, D3.5: the limit of an event holds for what is stored, not for the prompts beside it', async () => {
  const long = { ...liteLlm.chat, id: 'long', messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] };
  const tags = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`tag${index}`, 'v'.repeat(1_100)]));
  const metadata = { requester_metadata: { ...tags, customer: 'initech', deep: 'DEEP' } };
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  const tagged = { ...liteLlm.chat, id: 'tags', end_user: null, metadata };
  const endless = { ...liteLlm.chat, id: 'endless', response: { model: 'gpt-4o', usage: { details: 'DEEP' } } };
  const raw = JSON.stringify([long, tagged, endless]).replaceAll('"DEEP"', deep);
  const answer = await postTo('litellm', { raw });
  expect(answer.body).toEqual({ ok: true, accepted: 3 });
  const found = await calls();
  expect(found.get('long')).toMatchObject({ customer: 'acme', cost: 0.000225 });
  expect(found.get('tags')).toMatchObject({ customer: 'initech', cost: 0.000225 });
});
