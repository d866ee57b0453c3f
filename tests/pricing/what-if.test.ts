import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/lib/money.ts';
import { type CostedCall, calcCost } from '../../src/pricing/cost.ts';
import type { NewOverride, PriceOverride } from '../../src/pricing/overrides.ts';
import type { OpenedBook } from '../../src/pricing/price-book.ts';
import { type AssumedPrices, assumeOverrides, calcAssumedCost } from '../../src/pricing/what-if/assumed-prices.ts';
import { callOf, openInstalledBook, overrideOf, usageOf } from './support.ts';

const book = openInstalledBook();

const prices = (fields: Partial<AssumedPrices> = {}): AssumedPrices => ({
  book,
  models: new Map(),
  serviceTier: null,
  cachedShare: null,
  ...fields,
});
const swap = (from: string, to: string, fields: Partial<AssumedPrices> = {}) =>
  prices({ models: new Map([[from, to]]), ...fields });
const assumed = (override: PriceOverride): NewOverride => {
  const { id: _, createdAt: __, ...rest } = override;
  return rest;
};
const costOf = (call: CostedCall, as: AssumedPrices) => calcAssumedCost(call, as).cost.cost;
/** The call costs as `other` does, and counts as changed. */
const expectAs = (call: CostedCall, as: AssumedPrices, other: CostedCall, of: OpenedBook = as.book) => {
  const { cost, isUnchanged } = calcAssumedCost(call, as);
  expect(cost.cost).toBe(calcCost(other, of).cost);
  expect(cost.lines).toEqual(calcCost(other, of).lines);
  expect(isUnchanged).toBe(false);
};
const expectUnchanged = (call: CostedCall, as: AssumedPrices) => {
  const { cost, isUnchanged } = calcAssumedCost(call, as);
  expect(cost).toEqual(calcCost(call, as.book));
  expect(isUnchanged).toBe(true);
};

const tokens = fc.integer({ min: 0, max: 400_000 });
const usage = fc.record({ input: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens, reasoning: tokens });

describe('another model', () => {
  it('prices a call as one of the other model: by its tiers of size, of service and of time (D22)', () => {
    // Two of them cost more above 200,000 tokens, and one ended its launch price.
    const models = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'deepseek-chat'];
    const from = Date.parse('2025-06-01T00:00:00Z');
    const time = fc.integer({ min: from, max: from + 400 * 86_400_000 });
    const tier = fc.constantFrom(undefined, 'default', 'batch');
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        fc.constantFrom(...models),
        usage,
        time,
        tier,
        (a, b, used, at, named) => {
          const call = callOf({
            provider: '',
            model: a,
            usage: usageOf(used),
            time: at,
            day: new Date(at).toISOString().slice(0, 10),
            terms: named === undefined ? {} : { service_tier: named },
          });
          const other = { ...call, model: b };
          const [cost, plain] = [calcCost(other, book), calcCost(call, book)];
          // What B has no price for, but A has, keeps the call at its price. Cached tokens have that of others at least.
          const isMissing = (name: string) =>
            !name.startsWith('cache_') && !plain.partlyPriced.some((one) => one === name);
          if (cost.partlyPriced.some(isMissing)) expectUnchanged(call, swap(a, b));
          else expectAs(call, swap(a, b), other);
        },
      ),
    );
  });

  it('stays with the seller of the call if that sells the other model, else goes to the maker (D22)', () => {
    const azure = callOf({ provider: 'azure', model: 'gpt-4o' });
    expectAs(azure, swap('gpt-4o', 'gpt-4o-mini'), { ...azure, model: 'gpt-4o-mini' });
    const openai = callOf({ provider: 'openai', model: 'gpt-4o' });
    expectAs(openai, swap('gpt-4o', 'claude-sonnet-4-5'), {
      ...openai,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
    });
    expect(calcAssumedCost(openai, swap('gpt-4o', 'claude-sonnet-4-5')).cost.provider).toBe('openai');
    const unknown = callOf({ provider: 'our own cluster', model: 'house-llm' });
    expectAs(unknown, swap('house-llm', 'gpt-4o-mini'), { ...unknown, provider: 'openai', model: 'gpt-4o-mini' });
  });

  it('replaces no model twice, and leaves other models alone (D22)', () => {
    const as = prices({
      models: new Map([
        ['gpt-4o', 'gpt-4o-mini'],
        ['gpt-4o-mini', 'gpt-4o'],
      ]),
    });
    const [big, small] = [callOf({ model: 'gpt-4o' }), callOf({ model: 'gpt-4o-mini' })];
    expectAs(big, as, small);
    expectAs(small, as, big);
    expectAs(callOf(), as, callOf());
  });

  it('changes no call that used what the other model has no price for, and none with a reported cost (D22)', () => {
    const call = callOf({ model: 'gpt-4o', usage: usageOf({ input: 5, output: 7 }) });
    expectUnchanged(call, swap('gpt-4o', 'unheard-of'));
    expectUnchanged({ ...call, reportedCost: 5n }, swap('gpt-4o', 'gpt-4o-mini'));
    const searching = { ...call, units: { web_searches: 3n * 10n ** 12n } };
    expect(calcCost(searching, book).partlyPriced).toEqual([]);
    const house = openInstalledBook([overrideOf({ model: 'house-llm', provider: 'our own cluster' })]);
    expect(calcCost({ ...searching, provider: 'our own cluster', model: 'house-llm' }, house).partlyPriced).toEqual([
      'web_searches',
    ]);
    const own = { ...searching, provider: 'our own cluster' };
    // Without a price of its own before, the call takes what there is.
    expectAs(own, swap('gpt-4o', 'house-llm', { book: house }), { ...own, model: 'house-llm' });
    const priced = openInstalledBook([
      overrideOf({ model: 'house-llm', provider: 'our own cluster' }),
      overrideOf({ model: 'gpt-4o', provider: 'our own cluster', units: { web_searches: '0.5' } }),
    ]);
    expectUnchanged(own, swap('gpt-4o', 'house-llm', { book: priced }));
  });

  it('asks nothing of calls that used nothing, or nothing of the provider (D22)', () => {
    for (const fields of [{ usage: null }, { isFromGatewayCache: true }]) {
      const call = callOf({ model: 'gpt-4o', ...fields });
      expectAs(call, swap('gpt-4o', 'gpt-4o-mini'), call);
    }
  });

  it('takes the place of what another tool worked out, but not the other way round (D22)', () => {
    const call = callOf({ model: 'house-llm', costElsewhere: 7n });
    expectAs(call, swap('house-llm', 'gpt-4o'), { ...call, model: 'gpt-4o' });
    const known = callOf({ model: 'gpt-4o', costElsewhere: 7n });
    expectUnchanged(known, swap('gpt-4o', 'house-llm'));
  });
});

describe('a share of cached input', () => {
  it('reads this share of the text tokens from the cache, rounded down, and keeps the sum (D22)', () => {
    const share = fc.integer({ min: 0, max: 1_000_000 }).map((millionths) => millionths / 1_000_000);
    fc.assert(
      fc.property(usage, share, fc.constantFrom('gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-pro'), (used, of, model) => {
        const call = callOf({ provider: '', model, usage: usageOf({ ...used, inputAudio: 3 }) });
        const text = used.input + used.cacheRead;
        const cacheRead = Number((BigInt(text) * BigInt(Math.round(of * 1_000_000))) / 1_000_000n);
        const shared = { ...call, usage: usageOf({ ...used, inputAudio: 3, input: text - cacheRead, cacheRead }) };
        if (calcCost(shared, book).source === 'unpriced')
          return expectUnchanged(call, prices({ cachedShare: parseDecimal(of) }));
        return expectAs(call, prices({ cachedShare: parseDecimal(of) }), shared);
      }),
    );
  });

  it('changes no call with a reported cost, whether it reports tokens or not (D22)', () => {
    for (const usage of [null, usageOf({ input: 5 })]) {
      expectUnchanged(callOf({ usage, reportedCost: 5n }), prices({ cachedShare: parseDecimal(0.5) }));
    }
    const nothing = callOf({ usage: null });
    expectAs(nothing, prices({ cachedShare: parseDecimal(0.5) }), nothing);
  });

  it('costs nothing else at 0 and 1 of a prompt of one token, and what a model without the price costs at any share (D22)', () => {
    const one = callOf({ usage: usageOf({ input: 1 }) });
    expectAs(one, prices({ cachedShare: parseDecimal(0.999999) }), one);
    expectAs(one, prices({ cachedShare: parseDecimal(1) }), callOf({ usage: usageOf({ cacheRead: 1 }) }));
    const flat = openInstalledBook([overrideOf()]);
    expect(costOf(callOf(), prices({ book: flat, cachedShare: parseDecimal(0.5) }))).toBe(
      calcCost(callOf(), flat).cost,
    );
  });
});

describe('a service tier', () => {
  it('prices calls as if the tier had served them, whatever they name (D22)', () => {
    for (const terms of [{}, { service_tier: 'default' }, { service_tier: 'priority' }]) {
      const call = callOf({ model: 'gpt-4o', terms });
      expectAs(call, prices({ serviceTier: 'batch' }), { ...call, terms: { service_tier: 'batch' } });
    }
    expect(costOf(callOf(), prices({ serviceTier: 'batch' })) * 2n).toBe(calcCost(callOf(), book).cost);
  });

  it('changes no calls of models without a price for the tier (D22)', () => {
    expectUnchanged(callOf(), prices({ serviceTier: 'platinum' }));
    // A tier that they name themselves, and of which no price is known either.
    expectUnchanged(callOf({ terms: { service_tier: 'gold' } }), prices({ serviceTier: 'platinum' }));
    expectUnchanged(callOf({ model: 'unheard-of' }), prices({ serviceTier: 'batch' }));
  });

  it('is all or nothing with the other assumptions (D22)', () => {
    expectUnchanged(callOf({ model: 'gpt-4o' }), swap('gpt-4o', 'gpt-4o-mini', { serviceTier: 'platinum' }));
    const call = callOf({ model: 'gpt-4o', usage: usageOf({ input: 10, output: 5 }) });
    const as = swap('gpt-4o', 'gpt-4o-mini', { serviceTier: 'batch', cachedShare: parseDecimal(0.5) });
    expectAs(call, as, {
      ...call,
      model: 'gpt-4o-mini',
      terms: { service_tier: 'batch' },
      usage: usageOf({ input: 5, cacheRead: 5, output: 5 }),
    });
  });
});

describe('overrides', () => {
  it('come before those of the project that are as specific, the last one first (D22)', () => {
    const own = openInstalledBook([overrideOf({ createdAt: Date.parse('2100-01-01') })]);
    const override = (inputPerMtok: string) => assumed(overrideOf({ inputPerMtok }));
    const both = assumeOverrides({ overrides: [override('3'), override('4')] }, own);
    const cost = (of: OpenedBook) => costOf(callOf(), prices({ book: of }));
    expect(cost(both)).toBe(calcCost(callOf(), openInstalledBook([overrideOf({ inputPerMtok: '4' })])).cost);
    expect(cost(assumeOverrides({ overrides: [] }, own))).toBe(calcCost(callOf(), own).cost);
    const general = assumed(overrideOf({ model: '*', inputPerMtok: '9' }));
    expect(cost(assumeOverrides({ overrides: [general] }, own))).toBe(calcCost(callOf(), own).cost);
  });

  it('change no calls with a reported cost, which they would price otherwise (D22)', () => {
    const of = assumeOverrides({ overrides: [assumed(overrideOf())] }, book);
    const isUnchanged = (fields: Partial<CostedCall>) =>
      calcAssumedCost(callOf(fields), prices({ book: of })).isUnchanged;
    expect(isUnchanged({ reportedCost: 5n })).toBe(true);
    expect(isUnchanged({ reportedCost: 5n, model: 'gpt-4o-mini' })).toBe(false);
    expect(isUnchanged({})).toBe(false);
  });
});

it('knows which models somebody sells, whatever else their names look like (D22)', () => {
  const sold = ['gpt-4o', 'claude-sonnet-4-5', 'groq/llama-3.1-8b-instant', 'llama-3.1-8b-instant', 'tts-1', 'sora-2'];
  expect(sold.filter((model) => !book.hasPriceOf(model))).toEqual([]);
  const unknown = ['gpt-99', 'claude-sonet', 'gemini-99', 'mistral-foo', '', 'house-llm'];
  expect(unknown.filter((model) => book.hasPriceOf(model))).toEqual([]);
  const own = openInstalledBook([overrideOf({ model: 'house-*', provider: 'azure', terms: { geo: 'eu' } })]);
  expect([own.hasPriceOf('house-llm'), own.hasPriceOf('hose-llm')]).toEqual([true, false]);
});
