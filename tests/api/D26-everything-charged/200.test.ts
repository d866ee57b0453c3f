// What a provider's answer names is what the invoice charges, to the last digit, and what has no price is said.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { explainCall } from '../../support/calls.ts';
import { expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';

const farthing = sharedFarthing();
const timestamp = '2026-11-04T12:00:00Z';
const range = { date_from: '2026-11-04', date_to: '2026-11-04' };

const after = (provider: string, model: string, fields: Json): Json & { event_id: string } => ({
  event_id: randomUUID(),
  event_type: 'llm.after',
  timestamp,
  provider,
  model,
  ...fields,
});
const openAiTokens = { prompt_tokens: 1000, completion_tokens: 200 };
const tokens = { input_tokens: 1000, output_tokens: 200 };

/** A provider's answer, and what its invoice says. */
const answers: readonly (readonly [name: string, event: Json & { event_id: string }, invoiced: number])[] = [
  ['OpenAI, batch', after('openai', 'gpt-4.1', { ...openAiTokens, service_tier: 'batch' }), 0.0018],
  ['OpenAI, flex', after('openai', 'gpt-5', { response: { service_tier: 'flex', usage: openAiTokens } }), 0.001625],
  [
    'OpenAI, priority',
    after('openai', 'gpt-5', { response: { service_tier: 'priority', usage: openAiTokens } }),
    0.0065,
  ],
  ['Anthropic, batch', after('anthropic', 'claude-sonnet-4-5', { usage: { ...tokens, service_tier: 'batch' } }), 0.003],
  ['Anthropic, fast', after('anthropic', 'claude-opus-4-6', { usage: { ...tokens, speed: 'fast' } }), 0.06],
  ['Anthropic, in the US', after('anthropic', 'claude-opus-4-6', { usage: { ...tokens, inference_geo: 'us' } }), 0.011],
  [
    'Anthropic, three web searches',
    after('anthropic', 'claude-sonnet-4-5', { usage: { ...tokens, server_tool_use: { web_search_requests: 3 } } }),
    0.036,
  ],
  [
    'OpenAI, a web search',
    after('openai', 'gpt-5', {
      response: {
        output: [{ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } }],
        usage: { ...tokens, input_tokens_details: { cached_tokens: 0 }, total_tokens: 1200 },
      },
    }),
    0.01325,
  ],
  ['Whisper, a minute', after('openai', 'whisper-1', { usage: { type: 'duration', seconds: 60 } }), 0.006],
  ['Cohere, a rerank', after('cohere', 'rerank-v3.5', { meta: { billed_units: { search_units: 1 } } }), 0.002],
  [
    'the AI SDK',
    after('openai', 'gpt-5', {
      usage: {
        inputTokens: { total: 1000, noCache: 600, cacheRead: 400 },
        outputTokens: { total: 200, text: 150, reasoning: 50 },
      },
    }),
    0.0028,
  ],
];

test('D26.1, D26.4: every answer costs what its provider charges for it, and the lines add up to it', async () => {
  const project = await farthing.createProject();
  const tried = someOf(answers, 5);
  await project.post(...tried.map(([, event]) => event));
  for (const [name, { event_id: id }, invoiced] of tried) {
    const { cost, cost_source: source, partly_priced: partly, explanation } = await explainCall(project, id);
    expect({ name, cost, source, partly }).toEqual({ name, cost: invoiced, source: 'catalogue', partly: [] });
    expect(explanation.lines.length, name).toBeGreaterThan(0);
    const total = explanation.lines.reduce((sum, { amount }) => sum + Math.round(amount * 1e12), 0);
    expect(total, name).toBe(Math.round(invoiced * 1e12));
  }
});

test('D26.3: units and terms without a price make a call partly priced, and usage that nobody knows makes it unpriced', async () => {
  const project = await farthing.createProject();
  const partly = after('openai', 'gpt-5', { ...openAiTokens, service_tier: 'teleport', pages: 2 });
  const unknown = after('somebody', 'a-model', { usage: { sparks: 7, details: { glow: 2.5 } } });
  await project.post(partly, unknown);
  expect(await explainCall(project, partly.event_id)).toMatchObject({
    cost: 0.00325,
    partly_priced: ['pages', 'service_tier'],
    units: { pages: 2 },
    terms: { service_tier: 'teleport' },
  });
  expect(await explainCall(project, unknown.event_id)).toMatchObject({
    cost: 0,
    cost_source: 'unpriced',
    unpriced_reason: 'unknown_usage',
  });
  const today = new Date().toISOString().slice(0, 10);
  const ofCalls = expectStatus(
    await project.api('GET', `/api/coverage/?date_from=${range.date_from}&date_to=${range.date_to}`),
    200,
  );
  expect(ofCalls).toMatchObject({
    calls: 2,
    unpriced_calls: 1,
    partly_priced_calls: 1,
    partly_priced: [
      { name: 'pages', model: 'gpt-5', provider: 'openai', calls: 1 },
      { name: 'service_tier', model: 'gpt-5', provider: 'openai', calls: 1 },
    ],
    unpriced: [{ model: 'a-model', provider: 'somebody', reason: 'unknown_usage', calls: 1 }],
  });
  const ofReceipt = expectStatus(
    await project.api('GET', `/api/coverage/?date_from=${range.date_from}&date_to=${today}`),
    200,
  );
  expect(ofReceipt).toMatchObject({
    ignored: [
      { field: 'usage.details.glow', events: 1 },
      { field: 'usage.sparks', events: 1 },
    ],
  });
});

test('D26.1: units add up in usage, and an override sets the price of one', async () => {
  const project = await farthing.createProject();
  await project.api('POST', '/api/prices/', {
    model: 'gpt-5',
    input_per_mtok: 1,
    output_per_mtok: 10,
    units: { web_searches: 0.005 },
  });
  const call = (searches: number) => after('openai', 'gpt-5', { ...openAiTokens, web_searches: searches });
  await project.post(call(1), call(2), after('openai', 'whisper-1', { usage: { type: 'duration', seconds: 7.5 } }));
  const usage = Object(expectStatus(await project.api('POST', '/api/usage/', { ...range, group_by: 'model' }), 200));
  expect(usage.rows).toMatchObject([
    { model: 'gpt-5', calls: 2, units: { web_searches: 3 } },
    { model: 'whisper-1', calls: 1, units: { audio_seconds: 7.5 } },
  ]);
  // 2 × (0.001 + 0.002) + 3 × 0.005; 7.5 s at 0.006 a minute.
  expect(await project.costBy('model')).toEqual({ 'gpt-5': 0.021, 'whisper-1': 0.00075 });
});
