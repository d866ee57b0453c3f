import { describe, expect, it } from 'vitest';
import { noTerms } from '../../src/lib/units.ts';
import { usageBuckets } from '../../src/lib/usage-buckets.ts';
import { installedCatalogue } from '../../src/pricing/catalogue.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { type ModelPriceQuery, resolveModelPrice } from '../../src/pricing/model-price.ts';
import type { Supplement } from '../../src/pricing/supplement-data.ts';
import { bookOf, callOf, openInstalledBook, overrideOf, page, usageOf } from './support.ts';

const book = openInstalledBook();

function queryOf(fields: Partial<ModelPriceQuery> = {}): ModelPriceQuery {
  const day = '2026-11-04';
  return { provider: '', model: 'gpt-4o', terms: noTerms, time: Date.parse(`${day}T12:00:00Z`), day, ...fields };
}

describe('the price of a model (D5.6)', () => {
  it('is the catalogue’s, with its version and entry', () => {
    expect(resolveModelPrice(queryOf(), book)).toMatchObject({
      provider: 'openai',
      source: {
        kind: 'catalogue',
        version: installedCatalogue().version,
        provider: 'openai',
        entry: 'gpt-4o',
        correctionSource: null,
      },
      rates: {
        perMtok: {
          input: '2.5',
          cacheRead: '1.25',
          cacheWrite: '2.5',
          cacheWrite1h: '2.5',
          inputAudio: '2.5',
          cacheReadAudio: '1.25',
          inputImage: '2.5',
          cacheReadImage: '1.25',
          inputVideo: '2.5',
          output: '10',
          reasoning: '10',
          outputAudio: '10',
          outputImage: '10',
          outputVideo: '10',
        },
        perRequest: null,
      },
      tiers: [],
    });
  });

  it('names the page of a correction', () => {
    expect(resolveModelPrice(queryOf({ model: 'ft:gpt-4.1-2025-04-14:acme::B1' }), book)).toMatchObject({
      source: { entry: 'ft:gpt-4.1', correctionSource: expect.stringMatching(/^https:/) },
      rates: { perMtok: { input: '3', cacheRead: '0.75', output: '12' } },
    });
  });

  it('has the tiers of its time, each with all its rates', () => {
    const model = 'claude-opus-4-6';
    const before = Date.parse('2026-03-12T12:00:00Z');
    expect(resolveModelPrice(queryOf({ model, time: before }), book)).toMatchObject({
      rates: { perMtok: { input: '5', output: '25' } },
      tiers: [{ aboveInputTokens: 200_000, rates: { perMtok: { input: '10', cacheRead: '1', output: '37.5' } } }],
    });
    expect(resolveModelPrice(queryOf({ model }), book)).toMatchObject({ tiers: [] });
  });

  it('is an override’s where one is valid, which has no tiers', () => {
    const own = overrideOf({ id: 'prc_9', model: 'gpt-5.4', terms: { service_tier: 'batch' }, perRequest: '0.01' });
    const overridden = openInstalledBook([{ ...own, effectiveTo: '2026-11-04' }]);
    const query = queryOf({ model: 'gpt-5.4', terms: { service_tier: 'batch' } });
    expect(resolveModelPrice(query, overridden)).toMatchObject({
      provider: 'openai',
      source: { kind: 'override', overrideId: 'prc_9' },
      rates: { perMtok: { input: '1', cacheRead: '1', output: '2' }, perRequest: '0.01' },
      tiers: [],
    });
    expect(resolveModelPrice({ ...query, day: '2026-11-05' }, overridden)).toMatchObject({
      source: { kind: 'supplement' },
    });
    expect(resolveModelPrice({ ...query, terms: noTerms }, overridden)).toMatchObject({
      source: { kind: 'catalogue' },
    });
  });

  it('has null for what is not priced, and a price a request', () => {
    expect(resolveModelPrice(queryOf({ model: 'text-embedding-3-small' }), book)).toMatchObject({
      rates: { perMtok: { input: '0.02', output: null } },
    });
    expect(resolveModelPrice(queryOf({ provider: 'perplexity', model: 'sonar' }), book)).toMatchObject({
      rates: { perRequest: '0.005' },
    });
  });

  it('says why there is none', () => {
    const reasons: [Partial<ModelPriceQuery>, provider: string, reason: string][] = [
      [{ model: '' }, '', 'no_model'],
      [{ model: 'unheard-of' }, '', 'unknown_model'],
      [{ model: 'gpt-4o-prod' }, 'openai', 'unknown_model'],
      [{ provider: 'my-own-machine' }, 'my-own-machine', 'unknown_provider'],
    ];
    for (const [fields, provider, unpricedReason] of reasons) {
      expect(resolveModelPrice(queryOf(fields), book)).toEqual({ provider, unpricedReason });
    }
  });

  it('is what a call pays, below a tier and above it', () => {
    for (const model of ['gpt-5.4', 'claude-haiku-5-5', 'gemini-2.5-pro', 'grok-4', 'o3', 'deepseek-v4-pro']) {
      const price = resolveModelPrice(queryOf({ model }), book);
      if ('unpricedReason' in price) throw new Error(`${model} has no price`);
      for (const input of [1, 150_000, 400_000]) {
        const usage = usageOf({ input, output: 7 });
        const rates = price.tiers.findLast((tier) => input > tier.aboveInputTokens)?.rates ?? price.rates;
        const { lines } = calcCost(callOf({ provider: '', model, usage }), book);
        expect(lines).toMatchObject([{ ratePerMtok: rates.perMtok.input }, { ratePerMtok: rates.perMtok.output }]);
        expect(lines[0]?.source).toEqual(price.source);
      }
    }
  });
});

describe('what the price of a model tells of terms and units (D5.6, D26.2)', () => {
  const halfInBatch: Partial<Supplement> = { when: { service_tier: ['batch'] }, tokens: { factor: '0.5' } };
  const searches: Partial<Supplement> = { units: { web_searches: { usd: 10, per: 1_000 } } };
  const query = {
    provider: 'openai',
    model: 'gpt-4o',
    terms: noTerms,
    time: Date.parse('2026-11-04'),
    day: '2026-11-04',
  };
  const source = { kind: 'supplement', page, checkedOn: '2026-11-24' };
  const ofUnit = (mantissa: bigint, scale: number, text: string, per = 1) => ({
    usd: { amount: { mantissa, scale }, text },
    per,
  });
  const only = (term: string, value: string) => new Map([[term, new Set([value])]]);
  const prices = {
    input_mtok: { base: 5, tiers: [{ start: 200_000, price: 10 }] },
    output_mtok: 20,
    requests_kcount: 3,
  };
  const listed = [
    { when: { service_tier: ['Priority'] }, tokens: { prices } },
    halfInBatch,
    searches,
    { when: { geo: ['us'] }, units: { web_searches: { usd: 11, per: 1_000 } } },
  ];

  it('every term with its factor or its own list, and every unit with its price, the most specific first', () => {
    const rates = { perMtok: { input: '5', cacheRead: '5', output: '20', outputAudio: '20' }, perRequest: '0.003' };
    const tier = { perMtok: { input: '10', output: '20' }, perRequest: '0.003' };
    const price = resolveModelPrice(query, bookOf(listed));
    expect(price).toMatchObject({
      source: { kind: 'catalogue', entry: 'gpt-4o' },
      rates: { perMtok: { input: '2.5', output: '10' }, perRequest: null },
      termPrices: [
        {
          when: only('service_tier', 'priority'),
          factor: null,
          prices: { rates, tiers: [{ aboveInputTokens: 200_000, rates: tier }] },
          source,
        },
        { when: only('service_tier', 'batch'), factor: '0.5', prices: null, source },
      ],
    });
    expect(price).toMatchObject({ tiers: [], terms: [], unknownTerms: [] });
    expect('units' in price && price.units).toEqual([
      { unit: 'web_searches', when: only('geo', 'us'), rate: ofUnit(11n, 3, '0.011'), source },
      { unit: 'web_searches', when: new Map(), rate: ofUnit(1n, 2, '0.01'), source },
    ]);
  });

  it('the terms of the query that change its rates, and those that may', () => {
    const terms = { service_tier: 'batch', geo: 'eu' };
    expect(
      resolveModelPrice(
        { ...query, terms },
        bookOf([halfInBatch, { when: { geo: ['us'] }, tokens: { factor: '1.1' } }]),
      ),
    ).toMatchObject({
      rates: { perMtok: { input: '1.25', output: '5' } },
      terms: [{ name: 'service_tier', value: 'batch', factor: '0.5', source }],
      unknownTerms: ['geo'],
    });
  });

  it('of an override its own units first, and no term, as none changes its rates', () => {
    const own = overrideOf({ model: 'gpt-4o', units: { images: '0.5' } });
    const price = resolveModelPrice(query, bookOf(listed, [own]));
    const ofOverride = { kind: 'override', overrideId: 'prc_1' };
    expect(price).toMatchObject({ source: ofOverride, terms: [], unknownTerms: [], termPrices: [], tiers: [] });
    expect('units' in price && price.units.map(({ unit, when, rate }) => [unit, when.size, rate.usd.text])).toEqual([
      ['images', 0, '0.5'],
      ['web_searches', 1, '0.011'],
      ['web_searches', 0, '0.01'],
    ]);
    expect('units' in price && price.units[0]?.source).toEqual(ofOverride);
  });

  it('of a model that has only units no rate; a unit of all models is no price of an unknown one', () => {
    const unheardOf = { ...query, model: 'unheard-of' };
    const seconds = { units: { audio_seconds: { usd: 0.006, per: 60 } } };
    expect(resolveModelPrice(unheardOf, bookOf([{ ...seconds, match: { equals: 'unheard-of' } }]))).toEqual({
      provider: 'openai',
      source: null,
      isByHour: false,
      rates: { perMtok: Object.fromEntries(usageBuckets.map((bucket) => [bucket, null])), perRequest: null },
      ...{ tiers: [], terms: [], unknownTerms: [], assumed: [], termPrices: [] },
      units: [{ unit: 'audio_seconds', when: new Map(), rate: ofUnit(6n, 4, '0.0006', 6), source }],
    });
    const unknown = { provider: 'openai', unpricedReason: 'unknown_model' };
    expect(resolveModelPrice(unheardOf, bookOf([seconds]))).toEqual(unknown);
    expect(resolveModelPrice(unheardOf, bookOf([{ ...halfInBatch, match: { equals: 'unheard-of' } }]))).toEqual(
      unknown,
    );
  });
});
