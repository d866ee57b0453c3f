// Random price books, and random calls that they price, with prices of every kind there is.
import fc from 'fast-check';
import { dollar } from '../../../src/lib/money.ts';
import { noTerms, noUnits } from '../../../src/lib/units.ts';
import { openCatalogue } from '../../../src/pricing/catalogue.ts';
import type { CostedCall } from '../../../src/pricing/cost.ts';
import { type OpenedBook, openBook } from '../../../src/pricing/price-book.ts';
import { overrideOf, usageOf } from '../../pricing/support.ts';

const models = ['m1', 'm2', 'm3', 'm4', 'free', 'unknown', ''];
const providers = ['p1', 'p2', 'elsewhere', ''];

/** Rates per million: most have at most six digits, which are exact, and some have more. */
const rate = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 90_000_000 }).map((micros) => micros / 1_000_000) },
  { weight: 1, arbitrary: fc.constantFrom(0.1234567, 1.00000001, 0.000_000_5) },
);
const tiered = fc.record({
  base: rate,
  tiers: fc.array(fc.record({ start: fc.constantFrom(100, 1_000, 200_000), price: rate }), {
    minLength: 1,
    maxLength: 2,
  }),
});
const tokenPrices = fc.record(
  {
    input_mtok: fc.oneof(rate, tiered),
    output_mtok: rate,
    cache_read_mtok: fc.oneof(rate, tiered),
    cache_write_mtok: rate,
    output_reasoning_mtok: rate,
    requests_kcount: rate,
  },
  { requiredKeys: ['input_mtok'] },
);
const constraint = fc.oneof(
  fc.constantFrom({ start_date: '2026-03-02' }, { start_date: '2026-03-02T10:30:00Z' }),
  fc.constantFrom(
    { start_time: '16:30:00Z', end_time: '00:30:00Z' },
    { start_time: '06:00:00Z', end_time: '18:00:00Z', weekdays: [1, 2] },
    { weekdays: [0, 1], start_date: '2026-03-01' },
  ),
);
const scheduled = fc.tuple(
  fc.record({ prices: tokenPrices }),
  fc.array(fc.record({ constraint, prices: tokenPrices }), { maxLength: 2 }),
);
const listed = fc.oneof(
  tokenPrices,
  scheduled.map(([first, others]) => [first, ...others]),
);
const provider = (id: string) =>
  fc
    .tuple(...['m1', 'm2', 'm3'].map((model) => fc.option(listed, { freq: 4 }).map((prices) => ({ model, prices }))))
    .map((entries) => ({
      id,
      provider_match: { equals: id },
      ...(id === 'p1' && { model_match: { or: [{ starts_with: 'm' }, { equals: 'free' }] } }),
      models: [
        { id: 'free', match: { equals: 'free' }, prices: {} },
        ...entries.flatMap(({ model, prices }) =>
          prices === null ? [] : [{ id: model, match: { equals: model }, prices }],
        ),
      ],
    }));
const unitPrice = fc.record({
  usd: fc.oneof(rate, fc.constantFrom(0.006, 0.5)),
  per: fc.constantFrom(1, 60, 1_000, 7),
});
const supplement = fc
  .record(
    {
      match: fc.constantFrom({ equals: 'm1' }, { starts_with: 'm' }, { equals: 'm4' }),
      from: fc.constantFrom('2026-03-01', '2026-03-02T05:00:00Z'),
      until: fc.constantFrom('2026-03-03', '2026-03-02T20:00:00Z'),
      when: fc.constantFrom(
        { service_tier: ['batch'] },
        { geo: ['us'] },
        { service_tier: ['flex'], geo: ['us', 'eu'] },
      ),
      tokens: fc.oneof(
        fc.constantFrom({ factor: '0.5' }, { factor: '1.1' }, { factor: '1' }, { factor: '0.333333' }),
        tokenPrices.map((prices) => ({ prices })),
      ),
      units: fc.record(
        {
          web_searches: unitPrice,
          audio_seconds: unitPrice,
          requests: fc.record({ usd: rate, per: fc.constantFrom(1, 1_000) }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({
    ...fields,
    kind: 'supplement',
    providers: ['p1', 'p2'],
    source: 'https://example.com/prices',
    checkedOn: '2026-03-01',
  }));
const exact = fc.integer({ min: 0, max: 90_000_000 }).map((micros) => String(micros / 1_000_000));
export const override = fc
  .record({
    model: fc.constantFrom('m1', 'm*', '*', 'unknown'),
    provider: fc.constantFrom(null, 'P1', 'elsewhere'),
    terms: fc.constantFrom({}, { service_tier: 'batch' }),
    days: fc.constantFrom([null, null], ['2026-03-02', null], [null, '2026-03-01'], ['2026-03-02', '2026-03-02']),
    inputPerMtok: exact,
    outputPerMtok: exact,
    cacheReadPerMtok: fc.option(exact),
    perRequest: fc.option(exact),
    units: fc.constantFrom({}, { web_searches: '0.01' }, { audio_seconds: '0.0001' }),
  })
  .map(({ days, ...fields }) =>
    overrideOf({ ...fields, effectiveFrom: days[0] ?? null, effectiveTo: days[1] ?? null }),
  );

export const book: fc.Arbitrary<OpenedBook> = fc
  .record({
    providers: fc.tuple(provider('p1'), provider('p2')),
    supplements: fc.array(supplement, { maxLength: 4 }),
    overrides: fc.array(override, { maxLength: 3 }),
  })
  .map(({ providers: sellers, supplements, overrides }) =>
    openBook(
      { overrides: overrides.map((each, index) => ({ ...each, id: `prc_${index}`, createdAt: index })) },
      openCatalogue(JSON.stringify({ version: '1', providers: sellers }), JSON.stringify(supplements)),
    ),
  );

const tokens = fc.oneof(fc.constant(0), fc.constantFrom(100, 101, 200_001), fc.integer({ min: 0, max: 3_000 }));
const usage = fc
  .record({
    input: tokens,
    cacheRead: tokens,
    cacheWrite: tokens,
    output: tokens,
    reasoning: tokens,
    outputAudio: tokens,
  })
  .map(usageOf);
const count = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map((whole) => BigInt(whole) * dollar),
  fc.integer({ min: 1, max: 90_000 }).map((thousandths) => (BigInt(thousandths) * dollar) / 1_000n),
  fc.bigInt({ min: 1n, max: 9n * dollar }),
);
const units = fc.oneof(
  { weight: 4, arbitrary: fc.constant(noUnits) },
  {
    weight: 1,
    arbitrary: fc.record(
      { web_searches: count, audio_seconds: count, requests: count, images: count },
      { requiredKeys: [] },
    ),
  },
);
const terms = fc.oneof(
  { weight: 3, arbitrary: fc.constant(noTerms) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { service_tier: 'batch' },
      { service_tier: 'Flex', geo: 'us' },
      { cache_ttl: '1h' },
      { geo: 'eu' },
    ),
  },
);
const money = fc.bigInt({ min: 0n, max: 5n * dollar });
const others = fc.constantFrom(
  [{ model: 'm1', usage: usageOf({ input: 3, output: 5 }) }],
  [{ model: 'm2', usage: usageOf({ input: 7 }), isPart: true as const }],
);
const first = Date.parse('2026-03-01T00:00:00Z');

const rarely = <Value, Otherwise>(value: fc.Arbitrary<Value>, otherwise: Otherwise) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value });

/** With the day in UTC. */
const call: fc.Arbitrary<CostedCall> = fc
  .record({
    provider: fc.constantFrom(...providers),
    model: fc.constantFrom(...models),
    terms,
    time: fc.integer({ min: 0, max: 6 * 24 }).map((half) => first + half * 1_800_000),
    usage: fc.option(usage, { freq: 6 }),
    units,
    hasUnknownUsage: rarely(fc.constant(true), false),
    isUsageMissing: rarely(fc.constant(true), false),
    reportedCost: rarely(money, null),
    costElsewhere: rarely(money, undefined),
    isFromGatewayCache: rarely(fc.constant(true), false),
    requests: rarely(fc.integer({ min: 1, max: 4 }), undefined),
    mayBeSum: rarely(fc.constant(true), false),
    others: rarely(others, undefined),
  })
  .map((fields) => {
    // Without a cost elsewhere the field is absent, as in calls of events.
    const { costElsewhere, ...rest } = fields;
    const day = new Date(fields.time).toISOString().slice(0, 10);
    return { ...rest, day, ...(costElsewhere !== undefined && { costElsewhere }) };
  });

/** Calls of which many are alike: each is repeated with other counts. */
export const calls = fc
  .array(fc.tuple(call, fc.array(fc.record({ usage, requests: fc.integer({ min: 1, max: 3 }) }), { maxLength: 6 })), {
    minLength: 1,
    maxLength: 25,
    size: 'max',
  })
  .map((all) =>
    all.flatMap(([one, more]) => [
      one,
      ...more.map((other) => ({ ...one, usage: one.usage === null ? null : other.usage, requests: other.requests })),
    ]),
  );
