import { describe, expect, it } from 'vitest';
import { dollar, formatMoney } from '../../src/lib/money.ts';
import { type Terms, type Units, unitNames } from '../../src/lib/units.ts';
import { type CostedCall, calcCost, costOfWrapper } from '../../src/pricing/cost.ts';
import { overrideUnits } from '../../src/pricing/overrides.ts';
import type { Supplement } from '../../src/pricing/supplement-data.ts';
import { bookOf, callOf, openInstalledBook, overrideOf, page, usageOf } from './support.ts';

const halfInBatch: Partial<Supplement> = { when: { service_tier: ['batch'] }, tokens: { factor: '0.5' } };
const ordinary: Partial<Supplement> = { when: { service_tier: ['default'] }, tokens: { factor: '1' } };
const moreInUs: Partial<Supplement> = { when: { geo: ['us'] }, tokens: { factor: '1.1' } };
const searches: Partial<Supplement> = { units: { web_searches: { usd: 10, per: 1_000 } } };
const one = (unit: keyof Units): Units => ({ [unit]: dollar });

/** GPT-4o: 2.50 and 10 dollars per million tokens. A million of each. */
const tokens = { usage: usageOf({ input: 1_000_000, output: 1_000_000 }) };
const costWith = (supplements: readonly Partial<Supplement>[], call: Partial<CostedCall>) => {
  const { cost, partlyPriced, source } = calcCost(callOf(call), bookOf(supplements));
  return [Number(cost) / Number(dollar), [...partlyPriced], source];
};

describe('what terms do to the rates of tokens (D26.2)', () => {
  const cases: [name: string, supplements: Partial<Supplement>[], terms: Terms, cost: number, partly?: string[]][] = [
    ['a factor', [halfInBatch], { service_tier: 'batch' }, 6.25],
    ['a value in other letters', [halfInBatch], { service_tier: 'BATCH' }, 6.25],
    ['a value that means the ordinary price', [halfInBatch, ordinary], { service_tier: 'default' }, 12.5],
    ['a value of which no price is known', [halfInBatch], { service_tier: 'scale' }, 12.5, ['service_tier']],
    ['factors of two terms', [halfInBatch, moreInUs], { service_tier: 'batch', geo: 'us' }, 6.875],
    ['one of two terms unknown', [halfInBatch, moreInUs], { service_tier: 'batch', geo: 'eu' }, 6.25, ['geo']],
    [
      'the most specific of two factors for one term',
      [halfInBatch, { ...halfInBatch, match: { starts_with: 'gpt-4o' }, tokens: { factor: '0.25' } }],
      { service_tier: 'batch' },
      3.125,
    ],
    [
      'the latest of two',
      [
        { ...halfInBatch, from: '2026-01-01', tokens: { factor: '0.1' } },
        { ...halfInBatch, from: '2025-01-01' },
      ],
      { service_tier: 'batch' },
      1.25,
    ],
    [
      'one that holds later',
      [{ ...halfInBatch, from: '2026-11-05' }],
      { service_tier: 'batch' },
      12.5,
      ['service_tier'],
    ],
    [
      'one that held until now',
      [{ ...halfInBatch, until: '2026-11-04T12:00:00Z' }],
      { service_tier: 'batch' },
      12.5,
      ['service_tier'],
    ],
    ['one that holds from now', [{ ...halfInBatch, from: '2026-11-04T12:00:00Z' }], { service_tier: 'batch' }, 6.25],
    [
      'one of another model',
      [{ ...halfInBatch, match: { equals: 'gpt-4' } }],
      { service_tier: 'batch' },
      12.5,
      ['service_tier'],
    ],
    [
      'one of another provider',
      [{ ...halfInBatch, providers: ['azure'] }],
      { service_tier: 'batch' },
      12.5,
      ['service_tier'],
    ],
    [
      'prices of its own, which factors of further terms multiply',
      [
        moreInUs,
        halfInBatch,
        {
          when: { service_tier: ['batch'] },
          match: { starts_with: 'gpt-4o' },
          tokens: { prices: { input_mtok: 1, output_mtok: 3 } },
        },
      ],
      { service_tier: 'batch', geo: 'us' },
      4.4,
    ],
    [
      'prices of two terms together, which include the factor of one',
      [
        moreInUs,
        { when: { service_tier: ['batch'], geo: ['us'] }, tokens: { prices: { input_mtok: 1, output_mtok: 3 } } },
      ],
      { service_tier: 'batch', geo: 'us' },
      4,
    ],
    ['terms that only choose prices of units', [halfInBatch], { quality: 'high', size: '1x1' }, 12.5],
  ];
  for (const [name, supplements, terms, cost, partly = []] of cases) {
    it(name, () => {
      expect(costWith(supplements, { ...tokens, terms })).toEqual([cost, partly, 'catalogue']);
    });
  }

  it('stands on each line with its source', () => {
    const call = callOf({ usage: usageOf({ input: 1_000_000 }), terms: { service_tier: 'batch', geo: 'us' } });
    const { lines } = calcCost(call, bookOf([halfInBatch, moreInUs, ordinary]));
    const source = { kind: 'supplement', page, checkedOn: '2026-11-24' };
    expect(lines).toMatchObject([
      {
        ratePerMtok: '1.375',
        source: { kind: 'catalogue' },
        terms: [
          { name: 'service_tier', value: 'batch', factor: '0.5', source },
          { name: 'geo', value: 'us', factor: '1.1', source },
        ],
      },
    ]);
    const plain = calcCost(callOf({ terms: { service_tier: 'default' } }), bookOf([ordinary]));
    expect(plain.lines.map((line) => 'terms' in line)).toEqual([false, false]);
  });

  it('prices cache writes by their lifetime, if the usage does not split them', () => {
    const call = (lifetime?: string) => ({
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      usage: usageOf({ cacheWrite: 100_000 }),
      terms: lifetime === undefined ? {} : { cache_ttl: lifetime },
    });
    expect(costWith([searches], call())).toEqual([0.375, [], 'catalogue']);
    expect(costWith([searches], call('5m'))).toEqual([0.375, [], 'catalogue']);
    expect(costWith([searches], call('1h'))).toEqual([0.6, [], 'catalogue']);
    expect(costWith([searches], call('24h'))).toEqual([0.375, ['cache_ttl'], 'catalogue']);
    expect(costWith([searches], { ...call('24h'), usage: usageOf({ cacheWrite: 1 }) })[1]).toEqual(['cache_ttl']);
    expect(costWith([searches], { ...call('24h'), ...tokens })[1]).toEqual([]);
  });

  it('keeps the digits of factor and rate, and rounds each line once', () => {
    const call = callOf({ usage: usageOf({ input: 1 }), terms: { service_tier: 'batch' } });
    const odd = { ...halfInBatch, tokens: { factor: '0.333333' } };
    expect(calcCost(call, bookOf([odd])).lines).toMatchObject([{ ratePerMtok: '0.8333325', amount: 833_332n }]);
  });
});

describe('what units cost (D26.2)', () => {
  const byQuality: Partial<Supplement>[] = [
    { when: { quality: ['low'] }, units: { images: { usd: 0.01, per: 1 } } },
    { when: { quality: ['high'], size: ['1024x1024'] }, units: { images: { usd: 0.17, per: 1 } } },
    { units: { images: { usd: 0.04, per: 1 } } },
  ];

  const cases: [
    name: string,
    supplements: Partial<Supplement>[],
    call: Partial<CostedCall>,
    cost: number,
    partly?: string[],
  ][] = [
    ['beside tokens', [searches], { ...tokens, units: one('web_searches') }, 12.51],
    ['alone', [searches], { usage: null, units: one('web_searches') }, 0.01],
    [
      'not halved with the tokens',
      [halfInBatch, searches],
      { ...tokens, terms: { service_tier: 'batch' }, units: one('web_searches') },
      6.26,
    ],
    ['without a price beside tokens', [searches], { ...tokens, units: one('file_searches') }, 12.5, ['file_searches']],
    [
      'without a price beside others',
      [searches],
      { usage: null, units: { ...one('pages'), ...one('web_searches') } },
      0.01,
      ['pages'],
    ],
    ['by terms', byQuality, { usage: null, terms: { quality: 'low' }, units: one('images') }, 0.01],
    [
      'by two terms',
      byQuality,
      { usage: null, terms: { quality: 'high', size: '1024x1024' }, units: one('images') },
      0.17,
    ],
    ['by none', byQuality, { usage: null, units: one('images') }, 0.04],
    [
      'by a value of a term that has no known price',
      byQuality,
      { usage: null, terms: { quality: 'ultra' }, units: one('images') },
      0.04,
      ['quality'],
    ],
    [
      'in a tier of which only tokens have a price',
      [halfInBatch, searches],
      { usage: null, terms: { service_tier: 'batch' }, units: one('web_searches') },
      0.01,
      ['service_tier'],
    ],
    [
      'in the ordinary tier',
      [ordinary, searches],
      { usage: null, terms: { service_tier: 'default' }, units: one('web_searches') },
      0.01,
    ],
    [
      'of a model that no catalogue lists',
      [{ ...searches, match: { equals: 'tts-x' } }],
      { model: 'tts-x', usage: null, units: one('web_searches') },
      0.01,
    ],
    [
      'that count requests',
      [{ units: { requests: { usd: 5, per: 1_000 } } }],
      { ...tokens, units: { requests: 3n * dollar } },
      12.515,
    ],
    ['a price of requests, once a call', [{ units: { requests: { usd: 5, per: 1_000 } } }], tokens, 12.505],
  ];
  for (const [name, supplements, call, cost, partly = []] of cases) {
    it(name, () => {
      expect(costWith(supplements, call)).toEqual([cost, partly, 'catalogue']);
    });
  }

  it('is that of the list for a request whose term decides its price and is unknown, and the call says so', () => {
    const book = openInstalledBook();
    const costOf = (size: string) => {
      const terms: Terms = size === '' ? {} : { search_context_size: size };
      const { cost, partlyPriced } = calcCost(callOf({ provider: 'perplexity', model: 'sonar', terms }), book);
      return [Number(cost) / Number(dollar), partlyPriced];
    };
    expect(costOf('')).toEqual([0.005499, []]);
    expect(costOf('high')).toEqual([0.012499, []]);
    expect(costOf('boundless')).toEqual([0.005499, ['search_context_size']]);
  });

  it('is exact for parts of a unit, rounded once', () => {
    const perMinute = { units: { audio_seconds: { usd: 0.0061, per: 60 } } };
    const call = callOf({ usage: null, units: { audio_seconds: 123_456_789_012_345n } });
    const { lines, cost } = calcCost(call, bookOf([perMinute]));
    // 123.456789012345 × 0.0061 / 60
    expect(formatMoney(cost)).toBe('0.012551440216');
    expect(lines).toMatchObject([{ unit: 'audio_seconds', rate: { usd: { text: '0.00061' }, per: 6 } }]);
  });
});

describe('what makes a call unpriced (D26.3)', () => {
  const reasonOf = (call: Partial<CostedCall>) => calcCost(callOf(call), bookOf([searches])).unpricedReason;

  it('is usage of which nothing is understood, unless anything else is', () => {
    expect(reasonOf({ usage: null, hasUnknownUsage: true })).toBe('unknown_usage');
    expect(reasonOf({ hasUnknownUsage: true })).toBeUndefined();
    expect(reasonOf({ usage: null, hasUnknownUsage: true, units: one('web_searches') })).toBeUndefined();
    expect(reasonOf({ usage: null, hasUnknownUsage: true, reportedCost: 1n })).toBeUndefined();
  });

  it('is that no unit has a price', () => {
    expect(reasonOf({ usage: null, units: one('pages') })).toBe('no_unit_price');
    expect(reasonOf({ usage: usageOf({}), units: one('pages') })).toBe('no_unit_price');
  });

  it('is that its tokens have none, whatever its units have', () => {
    expect(reasonOf({ model: 'unheard-of', units: one('web_searches') })).toBe('unknown_model');
    expect(reasonOf({ model: 'whisper-1', units: one('web_searches') })).toBe('no_token_price');
  });
});

describe('overrides of units and terms (D26.2)', () => {
  const own = overrideOf({ units: { web_searches: '0.5' } });

  it('set the price of units that they name, and leave others to the list', () => {
    const both = { units: { file_searches: { usd: 2, per: 1 }, web_searches: { usd: 10, per: 1_000 } } };
    const call = callOf({ ...tokens, units: { ...one('web_searches'), ...one('file_searches') } });
    expect(calcCost(call, bookOf([both], [own]))).toMatchObject({
      cost: 3n * dollar + 5n * 10n ** 11n + 2n * dollar,
      source: 'override',
      partlyPriced: [],
    });
    expect(calcCost(call, bookOf([], [own])).partlyPriced).toEqual(['file_searches']);
  });

  it('are final: no term changes their rates, and none is unknown', () => {
    const call = callOf({ ...tokens, terms: { service_tier: 'batch', geo: 'mars' }, units: one('web_searches') });
    expect(calcCost(call, bookOf([halfInBatch], [own]))).toMatchObject({
      cost: 3n * dollar + 5n * 10n ** 11n,
      partlyPriced: [],
    });
  });

  it('hold for calls that name all their terms; more terms come first', () => {
    const book = bookOf(
      [ordinary],
      [
        overrideOf({ id: 'prc_1', terms: { service_tier: 'flex' } }),
        overrideOf({ id: 'prc_2', terms: { service_tier: 'flex', geo: 'us' } }),
      ],
    );
    const sourceOf = (terms: Terms) => calcCost(callOf({ terms }), book).lines[0]?.source;
    expect(sourceOf({ service_tier: 'flex' })).toMatchObject({ overrideId: 'prc_1' });
    expect(sourceOf({ service_tier: 'Flex', geo: 'US' })).toMatchObject({ overrideId: 'prc_2' });
    expect(sourceOf({ geo: 'us' })).toMatchObject({ kind: 'catalogue' });
  });
});

it('D14.3: a wrapper costs nothing, and has no line', () => {
  expect(costOfWrapper('openai')).toEqual({
    ...{ cost: 0n, source: 'wrapper', provider: 'openai' },
    ...{ partlyPriced: [], lines: [] },
  });
});

it('D26.2: an override can set the price of every unit but that of requests', () => {
  expect(overrideUnits).not.toContain('requests');
  expect([...overrideUnits, 'requests'].toSorted()).toEqual([...unitNames].toSorted());
});
