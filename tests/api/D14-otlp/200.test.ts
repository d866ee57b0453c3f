import { gzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { explainCall } from '../../support/calls.ts';
import { expectStatus, type Json, send, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { callsIn, encodings, eventsIn, postOtlp, pricedProject, sendOtlp } from '../../support/otlp/post.ts';
import { toProtobuf } from '../../support/otlp/protobuf.ts';
import {
  callSpan,
  logRecord,
  logs,
  nanos,
  newSpanId,
  newTraceId,
  span,
  toAttributes,
  traces,
} from '../../support/otlp/records.ts';

const farthing = sharedFarthing();
const newProject = () => pricedProject(() => farthing.createProject());

test.each(encodings)('D14.1: spans and log records of requests to models are calls, as %s', async (encoding) => {
  const project = await newProject();
  await sendOtlp(project, traces([callSpan()]), encoding);
  expect(await project.totalCost()).toBe(0.003);
  const record = logRecord('claude_code.api_request', { model: 'm1', input_tokens: 1000, output_tokens: 200 });
  await sendOtlp(project, logs([record]), encoding);
  expect(await project.totalCost()).toBe(0.006);
});

test('D14.1: a body may be compressed with gzip, and an empty request is taken', async () => {
  const project = await newProject();
  const raw = new Uint8Array(gzipSync(toProtobuf(traces([callSpan()]))));
  const headers = { 'content-encoding': 'gzip' };
  const answer = await postOtlp(project, traces([]), 'protobuf', { raw, headers });
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, '', 'application/x-protobuf']);
  expect(await project.totalCost()).toBe(0.003);
  await sendOtlp(project, traces([]), 'protobuf');
  await sendOtlp(project, {}, 'json');
});

test('D14.1: basic authentication takes the client and its secret, at the path of Langfuse too', async () => {
  const project = await newProject();
  const basic = (user: string, secret: string) => ({
    token: undefined,
    headers: { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` },
  });
  expectStatus(await postOtlp(project, traces([callSpan()]), 'json', basic(project.clientId, project.secret)), 200);
  expect(await project.totalCost()).toBe(0.003);
  const other = await farthing.createProject();
  for (const [user, secret] of [
    [project.clientId, 'fs_wrong'],
    [other.clientId, project.secret],
    [other.clientId, other.secret],
  ] as const) {
    expect((await postOtlp(project, traces([]), 'json', basic(user, secret))).status).toBe(401);
  }
  const path = '/api/public/otel/v1/traces';
  const { headers } = basic(project.clientId, project.secret);
  const post = { token: undefined, headers, body: traces([callSpan()]) };
  expectStatus(await farthing.send('POST', path, post), 200);
  expect(await project.totalCost()).toBe(0.006);
  expect((await farthing.send('POST', path, { ...post, ...basic(project.clientId, 'fs_wrong') })).status).toBe(401);
  expect((await farthing.send('POST', path, { body: traces([]) })).status).toBe(401);
});

test('D14.1: a secret may come percent-encoded, as Claude Code sends what stands in OTEL_EXPORTER_OTLP_HEADERS', async () => {
  const project = await newProject();
  const headers = { authorization: `Bearer%20${project.secret}` };
  expectStatus(await postOtlp(project, traces([callSpan()]), 'json', { token: undefined, headers }), 200);
  expect(await project.totalCost()).toBe(0.003);
});

test('D14.1: the port of the intake takes OTLP at its root', async () => {
  const project = await newProject();
  const body = traces([callSpan()]);
  const url = `${inject('intakeRootUrl')}/${project.clientId}/v1/traces`;
  expect(expectStatus(await send('POST', url, { body, token: project.secret }), 200)).toEqual({});
  expect(await project.totalCost()).toBe(0.003);
});

test('D14.1: metrics are answered and not kept', async () => {
  const project = await newProject();
  const answer = await farthing.send('POST', `/intake/${project.clientId}/v1/metrics`, {
    token: project.secret,
    body: { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'gen_ai.client.token.usage' }] }] }] },
  });
  expect(expectStatus(answer, 200)).toEqual({});
  expect(await eventsIn(project)).toEqual([]);
});

test('D14.2: spans that are not one request to a model are not stored', async () => {
  const project = await newProject();
  const others = ['invoke_agent', 'execute_tool', 'create_agent', 'invoke_workflow', 'agent_step'].map((operation) =>
    callSpan({ attributes: { 'gen_ai.operation.name': operation } }),
  );
  const outer = callSpan({ attributes: { 'ai.operationId': 'ai.generateText' } });
  const chain = callSpan({ attributes: { 'openinference.span.kind': 'CHAIN' } });
  const agent = callSpan({ attributes: { 'langfuse.observation.type': 'agent' } });
  const plain = span({ name: 'GET /', attributes: { 'http.request.method': 'GET' } });
  for (const encoding of encodings) await sendOtlp(project, traces([...others, outer, chain, agent, plain]), encoding);
  expect(await eventsIn(project)).toEqual([]);
});

test('D14.4: a call has the time, model, provider, run and tags that its span names', async () => {
  const project = await newProject();
  const traceId = newTraceId();
  const resource = { 'farthing.customer': 'of the resource', 'farthing.team': 'red', 'deployment.environment': 'test' };
  const attributes = {
    'gen_ai.response.model': 'm1',
    'gen_ai.request.model': 'other',
    'gen_ai.system': 'gcp.gemini',
    'gen_ai.provider.name': 'aws.bedrock',
    'openai.response.service_tier': 'flex',
    'farthing.customer': 'acme',
    'customer.id': 'not this',
    'user.id': 'ann',
    'session.id': 's-1',
    'gen_ai.agent.name': 'support',
    'langfuse.trace.metadata.plan': 'pro',
  };
  await sendOtlp(project, traces([callSpan({ traceId, attributes })], { resource }), 'protobuf');
  const [call] = await callsIn(project);
  expect(call).toMatchObject({
    time: '2024-05-15T12:00:00.000Z',
    elapsed_ms: 840,
    failed: false,
    model: 'm1',
    provider: 'aws',
    customer: 'acme',
    user: 'ann',
    feature: 'support',
    run: traceId,
    tags: { customer: 'acme', user: 'ann', session: 's-1', feature: 'support', plan: 'pro', team: 'red' },
    terms: { service_tier: 'flex' },
    tokens: { input: 1000, output: 200 },
  });
  const [event] = await eventsIn(project);
  expect(event).toMatchObject({
    event_type: 'chat m1.after',
    otel: {
      scope: { name: 'a-test', version: '1.0.0' },
      span: { traceId, name: 'chat m1', kind: 3, endTimeUnixNano: nanos('2024-05-15T12:00:00Z') },
    },
  });
});

test('D14.4: a span with an error is a failed call', async () => {
  const project = await farthing.createProject({ keep_content: true });
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 10 });
  const status = { code: 2, message: 'Too many requests' };
  const named = callSpan({ attributes: { 'error.type': '429' }, as: { status } });
  const thrown = (type: string, as: Json) =>
    span({
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm1' },
      as: { ...as, events: [{ name: 'exception', attributes: toAttributes({ 'exception.type': type }) }] },
    });
  // LangSmith's status may be that of an answer.
  const spans = [named, thrown('RateLimitError', { status }), thrown('Exception', { status: { code: 1 } })];
  await sendOtlp(project, traces([...spans, thrown('asyncio.CancelledError', {})]), 'protobuf');
  expect((await eventsIn(project)).map((event) => [event.event_type, event.error_type, event.error_message])).toEqual(
    expect.arrayContaining([
      ['chat m1.error', '429', 'Too many requests'],
      ['chat m1.error', 'RateLimitError', 'Too many requests'],
      ['chat m1.error', 'Exception', undefined],
      ['chat m1.after', undefined, undefined],
    ]),
  );
  // D4.6: a failed call costs what it reports.
  expect(await project.totalCost()).toBe(0.003);
});

test('D14.3: a span that is exported again, in either encoding, is one call', async () => {
  const project = await newProject();
  const sent = callSpan();
  for (const encoding of [...encodings, ...encodings]) await sendOtlp(project, traces([sent]), encoding);
  const upper = { ...sent, traceId: String(sent.traceId).toUpperCase(), spanId: String(sent.spanId).toUpperCase() };
  await sendOtlp(project, traces([upper]), 'json');
  const calls = await callsIn(project);
  expect(calls.map(({ cost }) => cost)).toEqual([0.003]);
  expect(calls[0]?.event_id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  const { explanation } = await explainCall(project, calls[0]?.event_id ?? '');
  expect(explanation.lines).toHaveLength(2);
});

test('D14.6: a request of a coding agent is a call of its user, session and tool', async () => {
  const project = await farthing.createProject();
  const claude = logRecord('claude_code.api_request', {
    'event.name': 'api_request',
    'session.id': 'session-1',
    'user.id': 'device',
    'user.email': 'ann@example.com',
    model: 'claude-sonnet-4-5-20250929',
    input_tokens: 100,
    output_tokens: 200,
    cache_read_tokens: 600,
    cache_creation_tokens: 300,
    cache_creation_5m_tokens: 200,
    cache_creation_1h_tokens: 100,
    cost_usd: 0.123,
    duration_ms: 1500,
    request_id: 'req_1',
  });
  const failed = logRecord('claude_code.api_error', {
    model: 'claude-sonnet-4-5',
    error: 'Overloaded',
    status_code: 529,
  });
  await sendOtlp(project, logs([claude, failed, logRecord('claude_code.user_prompt', { prompt_length: 7 })]), 'json');
  await sendOtlp(project, logs([claude]), 'protobuf');
  const calls = await callsIn(project);
  expect(calls).toHaveLength(2);
  const answered = calls.find(({ failed }) => !failed);
  expect(answered).toMatchObject({
    user: 'ann@example.com',
    feature: 'claude-code',
    run: 'session-1',
    provider: 'anthropic',
    elapsed_ms: 1500,
    tokens: { input: 100, output: 200, cache_read: 600, cache_write: 200, cache_write_1h: 100 },
    cost_source: 'catalogue',
    // 100 × 3 + 600 × 0.3 + 200 × 3.75 + 100 × 6 + 200 × 15 USD a million: not what Claude Code says.
    cost: 0.00483,
  });
  const kept = (await eventsIn(project)).filter(({ event_type: type }) => type === 'claude_code.api_request.after');
  expect(kept.map(({ reported_cost: cost }) => cost)).toEqual([0.123, 0.123]);
});

longTest(
  'D14.6: Codex CLI counts cached tokens in its input, Gemini CLI counts thoughts beside its output',
  async () => {
    const project = await farthing.createProject();
    const codex = logRecord('', {
      'event.name': 'codex.sse_event',
      'event.kind': 'response.completed',
      'conversation.id': 'c-1',
      model: 'gpt-5-codex',
      // Written as text by older versions.
      input_token_count: '1000',
      output_token_count: '200',
      cached_token_count: 600,
      reasoning_token_count: 50,
    });
    const delta = logRecord('', { 'event.name': 'codex.sse_event', 'event.kind': 'response.output_text.delta' });
    const gemini = logRecord('API response from gemini-2.5-pro.', {
      'event.name': 'gemini_cli.api_response',
      'session.id': 'g-1',
      'user.email': 'ben@example.com',
      model: 'gemini-2.5-pro',
      input_token_count: 1000,
      output_token_count: 200,
      cached_content_token_count: 600,
      thoughts_token_count: 50,
      tool_token_count: 30,
      total_token_count: 1280,
      duration_ms: 900,
    });
    await sendOtlp(project, logs([codex, delta, gemini]), 'protobuf');
    const calls = Object.fromEntries((await callsIn(project)).map((call) => [call.feature, call]));
    expect(calls.codex).toMatchObject({
      run: 'c-1',
      tokens: { input: 400, cache_read: 600, output: 150, reasoning: 50 },
    });
    expect(calls['gemini-cli']).toMatchObject({
      user: 'ben@example.com',
      tokens: { input: 430, cache_read: 600, output: 200, reasoning: 50 },
    });
  },
);

longTest('D14.1: the parent of a call need not be there', async () => {
  const project = await newProject();
  await sendOtlp(project, traces([callSpan({ parentSpanId: newSpanId() })]), 'protobuf');
  expect(await callsIn(project)).toHaveLength(1);
});
