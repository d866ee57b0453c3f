import { expect, test } from 'vitest';
import { expectStatus, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { findIn } from '../../support/listing.ts';
import { longTest } from '../../support/long-test.ts';

const farthing = sharedFarthing();

/** The cost of each event alone; each gets a customer of its own. */
async function costsOf(project: Project, events: readonly Json[]): Promise<(number | undefined)[]> {
  await project.post(...events.map((event, index) => ({ ...event, tags: { customer: `c${index}` } })));
  const costs = await project.costBy('customer');
  return events.map((_, index) => costs[`c${index}`]);
}

const million = 1_000_000;
/** The cost of events alone, by their names, for a model with a price of every bucket. */
async function costsByName(events: Readonly<Record<string, Json>>): Promise<Record<string, number | undefined>> {
  const project = await farthing.createProject();
  await project.addPrice(fullPrice);
  const costs = await costsOf(project, Object.values(events));
  return Object.fromEntries(Object.keys(events).map((name, index) => [name, costs[index]]));
}

// The rates differ, so the sum shows every bucket.
const fullPrice = {
  model: 'm1',
  input_per_mtok: 1,
  output_per_mtok: 10,
  cache_read_per_mtok: 100,
  cache_write_per_mtok: 1_000,
  input_audio_per_mtok: 10_000,
  output_audio_per_mtok: 20_000,
  reasoning_per_mtok: 40_000,
};

const flat = [
  ['prompt and completion tokens', { prompt_tokens: 3 * million, completion_tokens: 2 * million }, 23],
  ['the aliases', { input_tokens: 3 * million, output_tokens: 2 * million }, 23],
  ['prompt counts include cached', { prompt_tokens: 3 * million, cached_tokens: million }, 102],
  ['the alias of cached', { prompt_tokens: 3 * million, cache_read_tokens: million }, 102],
  ['prompt counts include cache writes', { prompt_tokens: 3 * million, cache_write_tokens: million }, 1_002],
  ['prompt counts include audio', { prompt_tokens: 3 * million, input_audio_tokens: million }, 10_002],
  ['completion counts include reasoning', { completion_tokens: 3 * million, reasoning_tokens: million }, 40_020],
  ['completion counts include audio', { completion_tokens: 3 * million, output_audio_tokens: million }, 20_020],
  [
    'all buckets at once',
    {
      prompt_tokens: 10 * million,
      cached_tokens: 2 * million,
      cache_write_tokens: 3 * million,
      input_audio_tokens: million,
      completion_tokens: 10 * million,
      reasoning_tokens: 4 * million,
      output_audio_tokens: 2 * million,
    },
    4 + 200 + 3_000 + 10_000 + 40 + 160_000 + 40_000,
  ],
  [
    'cached tokens that exceed the prompt are counted beside it',
    { prompt_tokens: million, cached_tokens: 4 * million },
    401,
  ],
  [
    'cached tokens and cache writes that together exceed the prompt are counted beside it',
    { prompt_tokens: 3 * million, cached_tokens: 2 * million, cache_write_tokens: 2 * million },
    3 + 200 + 2_000,
  ],
  ['one token of each', { prompt_tokens: 1, completion_tokens: 1 }, 0.000011],
] satisfies [string, Json, number][];

test('D3.10: flat counts', async () => {
  const events = Object.fromEntries(flat.map(([name, usage]) => [name, tokenEvent(usage)]));
  expect(await costsByName(events)).toEqual(Object.fromEntries(flat.map(([name, , cost]) => [name, cost])));
});

const usageObjects = [
  [
    'OpenAI chat',
    {
      provider: 'openai',
      usage: {
        prompt_tokens: 10 * million,
        completion_tokens: 5 * million,
        total_tokens: 15 * million,
        prompt_tokens_details: { cached_tokens: 4 * million, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 2 * million, audio_tokens: 0 },
      },
    },
    6 + 400 + 30 + 80_000,
  ],
  [
    'OpenAI responses',
    {
      provider: 'openai',
      usage: {
        input_tokens: 10 * million,
        input_tokens_details: { cached_tokens: 4 * million },
        output_tokens: 5 * million,
        output_tokens_details: { reasoning_tokens: 2 * million },
        total_tokens: 15 * million,
      },
    },
    6 + 400 + 30 + 80_000,
  ],
  [
    'Anthropic, whose input excludes the cache',
    {
      provider: 'anthropic',
      usage: {
        input_tokens: 10 * million,
        cache_creation_input_tokens: 2 * million,
        cache_read_input_tokens: 4 * million,
        output_tokens: 5 * million,
      },
    },
    10 + 2_000 + 400 + 50,
  ],
  [
    'Mistral',
    {
      provider: 'mistral',
      usage: { prompt_tokens: 3 * million, completion_tokens: 2 * million, total_tokens: 5 * million },
    },
    23,
  ],
  [
    'Bedrock',
    { provider: 'aws', usage: { inputTokens: 3 * million, outputTokens: 2 * million, totalTokens: 5 * million } },
    23,
  ],
  [
    'Gemini',
    {
      provider: 'google',
      usage: { promptTokenCount: 3 * million, candidatesTokenCount: 2 * million, totalTokenCount: 5 * million },
    },
    23,
  ],
] satisfies [string, Json, number][];

test('D3.10: the usage objects of the providers, alone and within a response', async () => {
  const cases = usageObjects.flatMap(([name, { usage, ...rest }, cost]): [string, Json, number][] => [
    [name, { ...rest, usage }, cost],
    [`${name} within a response`, { ...rest, response: { usage } }, cost],
  ]);
  const events = Object.fromEntries(cases.map(([name, fields]) => [name, tokenEvent(fields)]));
  expect(await costsByName(events)).toEqual(Object.fromEntries(cases.map(([name, , cost]) => [name, cost])));
});

longTest('D3.10: flat fields win over nested ones', async () => {
  const project = await farthing.createProject();
  await project.addPrice(fullPrice);
  const event = tokenEvent({
    prompt_tokens: million,
    completion_tokens: million,
    usage: { prompt_tokens: 5 * million, completion_tokens: 5 * million },
  });
  expect(await costsOf(project, [event])).toEqual([11]);
});

longTest("D5.3: an unset rate is the override's own input or output rate", async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'gpt-4o-2024-08-06', input_per_mtok: 1, output_per_mtok: 10 });
  const event = tokenEvent({
    model: 'gpt-4o-2024-08-06',
    prompt_tokens: 10 * million,
    cached_tokens: 2 * million,
    cache_write_tokens: million,
    input_audio_tokens: million,
    completion_tokens: 10 * million,
    reasoning_tokens: 3 * million,
    output_audio_tokens: million,
  });
  expect(await costsOf(project, [event])).toEqual([110]);
});

longTest('D5.3: a price per request is added once per call', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2, per_request: 0.005 });
  expect(await costsOf(project, [tokenEvent({ prompt_tokens: million })])).toEqual([1.005]);
});

longTest('D5.3: rates with six fractional digits are exact', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 0.000001, output_per_mtok: 0.123457 });
  const events = [tokenEvent({ prompt_tokens: 1 }), tokenEvent({ prompt_tokens: 3, completion_tokens: 7 })];
  expect(await costsOf(project, events)).toEqual([1e-12, 8.64202e-7]);
});

longTest('D5.3: a free model costs nothing', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'gpt-4o-2024-08-06', input_per_mtok: 0, output_per_mtok: 0 });
  const event = tokenEvent({ model: 'gpt-4o-2024-08-06', prompt_tokens: million });
  expect(await costsOf(project, [event])).toEqual([0]);
});

longTest('D5.4: a call whose model has no price costs nothing and is still a row', async () => {
  const project = await farthing.createProject();
  await project.post(tokenEvent({ model: 'no model of anybody', prompt_tokens: million }));
  expect(await project.costBy('model')).toEqual({ 'no model of anybody': 0 });
});

test('D5.2: without an override the catalogue gives the price at the time of the call', async () => {
  const project = await farthing.createProject();
  const event = tokenEvent({ model: 'gpt-4o-2024-08-06', prompt_tokens: million, completion_tokens: million });
  expect(await costsOf(project, [event, { ...event, event_id: crypto.randomUUID(), provider: 'openai' }])).toEqual([
    12.5, 12.5,
  ]);
});

test('D5.3: an exact name wins over a prefix, and a longer prefix over a shorter one', async () => {
  const project = await farthing.createProject();
  for (const [model, rate] of [
    ['family-*', 1],
    ['family-large-*', 2],
    ['family-large-1', 4],
    ['*', 8],
  ] as const) {
    await project.addPrice({ model, input_per_mtok: rate, output_per_mtok: rate });
  }
  const models = ['family-large-1', 'family-large-2', 'family-small', 'other', 'family-large-', 'my-family-large-1'];
  const events = models.map((model) => tokenEvent({ model, prompt_tokens: million }));
  expect(await costsOf(project, events)).toEqual([4, 2, 1, 8, 2, 8]);
});

longTest('D5.3: an override with a provider wins over one without; providers match case-insensitively', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', provider: 'OpenAI', input_per_mtok: 2, output_per_mtok: 2 });
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  const providers = ['openai', 'OPENAI', 'other', undefined];
  const events = providers.map((provider) => tokenEvent({ provider, prompt_tokens: million }));
  expect(await costsOf(project, events)).toEqual([2, 2, 1, 1]);
});

test('D5.3: an exact model wins over a provider, and a provider over a service tier', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm*', provider: 'p', service_tier: 'flex', input_per_mtok: 1, output_per_mtok: 1 });
  await project.addPrice({ model: 'm1', service_tier: 'flex', input_per_mtok: 2, output_per_mtok: 2 });
  await project.addPrice({ model: 'm1', provider: 'p', input_per_mtok: 4, output_per_mtok: 4 });
  const usage = { provider: 'p', service_tier: 'flex', prompt_tokens: million };
  const events = [
    tokenEvent({ ...usage }),
    tokenEvent({ ...usage, provider: 'q' }),
    tokenEvent({ ...usage, model: 'm2' }),
    tokenEvent({ ...usage, service_tier: 'batch' }),
  ];
  expect(await costsOf(project, events)).toEqual([4, 2, 1, 4]);
});

longTest('D5.3: the service tier is found at top level, in response and in usage', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  await project.addPrice({ model: 'm1', service_tier: 'flex', input_per_mtok: 0.5, output_per_mtok: 0.5 });
  const usage = { prompt_tokens: million, completion_tokens: 0 };
  const events = [
    tokenEvent({ prompt_tokens: million, service_tier: 'flex' }),
    tokenEvent({ prompt_tokens: million, response: { service_tier: 'flex' } }),
    tokenEvent({ usage: { ...usage, service_tier: 'flex' } }),
    tokenEvent({ prompt_tokens: million, service_tier: 'default' }),
    tokenEvent({ prompt_tokens: million }),
  ];
  expect(await costsOf(project, events)).toEqual([0.5, 0.5, 0.5, 1, 1]);
});

longTest('D5.3: of equal overrides the newest wins', async () => {
  const project = await farthing.createProject();
  for (const rate of [1, 2, 4]) await project.addPrice({ model: 'm1', input_per_mtok: rate, output_per_mtok: rate });
  expect(await costsOf(project, [tokenEvent({ prompt_tokens: million })])).toEqual([4]);
});

test('D26.2: an override prices the units that it names, and only calls with its terms', async () => {
  const project = await farthing.createProject();
  const rates = { model: 'm1', input_per_mtok: 1, output_per_mtok: 1 };
  await project.addPrice({ ...rates, units: { web_searches: 0.02, characters: '0.000000000001' } });
  await project.addPrice({ ...rates, input_per_mtok: 0.5, terms: { service_tier: 'batch', geo: 'us' } });
  const events = [
    tokenEvent({ prompt_tokens: million, web_searches: 3, characters: 5 }),
    tokenEvent({ web_searches: 1 }),
    tokenEvent({ prompt_tokens: million, service_tier: 'Batch', geo: 'us' }),
    tokenEvent({ prompt_tokens: million, service_tier: 'batch' }),
  ];
  expect(await costsOf(project, events)).toEqual([1.060000000005, 0.02, 0.5, 1]);
});

test("D5.3: the effective days are inclusive and of the project's timezone", async () => {
  const project = await farthing.createProject({ timezone: 'America/New_York' });
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  await project.addPrice({
    model: 'm1',
    input_per_mtok: 2,
    output_per_mtok: 2,
    effective_from: '2024-05-10',
    effective_to: '2024-05-12',
  });
  await project.addPrice({ model: 'm1', input_per_mtok: 4, output_per_mtok: 4, effective_from: '2024-05-20' });
  const times = [
    '2024-05-10T03:59:59Z',
    '2024-05-10T04:00:00Z',
    '2024-05-13T03:59:59Z',
    '2024-05-13T04:00:00Z',
    '2024-05-20T03:59:59Z',
    '2024-05-20T04:00:00Z',
  ];
  const events = times.map((timestamp) => tokenEvent({ timestamp, prompt_tokens: million }));
  expect(await costsOf(project, events)).toEqual([1, 2, 2, 1, 1, 4]);
});

longTest('D5.3: an override counts only on its days, and then wins over a less specific one', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm*', input_per_mtok: 1, output_per_mtok: 1 });
  await project.addPrice({ model: 'm1', input_per_mtok: 2, output_per_mtok: 2, effective_to: '2024-05-14' });
  const events = ['2024-05-14T12:00:00Z', '2024-05-15T12:00:00Z'].map((timestamp) =>
    tokenEvent({ timestamp, prompt_tokens: million }),
  );
  expect(await costsOf(project, events)).toEqual([2, 1]);
});

test('D5.5: adding or deleting a price changes no past cost', async () => {
  const project = await farthing.createProject();
  const first = await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  const event = tokenEvent({ prompt_tokens: million, tags: { customer: 'first' } });
  await project.post(event);
  expect(await project.totalCost()).toBe(1);
  await project.addPrice({ model: 'm1', input_per_mtok: 2, output_per_mtok: 2 });
  expect(await project.totalCost()).toBe(1);
  // Repetitions and late events of a call use the price of its first receipt (D5.7).
  await project.post(event);
  await project.post({ event_id: event.event_id, event_type: 'x.before', tags: { feature: 'late' } });
  await project.post(tokenEvent({ prompt_tokens: million, tags: { customer: 'second' } }));
  expect(await project.costBy('customer')).toEqual({ first: 1, second: 2 });
  expectStatus(await project.api('DELETE', `/api/prices/${first}/`), 204);
  expect(await project.costBy('customer')).toEqual({ first: 1, second: 2 });
});

test('D5.3: a deleted override no longer prices new calls', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm*', input_per_mtok: 1, output_per_mtok: 1 });
  const exact = await project.addPrice({ model: 'm1', input_per_mtok: 2, output_per_mtok: 2 });
  expectStatus(await project.api('DELETE', `/api/prices/${exact}/`), 204);
  expect(await costsOf(project, [tokenEvent({ prompt_tokens: million })])).toEqual([1]);
});

longTest('D5.7: a price applies as soon as its creation is answered', async () => {
  const project = await farthing.createProject();
  for (const rate of [1, 2, 3, 4, 5]) {
    await project.addPrice({ model: 'm1', input_per_mtok: rate, output_per_mtok: rate });
    await project.post(tokenEvent({ prompt_tokens: million, tags: { customer: `at ${rate}` } }));
  }
  expect(await project.costBy('customer')).toEqual({ 'at 1': 1, 'at 2': 2, 'at 3': 3, 'at 4': 4, 'at 5': 5 });
});

test('D1.1: an override applies to its project only', async () => {
  const [one, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const id = await one.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  expect(await costsOf(other, [tokenEvent({ prompt_tokens: million })])).toEqual([0]);
  expect(JSON.stringify(expectStatus(await other.api('GET', '/api/prices/'), 200))).not.toContain(id);
});

test('D2: terms and units are listed as posted; the service tier is one of the terms', async () => {
  const project = await farthing.createProject();
  const post = async (fields: Json) =>
    expectStatus(
      await project.api('POST', '/api/prices/', { model: 'm1', input_per_mtok: 1, output_per_mtok: 2, ...fields }),
      201,
    );
  const units = { web_searches: 0.01, audio_seconds: 0.0001 };
  expect(await post({ units, service_tier: 'flex', terms: { geo: 'us', service_tier: 'flex' } })).toMatchObject({
    units,
    service_tier: 'flex',
    terms: { geo: 'us', service_tier: 'flex' },
  });
  const ofTerms = await post({ terms: { service_tier: 'batch' }, units: null });
  expect(ofTerms).toMatchObject({ service_tier: 'batch', terms: { service_tier: 'batch' }, units: {} });
  expect(await post({ service_tier: 'batch', terms: null })).toMatchObject({ terms: { service_tier: 'batch' } });
});

test('D2: prices are listed as posted', async () => {
  const project = await farthing.createProject();
  const fields = { ...fullPrice, provider: 'p', service_tier: 'flex', effective_from: '2024-01-01', per_request: 0.5 };
  const made = await project.api('POST', '/api/prices/', fields);
  expect(expectStatus(made, 201)).toMatchObject(fields);
  const listed = expectStatus(await project.api('GET', '/api/prices/'), 200);
  expect(findIn(listed, 'id', readId(made.body))).toMatchObject(fields);
  expect(Object(listed).lists[0]).toEqual({
    list: 'genai-prices',
    age_days: expect.any(Number),
    is_old: Object(listed).lists[0].age_days > 45,
  });
  expectStatus(await project.api('DELETE', `/api/prices/${readId(made.body)}/`), 204);
  const afterwards = expectStatus(await project.api('GET', '/api/prices/'), 200);
  expect(findIn(afterwards, 'id', readId(made.body))).toBeUndefined();
});

function readId(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`no id in ${JSON.stringify(body)}`);
}
