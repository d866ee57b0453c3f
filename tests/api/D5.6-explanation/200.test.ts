import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { explainCall } from '../../support/calls.ts';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

const coverageOf = async (project: Project, day: string) =>
  expectStatus(await project.api('GET', `/api/coverage/?date_from=${day}&date_to=${day}`), 200) as Json;

test('D5.6: a cost by an override is tokens × its rates, line by line', async () => {
  const project = await farthing.createProject();
  const override_id = await project.addPrice({
    model: 'm1',
    input_per_mtok: 1.25,
    output_per_mtok: 10,
    cache_read_per_mtok: 0.000001,
    per_request: 0.01,
  });
  const event = tokenEvent({ prompt_tokens: 1000, cached_tokens: 400, completion_tokens: 30 });
  await project.post(event);
  const source = { kind: 'override', override_id };
  const call = await explainCall(project, String(event.event_id));
  expect(call).toMatchObject({ cost: 0.0110500004, cost_source: 'override', open: false, calls: 1, ordinal: 0 });
  expect(call.explanation.lines).toEqual([
    { bucket: 'input', tokens: 600, rate_per_mtok: 1.25, amount: 0.00075, source },
    { bucket: 'cache_read', tokens: 400, rate_per_mtok: 0.000001, amount: 0.0000000004, source },
    { bucket: 'output', tokens: 30, rate_per_mtok: 10, amount: 0.0003, source },
    { bucket: 'request', requests: 1, rate_per_request: 0.01, amount: 0.01, source },
  ]);
  expect(call.explanation.credit).toEqual({ covered_fraction: 0, net_cost: 0.0110500004 });
  expect(call.explanation.price_book.id).toMatch(/^pbk_/);
  expect(Date.parse(call.explanation.price_book.activated_at)).toBeLessThanOrEqual(Date.now());
});

test('D5.6: a cost by the catalogue names its version and entry', async () => {
  const project = await farthing.createProject();
  const event = tokenEvent({ model: 'gpt-4o-2024-08-06', prompt_tokens: 1000, completion_tokens: 100 });
  await project.post({ ...event, timestamp: '2026-05-15T12:00:00Z' });
  const { explanation, cost, provider } = await explainCall(project, String(event.event_id));
  expect([cost, provider]).toEqual([0.0035, 'openai']);
  for (const { source } of explanation.lines) {
    expect(source).toMatchObject({
      kind: 'catalogue',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      provider: 'openai',
      entry: 'gpt-4o',
    });
  }
});

longTest('D26.3: terms and units stand in the lines, and what has no price is named', async () => {
  const project = await farthing.createProject();
  const event = tokenEvent({
    provider: 'anthropic',
    model: 'claude-opus-4-6',
    timestamp: '2026-11-01T12:00:00Z',
    service_tier: 'batch',
    geo: 'us',
    prompt_tokens: 1_000,
    web_searches: 2,
    video_seconds: 1.5,
  });
  await project.post(event);
  const call = await explainCall(project, String(event.event_id));
  const source = { kind: 'supplement', page: expect.any(String), checked_on: expect.any(String) };
  expect(call).toMatchObject({ cost: 0.02275, partly_priced: ['video_seconds'] });
  expect(call.explanation.partly_priced).toEqual(['video_seconds']);
  expect(call.explanation.lines).toEqual([
    {
      bucket: 'input',
      tokens: 1_000,
      rate_per_mtok: 2.75,
      amount: 0.00275,
      source: expect.objectContaining({ kind: 'catalogue' }),
      terms: [
        { name: 'service_tier', value: 'batch', factor: 0.5, source },
        { name: 'geo', value: 'us', factor: 1.1, source },
      ],
    },
    { unit: 'web_searches', count: 2, rate_per_unit: 0.01, amount: 0.02, source },
  ]);
});

test('D26.3: an explanation tells of tokens with the rate of a wider kind for want of their own', async () => {
  const project = await farthing.createProject();
  const event = tokenEvent({
    provider: 'together',
    model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    prompt_tokens: 1_000,
    cached_tokens: 600,
    timestamp: '2026-11-05T12:00:00Z',
  });
  await project.post(event);
  const { cost, partly_priced, explanation } = await explainCall(project, String(event.event_id));
  expect([cost, partly_priced, explanation.partly_priced]).toEqual([0.00088, ['cache_read'], ['cache_read']]);
  expect(explanation.lines).toMatchObject([
    { bucket: 'input', tokens: 400 },
    { bucket: 'cache_read', tokens: 600, rate_per_mtok: 0.88, rate_of: 'input' },
  ]);
  const coverage = await coverageOf(project, '2026-11-05');
  expect(coverage).toMatchObject({ partly_priced_calls: 1, partly_priced: [{ name: 'cache_read', calls: 1 }] });
});

test('D3.11, D4.6, D5.4: a reported cost, no cost and an unpriced one have no lines', async () => {
  const project = await farthing.createProject();
  const timestamp = '2024-05-15T12:00:00Z';
  const events = [
    costEvent({ cost: 0.1, model: 'gpt-4o', prompt_tokens: 10 }),
    { event_id: randomUUID(), event_type: 'x.error', timestamp },
    tokenEvent({ model: 'a model of nobody', prompt_tokens: 10 }),
    // D27.5: an answer was paid, though nobody reports its usage, unless its model is free.
    ...[
      {},
      { usage: null },
      { response: { usage: null, model: 'gpt-4o' } },
      { elapsed_ms: 840 },
      { error_type: 'late' },
    ].map((fields) => ({ event_id: randomUUID(), event_type: 'x.after', timestamp, model: 'gpt-4o', ...fields })),
    {
      event_id: randomUUID(),
      event_type: 'x.after',
      timestamp,
      model: 'google/gemma-3-27b-it:free',
      provider: 'openrouter',
    },
  ];
  await project.post(...events);
  const found = await Promise.all(events.map(({ event_id }) => explainCall(project, String(event_id))));
  expect(
    found.map((call) => [call.cost, call.cost_source, call.unpriced_reason, call.explanation.lines, call.tokens.input]),
  ).toEqual([
    [0.1, 'reported', null, [], 10],
    [0, 'none', null, [], 0],
    [0, 'unpriced', 'unknown_model', [], 10],
    ...[1, 2, 3, 4].map(() => [0, 'unpriced', 'usage_not_reported', [], 0]),
    ...[1, 2].map(() => [0, 'none', null, [], 0]),
  ]);
  const { unpriced, priced_calls: priced } = await coverageOf(project, '2024-05-15');
  expect([priced, unpriced]).toEqual([
    4,
    [
      { model: 'gpt-4o', provider: 'openai', reason: 'usage_not_reported', calls: 4 },
      { model: 'a model of nobody', provider: '', reason: 'unknown_model', calls: 1 },
    ],
  ]);
});

test('D5.7: an explanation uses the price book that costed the call', async () => {
  const project = await farthing.createProject();
  const first = await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  const event = tokenEvent({ prompt_tokens: 1_000_000 });
  await project.post(event);
  const before = await explainCall(project, String(event.event_id));
  await project.addPrice({ model: 'm1', input_per_mtok: 7, output_per_mtok: 7 });
  expectStatus(await project.api('DELETE', `/api/prices/${first}/`), 204);
  const after = await explainCall(project, String(event.event_id));
  expect(after).toEqual(before);
  expect(after.explanation.lines).toMatchObject([{ rate_per_mtok: 1, source: { override_id: first } }]);
});

longTest('D7.3: an explanation gives the share of the cost that credits cover', async () => {
  const project = await farthing.createProject();
  const grant = { provider: 'p', amount: 2, starts_on: '2024-05-01' };
  expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);
  const event = (fields: Json) => costEvent({ cost: 4, provider: 'P', timestamp: '2024-05-03T12:00:00Z', ...fields });
  const [covered, other, later] = [event({}), event({ provider: 'q' }), event({ timestamp: '2024-05-04T12:00:00Z' })];
  await project.post(covered, event({}), other, later);
  const credits = await Promise.all(
    [covered, other, later].map(
      async ({ event_id }) => (await explainCall(project, String(event_id))).explanation.credit,
    ),
  );
  expect(credits).toEqual([
    { covered_fraction: 0.25, net_cost: 3 },
    { covered_fraction: 0, net_cost: 4 },
    { covered_fraction: 0, net_cost: 4 },
  ]);
});

test('D2: the events of a call are answered byte for byte as posted, in order of receipt', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  const texts = [
    `{ "event_type" : "llm.after","event_id":"${id.toUpperCase()}", "big":12345678901234567890, "one":1.0, "cost": 5e-1 }`,
    `{"event_id":"${id}","event_type":"llm.before","same":1,"same":2,"text":"\\u0041 \\ud800 \\/ 日本 😀","__proto__":{"a":null}}`,
    `{"event_id":"${id}","event_type":"llm.after",\n\t"cost":0.25,"empty":{},"list":[ ]}`,
  ];
  for (const raw of texts) expectStatus(await project.intake({ raw }), 200);
  await project.post({ event_id: id, event_type: 'a.custom.event' });
  const answer = await project.api('GET', `/api/calls/${id}/`);
  expectStatus(answer, 200);
  const { cost, events, events_total: total } = await explainCall(project, id);
  expect([cost, total]).toEqual([0.25, 3]);
  expect(events.map(({ client_id }) => client_id)).toEqual(texts.map(() => project.clientId));
  const placed = texts.map((text) => answer.text.indexOf(`"event":${text}`));
  expect(placed.every((place) => place > 0)).toBe(true);
  expect(placed).toEqual(placed.toSorted((a, b) => a - b));
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
});

longTest('D2: an event with text that looks like stored events does no harm', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 1, note: '"event":{}, "events":[]}', tags: { 'a"b': '"\\', $1: '$&$1' } });
  await project.post(event);
  const call = await explainCall(project, String(event.event_id));
  expect(call.events.map((shown) => shown.event)).toEqual([event]);
  expect(call.tags).toEqual(event.tags);
});

test('D2: of an id with very many events the first hundred are shown', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 1 });
  await project.post(...Array.from({ length: 120 }, (_, index) => ({ ...event, index })));
  const call = await explainCall(project, String(event.event_id));
  expect(call.events_total).toBe(120);
  expect(call.events.map((shown) => shown.event.index)).toEqual(Array.from({ length: 100 }, (_, index) => index));
});

test('D4.1: an id without an outcome is open, with its events and no cost', async () => {
  const project = await farthing.createProject();
  const event = { event_id: randomUUID(), event_type: 'llm.before', model: 'm1' };
  await project.post(event);
  const body = expectStatus(await project.api('GET', `/api/calls/${event.event_id}/`), 200);
  expect(body).toEqual({
    event_id: event.event_id,
    open: true,
    calls: 0,
    events: [{ received_at: expect.any(String), client_id: project.clientId, event }],
    events_total: 1,
  });
  expectProblem(await project.api('GET', `/api/calls/${event.event_id}/?ordinal=0`), 404, 'not_found');
  await project.post({ ...event, event_type: 'llm.after', cost: 1 });
  expect((await explainCall(project, event.event_id)).cost).toBe(1);
});

test('D4.2: `ordinal` names a call of the id', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 1 });
  await project.post(event);
  expectStatus(await project.api('GET', `/api/calls/${event.event_id}/?ordinal=0`), 200);
  expectProblem(await project.api('GET', `/api/calls/${event.event_id}/?ordinal=1`), 404, 'not_found');
});

longTest('D4.7: an explanation is always of the current call, while its events arrive', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  for (let cost = 1; cost <= 4; cost += 1) {
    await project.post({ event_id, event_type: 'x.after', timestamp: '2024-05-15T12:00:00Z', cost });
    expect((await explainCall(project, event_id)).cost).toBe(cost);
  }
});
