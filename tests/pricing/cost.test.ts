import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dollar, formatMoney, parseMoney, toJsonNumber } from '../../src/lib/money.ts';
import { type Usage, type UsageBucket, usageBuckets } from '../../src/lib/usage-buckets.ts';
import { installedCatalogue } from '../../src/pricing/catalogue.ts';
import { type CostedCall, calcCost, type UnpricedReason, unpricedReasons } from '../../src/pricing/cost.ts';
import { openBook } from '../../src/pricing/price-book.ts';
import { callOf, openInstalledBook, overrideOf, usageOf } from './support.ts';

const book = openInstalledBook();

describe('the order of the rules', () => {
  it('takes a reported cost before everything (D3.11)', () => {
    const reported = openInstalledBook([overrideOf({ model: '*' })]);
    expect(calcCost(callOf({ reportedCost: 5n }), reported)).toEqual({
      cost: 5n,
      source: 'reported',
      provider: 'openai',
      partlyPriced: [],
      lines: [],
    });
    expect(calcCost(callOf({ reportedCost: 0n, model: '', usage: null }), reported)).toMatchObject({
      cost: 0n,
      source: 'reported',
    });
  });

  it('charges nothing for what a gateway answers from its cache, whatever else is reported (D16.1)', () => {
    expect(calcCost(callOf({ isFromGatewayCache: true, reportedCost: 5n, costElsewhere: 6n }), book)).toEqual({
      cost: 0n,
      source: 'gateway_cache',
      provider: 'openai',
      partlyPriced: [],
      lines: [],
    });
  });

  it('takes what another tool worked out where there is no price, and nowhere else (D16.1)', () => {
    const costElsewhere = 7n;
    const reported = { cost: 7n, source: 'reported', partlyPriced: [], lines: [] };
    for (const fields of [
      { model: 'unheard-of' },
      { model: '' },
      { usage: null },
      { usage: null, hasUnknownUsage: true },
    ]) {
      expect(calcCost(callOf({ ...fields, costElsewhere }), book)).toEqual({ ...reported, provider: 'openai' });
    }
    expect(calcCost(callOf({ costElsewhere }), book)).toEqual(calcCost(callOf(), book));
    expect(calcCost(callOf({ costElsewhere, reportedCost: 5n }), book)).toMatchObject({ cost: 5n });
  });

  it('charges the models that did the work, unless an override has a price for the whole', () => {
    const others = [
      { model: 'gpt-4o-mini', usage: usageOf({ input: 400_000 }), isPart: true as const },
      { model: 'gpt-4o', usage: usageOf({ input: 600_000 }), isPart: true as const },
    ];
    const call = callOf({ model: 'a-system', usage: usageOf({ input: 1_000_000 }), others });
    expect(calcCost(call, book)).toMatchObject({ cost: parseMoney('1.56'), source: 'catalogue', partlyPriced: [] });
    const advice = { model: 'gpt-4o', usage: usageOf({ input: 100_000 }) };
    const unknown = { model: 'unheard-of', usage: usageOf({ input: 1 }), isPart: true as const };
    expect(calcCost({ ...call, others: [...others, advice, unknown] }, book)).toMatchObject({
      cost: parseMoney('1.81'),
      partlyPriced: ['other_models'],
    });
    expect(calcCost({ ...call, others: [unknown] }, book)).toMatchObject({ unpricedReason: 'unknown_model' });
    const overridden = openInstalledBook([overrideOf({ model: 'a-system', inputPerMtok: '7' })]);
    expect(calcCost({ ...call, others: [...others, advice] }, overridden)).toMatchObject({
      cost: parseMoney('7.25'),
      source: 'override',
    });
  });

  it('says where prompt sizes are unknown and a price depends on them, which is then the least (D5.2)', () => {
    const sum = { provider: 'google', model: 'gemini-2.5-pro', usage: usageOf({ input: 1_000_000 }), mayBeSum: true };
    expect(calcCost(callOf(sum), book)).toMatchObject({ cost: parseMoney('1.25'), partlyPriced: ['prompt_sizes'] });
    for (const small of [{ usage: usageOf({ input: 200_000 }) }, { model: 'gemini-2.5-flash' }]) {
      const call = callOf({ ...sum, ...small });
      expect(calcCost(call, book)).toEqual(calcCost({ ...call, mayBeSum: false }, book));
    }
  });

  it('prices requests that are summed up by their average size, and each of them (D16.2)', () => {
    const long = { provider: 'google', model: 'gemini-2.5-pro', usage: usageOf({ input: 1_000_000 }) };
    const [one, five, four] = [1, 5, 4].map((requests) => calcCost(callOf({ ...long, requests }), book).cost);
    // Above 200,000 tokens a prompt costs twice as much; five of 200,000 each are not above.
    expect([one, five, four].map((cost) => toJsonNumber(cost ?? 0n))).toEqual([2.5, 1.25, 2.5]);
    const perRequest = openInstalledBook([overrideOf({ perRequest: '0.5' })]);
    const cost = (requests?: number) => calcCost(callOf({ usage: usageOf({}), requests }), perRequest);
    expect(toJsonNumber(cost(3).cost)).toBe(1.5);
    expect(toJsonNumber(cost().cost)).toBe(0.5);
    expect(cost(1).lines).toEqual(cost().lines);
  });

  it('charges nothing for a call without usage, not even a price per request (D4.6)', () => {
    const perRequest = openInstalledBook([overrideOf({ perRequest: '1' })]);
    for (const model of ['gpt-4o-2024-08-06', 'unheard-of', '']) {
      expect(calcCost(callOf({ usage: null, model }), perRequest)).toEqual({
        cost: 0n,
        source: 'none',
        provider: 'openai',
        partlyPriced: [],
        lines: [],
      });
    }
  });

  it('takes an override before the catalogue (D5.3)', () => {
    const result = calcCost(callOf(), openInstalledBook([overrideOf()]));
    expect(result).toMatchObject({ source: 'override', cost: 412_000_000n + 174_000_000n });
  });

  it('prices a model that only an override knows, or none at all', () => {
    const result = calcCost(callOf({ provider: 'ollama', model: '' }), openInstalledBook([overrideOf({ model: '*' })]));
    expect(result).toMatchObject({ source: 'override', cost: 586_000_000n, provider: 'ollama' });
  });

  it('takes the catalogue, exactly (D5.1, D5.2)', () => {
    const result = calcCost(callOf(), book);
    const { version } = installedCatalogue();
    const source = { kind: 'catalogue', version, provider: 'openai', entry: 'gpt-4o', correctionSource: null };
    expect(result).toEqual({
      cost: 1_900_000_000n,
      source: 'catalogue',
      provider: 'openai',
      partlyPriced: [],
      lines: [
        { bucket: 'input', tokens: 412, ratePerMtok: '2.5', amount: 1_030_000_000n, source },
        { bucket: 'output', tokens: 87, ratePerMtok: '10', amount: 870_000_000n, source },
      ],
    });
    expect(toJsonNumber(result.cost)).toBe(0.0019);
  });

  it('matches an override of the provider that is derived from the model (D4.4)', () => {
    const ofOpenAi = openInstalledBook([overrideOf({ provider: 'OPENAI' })]);
    expect(calcCost(callOf({ provider: '' }), ofOpenAi)).toMatchObject({ source: 'override', provider: 'openai' });
    expect(calcCost(callOf({ provider: 'azure' }), ofOpenAi)).toMatchObject({ source: 'catalogue', provider: 'azure' });
  });

  it('judges an override by the day in the project’s timezone, the catalogue by the instant', () => {
    const untilYesterday = openInstalledBook([overrideOf({ effectiveTo: '2026-11-03' })]);
    expect(calcCost(callOf({ day: '2026-11-03' }), untilYesterday).source).toBe('override');
    expect(calcCost(callOf({ day: '2026-11-04' }), untilYesterday).source).toBe('catalogue');
  });

  it('matches an override’s service tier', () => {
    const batch = openInstalledBook([overrideOf({ terms: { service_tier: 'batch' } })]);
    expect(calcCost(callOf({ terms: { service_tier: 'batch' } }), batch).source).toBe('override');
    expect(calcCost(callOf({ terms: { service_tier: 'Batch' } }), batch).source).toBe('override');
    expect(calcCost(callOf({ terms: { service_tier: 'flex' } }), batch).source).toBe('catalogue');
    expect(calcCost(callOf(), batch).source).toBe('catalogue');
  });
});

const textOfCount = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

describe('a call without a price (D5.4)', () => {
  const cases: [reason: UnpricedReason, call: Parameters<typeof callOf>[0]][] = [
    ['no_model', { model: '' }],
    ['unknown_provider', { provider: 'my-own-machine' }],
    ['unknown_model', { model: 'unheard-of' }],
    ['no_token_price', { model: 'whisper-1' }],
    ['no_unit_price', { usage: null, units: { video_seconds: 1n } }],
    ['unknown_model', { model: 'unheard-of', usage: null, units: { video_seconds: 1n } }],
    ['unknown_usage', { usage: null, hasUnknownUsage: true }],
    ['usage_not_reported', { usage: null, isUsageMissing: true }],
    ['usage_not_reported', { usage: usageOf({}), isUsageMissing: true }],
    ['invalid_usage', { usage: null, units: { images: 0n } }],
    ['invalid_usage', { units: { images: -1n } }],
    ['no_token_price', { model: 'text-embedding-3-small', usage: usageOf({ input: 1, output: 1 }) }],
    ['invalid_usage', { usage: usageOf({ input: -1 }) }],
    ['invalid_usage', { usage: usageOf({ output: 0.5 }) }],
    ['invalid_usage', { usage: usageOf({ cacheRead: Number.NaN }) }],
  ];
  for (const [reason, call] of cases) {
    it(`costs 0 and says ${reason} of ${JSON.stringify(call, textOfCount)}`, () => {
      const result = calcCost(callOf(call), book);
      expect(result).toMatchObject({ cost: 0n, source: 'unpriced', unpricedReason: reason, lines: [] });
    });
  }

  it.each([
    ['google', 'veo-3.1-generate-preview'],
    ['openai', 'sora-2'],
    ['xai', 'grok-imagine-video'],
    ['bedrock', 'luma.ray-v2:0'],
  ])('says that its model is known where it lacks what is charged: %s %s', (provider, model) => {
    const reasonOf = (call: Partial<CostedCall>) => calcCost(callOf({ provider, model, ...call }), book).unpricedReason;
    expect(reasonOf({ usage: null, units: { videos: dollar } })).toBe('no_unit_price');
    expect(reasonOf({ usage: usageOf({ input: 5 }) })).toBe('no_token_price');
    expect(reasonOf({ model: 'acme-9', usage: null, units: { videos: dollar } })).toBe('unknown_model');
  });

  it('has a case here for every reason', () => {
    expect(new Set(cases.map(([reason]) => reason))).toEqual(new Set(unpricedReasons));
  });

  it('D26.3: is partly priced where a kind of token has the rate of a wider one only for want of its own', () => {
    const tell = (call: Partial<CostedCall>, of = book) => {
      const { lines, partlyPriced } = calcCost(callOf(call), of);
      return [partlyPriced, lines.flatMap((line) => ('rateOf' in line ? [[line.bucket, line.rateOf]] : []))];
    };
    const told = (buckets: Partial<Usage>, call: Partial<CostedCall>) => tell({ ...call, usage: usageOf(buckets) });
    const llama = { provider: 'together', model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo' };
    const cached = { cacheRead: 5, cacheWrite1h: 3, inputAudio: 2, outputAudio: 1, reasoning: 9 };
    expect(told(cached, llama)).toEqual([
      ['cache_read', 'cache_write_1h', 'input_audio', 'output_audio'],
      [
        ['cacheRead', 'input'],
        ['cacheWrite1h', 'input'],
        ['inputAudio', 'input'],
        ['outputAudio', 'output'],
      ],
    ]);
    // Nothing is told of what has a rate, of what its provider is known to charge alike, of free models and of overrides.
    const nothing = [[], []];
    expect(told({ cacheRead: 5, cacheWrite: 3, inputImage: 0, reasoning: 2 }, {})).toEqual(nothing);
    expect(
      told({ inputAudio: 5, inputImage: 5, cacheReadAudio: 2 }, { provider: 'google', model: 'gemini-2.5-pro' }),
    ).toEqual(nothing);
    expect(told({ outputAudio: 5 }, { provider: 'openai', model: 'gpt-4o-mini-tts' })).toEqual(nothing);
    expect(told({ cacheRead: 5 }, { provider: 'openrouter', model: 'deepseek/deepseek-r1:free' })).toEqual(nothing);
    const own = openInstalledBook([overrideOf({ model: llama.model })]);
    expect(tell({ ...llama, usage: usageOf(cached) }, own)).toEqual(nothing);
    // Writes that are kept for an hour, at the price of those for five minutes.
    const nova = { provider: 'aws', model: 'anthropic.claude-3-5-haiku-20241022-v1:0', terms: { cache_ttl: '1h' } };
    expect(told({ cacheWrite: 5 }, nova)).toEqual([['cache_ttl'], []]);
  });

  it('is not one that its provider gives away', () => {
    const free = calcCost(callOf({ provider: 'openrouter', model: 'deepseek/deepseek-r1:free' }), book);
    expect(free).toMatchObject({ cost: 0n, source: 'catalogue', lines: [{ ratePerMtok: '0' }, { ratePerMtok: '0' }] });
  });

  it('is not one that used no tokens of a model with a price', () => {
    expect(calcCost(callOf({ usage: usageOf({}) }), book)).toMatchObject({ cost: 0n, source: 'catalogue', lines: [] });
    expect(calcCost(callOf({ usage: usageOf({}), model: 'unheard-of' }), book).source).toBe('unpriced');
  });
});

describe('cost laws', () => {
  const tokens = fc.nat({ max: 4_000_000_000 });
  const usage = fc.record(
    Object.fromEntries(usageBuckets.map((bucket) => [bucket, tokens])) as Record<UsageBucket, typeof tokens>,
  );
  const model = fc.constantFrom(
    'gpt-4o',
    'gpt-realtime',
    'claude-sonnet-4-5',
    'gemini-2.5-pro',
    'deepseek-v4-pro',
    'sonar-pro',
    'unheard-of',
    '',
  );
  const rate = fc
    .nat({ max: 10 ** 9 })
    .map((millionths) => `${Math.floor(millionths / 1e6)}.${String(millionths % 1e6).padStart(6, '0')}`);
  const overrides = fc.array(fc.record({ input: rate, output: rate, perRequest: fc.option(rate) }), { maxLength: 1 });

  it('is the exact sum of its lines, one for each bucket with tokens', () => {
    fc.assert(
      fc.property(usage, model, overrides, (used, name, own) => {
        const opened = openInstalledBookWith(own);
        const result = calcCost(callOf({ provider: '', model: name, usage: used }), opened);
        expect(result.cost).toBe(result.lines.reduce((sum, { amount }) => sum + amount, 0n));
        if (result.source === 'unpriced') return;
        const billed = result.lines.flatMap((line) => ('tokens' in line ? [[line.bucket, line.tokens]] : []));
        expect(billed).toEqual(
          usageBuckets.filter((bucket) => used[bucket] > 0).map((bucket) => [bucket, used[bucket]]),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('has each line exactly its tokens times its rate, rounded once', () => {
    fc.assert(
      fc.property(usage, model, (used, name) => {
        for (const line of calcCost(callOf({ provider: '', model: name, usage: used }), book).lines) {
          if (!('tokens' in line)) continue;
          // Catalogue rates have at most 6 fractional digits here, so nothing is left to round.
          const ratePicodollarsPerToken = (parseMoney(line.ratePerMtok) ?? -1n) / 1_000_000n;
          expect(formatMoney(line.amount)).toBe(formatMoney(BigInt(line.tokens) * ratePicodollarsPerToken));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never falls when more tokens are used at one price', () => {
    fc.assert(
      fc.property(usage, fc.constantFrom(...usageBuckets), (used, bucket) => {
        const opened = openInstalledBookWith([{ input: '1.5', output: '2.5', perRequest: null }]);
        const more = { ...used, [bucket]: used[bucket] + 1 };
        const [less, greater] = [used, more].map((counts) => calcCost(callOf({ usage: counts }), opened).cost);
        expect(less !== undefined && greater !== undefined && greater > less).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  function openInstalledBookWith(own: readonly { input: string; output: string; perRequest: string | null }[]) {
    return openBook(
      {
        overrides: own.map(({ input, output, perRequest }) =>
          overrideOf({ model: '*', inputPerMtok: input, outputPerMtok: output, perRequest }),
        ),
      },
      book.catalogue,
    );
  }
});
