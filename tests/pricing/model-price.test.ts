import { describe, expect, it } from 'vitest';
import { noTerms } from '../../src/lib/units.ts';
import { installedCatalogue } from '../../src/pricing/catalogue.ts';
import { calcCost } from '../../src/pricing/cost.ts';
import { type ModelPriceQuery, resolveModelPrice } from '../../src/pricing/model-price.ts';
import { callOf, openInstalledBook, overrideOf, usageOf } from './support.ts';

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
