import { expect, test } from 'vitest';
import { z } from 'zod';
import { explainCall } from '../../support/calls.ts';
import { expectStatus, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';

const farthing = sharedFarthing();

const rates = z.strictObject({
  per_mtok: z.record(z.string(), z.number().nullable()),
  per_request: z.number().nullable(),
});
const tiered = { rates, tiers: z.array(z.strictObject({ above_input_tokens: z.number(), rates })) };
const source = z.looseObject({ kind: z.string() });
const when = z.record(z.string(), z.array(z.string()));
const modelPrice = z.strictObject({
  model: z.string(),
  provider: z.string(),
  service_tier: z.string().nullable(),
  at: z.string(),
  price_book: z.strictObject({ id: z.string(), activated_at: z.string() }),
  source: source.nullable(),
  by_hour: z.boolean(),
  ...tiered,
  terms: z.array(z.strictObject({ name: z.string(), value: z.string(), factor: z.number().nullable(), source })),
  partly_priced: z.array(z.string()),
  assumed_rates: z.array(z.string()),
  term_prices: z.array(
    z.strictObject({ when, factor: z.number().nullable(), prices: z.strictObject(tiered).nullable(), source }),
  ),
  units: z.array(z.strictObject({ unit: z.string(), when, rate_per_unit: z.number(), source })),
  smaller_model: z.string().nullable(),
});

async function priceOf(project: Project, model: string, query = '') {
  const answer = await project.api('GET', `/api/models/${encodeURIComponent(model)}/price/${query}`);
  return modelPrice.parse(expectStatus(answer, 200));
}

test('D26.1: a region in the name is the term geo, unless the question names one', async () => {
  const project = await farthing.createProject();
  expect((await priceOf(project, 'us/o3-mini', '?provider=azure')).rates.per_mtok.input).toBe(1.21);
  expect((await priceOf(project, 'us/o3-mini', '?provider=azure&geo=global')).rates.per_mtok.input).toBe(1.1);
});

test('D5.2: the price of a model is the list price, with its source', async () => {
  const project = await farthing.createProject();
  const price = await priceOf(project, 'gpt-4o-2024-08-06');
  expect(price).toMatchObject({
    model: 'gpt-4o-2024-08-06',
    smaller_model: 'gpt-4o-mini',
    provider: 'openai',
    service_tier: null,
    source: { kind: 'catalogue', provider: 'openai', entry: 'gpt-4o', correction_source: null },
    rates: { per_mtok: { input: 2.5, cache_read: 1.25, output: 10, reasoning: 10 }, per_request: null },
    tiers: [],
    assumed_rates: expect.arrayContaining(['output_audio']),
  });
  // D26.3: rates that stand in for those of other tokens are told.
  expect(price.assumed_rates).not.toContain('cache_read');
  expect((await priceOf(project, 'claude-2.1')).assumed_rates).toContain('cache_read');
  expect(Object.keys(price.rates.per_mtok)).toHaveLength(14);
  expect(Math.abs(Date.parse(price.at) - Date.now())).toBeLessThan(60_000);
});

test('D5.2: prices can have tiers by prompt size and by time', async () => {
  const project = await farthing.createProject();
  const before = await priceOf(project, 'claude-opus-4-6', '?at=2026-03-12');
  expect(before.tiers).toMatchObject([{ above_input_tokens: 200_000, rates: { per_mtok: { input: 10 } } }]);
  expect(before.rates.per_mtok.input).toBe(5);
  expect((await priceOf(project, 'claude-opus-4-6', '?at=2026-11-01T00:00:00%2B02:00')).tiers).toEqual([]);
});

test('D5.2: a price that goes by the hour says so, unless an override replaces it', async () => {
  const project = await farthing.createProject();
  const at = (hour: string) => priceOf(project, 'deepseek-chat', `?at=2025-06-01T${hour}:00:00Z`);
  const [day, night] = [await at('12'), await at('20')];
  expect([day.by_hour, night.by_hour]).toEqual([true, true]);
  expect(day.rates.per_mtok.input).not.toBe(night.rates.per_mtok.input);
  expect((await priceOf(project, 'gpt-4o')).by_hour).toBe(false);
  await project.addPrice({ model: 'deepseek-chat', input_per_mtok: 1, output_per_mtok: 2 });
  expect((await priceOf(project, 'deepseek-chat')).by_hour).toBe(false);
});

test('D5.3: an override gives the price on its days, for its provider and service tier', async () => {
  const project = await farthing.createProject({ timezone: 'Pacific/Auckland' });
  const override_id = await project.addPrice({
    model: 'a/b c*',
    provider: 'Acme',
    service_tier: 'batch',
    effective_from: '2026-05-10',
    effective_to: '2026-05-10',
    input_per_mtok: 0.5,
    output_per_mtok: 1,
    per_request: 0.25,
  });
  const query = '?provider=acme&service_tier=batch';
  const price = await priceOf(project, 'a/b c/d', `${query}&at=2026-05-10`);
  expect(price).toMatchObject({
    provider: 'acme',
    service_tier: 'batch',
    at: '2026-05-09T12:00:00.000Z',
    source: { kind: 'override', override_id },
    rates: { per_mtok: { input: 0.5, cache_read: 0.5, output: 1 }, per_request: 0.25 },
    tiers: [],
  });
  await priceOf(project, 'a/b c/d', `${query}&at=2026-05-10T11:59:59Z`);
  const path = `/api/models/${encodeURIComponent('a/b c/d')}/price/`;
  for (const other of [
    '?provider=other&service_tier=batch&at=2026-05-10',
    '?provider=acme&at=2026-05-10',
    `${query}&at=2026-05-11`,
    `${query}&at=2026-05-10T12:00:00Z`,
    query,
  ]) {
    expectStatus(await project.api('GET', `${path}${other}`), 404);
  }
});

test('D26.2: the prices of terms and units stand beside those of tokens, with their pages', async () => {
  const project = await farthing.createProject();
  const price = await priceOf(project, 'claude-opus-4-6', '?geo=us&service_tier=batch&at=2026-11-01');
  const supplement = { kind: 'supplement', page: expect.stringMatching(/^https:/), checked_on: expect.any(String) };
  expect(price).toMatchObject({
    service_tier: 'batch',
    rates: { per_mtok: { input: 2.75, output: 13.75 } },
    terms: [
      { name: 'service_tier', value: 'batch', factor: 0.5 },
      { name: 'geo', value: 'us', factor: 1.1 },
    ],
    partly_priced: [],
  });
  expect(price.term_prices).toContainEqual({
    when: { service_tier: expect.arrayContaining(['batch']) },
    factor: 0.5,
    prices: null,
    source: supplement,
  });
  expect(price.units).toContainEqual({ unit: 'web_searches', when: {}, rate_per_unit: 0.01, source: supplement });
  const unknown = await priceOf(project, 'claude-opus-4-6', '?service_tier=unheard-of');
  expect(unknown).toMatchObject({ rates: { per_mtok: { input: 5 } }, terms: [], partly_priced: ['service_tier'] });
});

test('D26.2: a model that is sold by units has only their prices', async () => {
  const project = await farthing.createProject();
  const price = await priceOf(project, 'tts-1', '?provider=openai');
  expect(price).toMatchObject({ source: null, rates: { per_mtok: { input: null }, per_request: null }, tiers: [] });
  expect(price.units[0]).toMatchObject({ unit: 'characters', rate_per_unit: 0.000015 });
});

test("D26.2: an override's units come before the list's", async () => {
  const project = await farthing.createProject();
  const override_id = await project.addPrice({
    model: 'gpt-4o',
    input_per_mtok: 1,
    output_per_mtok: 1,
    units: { web_searches: 0.5 },
  });
  const { units, term_prices: termPrices } = await priceOf(project, 'gpt-4o', '?service_tier=batch');
  expect(units.filter(({ unit }) => unit === 'web_searches')).toMatchObject([
    { rate_per_unit: 0.5, source: { kind: 'override', override_id } },
    { rate_per_unit: 0.01, source: { kind: 'supplement' } },
  ]);
  expect(termPrices).toEqual([]);
});

test('D5.6: the route gives the same price as a call gets', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 4, cache_read_per_mtok: 0.3 });
  const price = await priceOf(project, 'm1');
  const event = tokenEvent({ prompt_tokens: 10, cached_tokens: 4, completion_tokens: 2 });
  await project.post(event);
  const { explanation } = await explainCall(project, String(event.event_id));
  expect(explanation.price_book).toEqual(price.price_book);
  expect(explanation.lines).toHaveLength(3);
  for (const line of explanation.lines) {
    if (!('rate_per_mtok' in line)) throw new Error('no price of this test is per request');
    expect([line.rate_per_mtok, line.source]).toEqual([price.rates.per_mtok[line.bucket], price.source]);
  }
});
