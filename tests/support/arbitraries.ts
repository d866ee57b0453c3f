// Random histories of a project, and random questions about it.
import fc from 'fast-check';
import type { Dimension, Json } from './client.ts';
import { type Aggregate, addDays, type ModelPrice, type ModelQuery, type TagFilter } from './model.ts';

// Names that are awkward to quote, to order or to escape. "" is the absent value.
const customers = ['', 'acme', "o'brien", 'back\\slash', '日本', '😀', 'Ａ'];
const features = ['', 'chat', 'Ａ sea"rch', '😀'];
const models = ['', 'm1', '模型 2', '😀 3', "Ａ'4"];
const providers = ['', 'p1', 'P1', 'p\\2'];
const runs = ['', 'r1', 'r2', 'r3', '😀'];
const environments = ['prod', 'test', "te'st"];

const timezones = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/New_York',
  'America/Sao_Paulo',
  'Europe/Berlin',
  'Pacific/Auckland',
  'Pacific/Apia',
];

/** The other models have none, so their calls are unpriced unless they report a cost. */
export const prices: ModelPrice[] = [
  { model: 'm1', input: '1.25', output: '10', cacheRead: '0.125' },
  { model: '模型 2', input: '0.000001', output: '2.000003', cacheRead: '0.4' },
];

// Across a year's end, a week of two years, a leap day and the spring changes of the clock.
const firstDay = '2023-12-20';
const days = 105;

const day = fc.integer({ min: -5, max: days + 5 }).map((offset) => addDays(firstDay, offset));

const timestamp = fc
  .record({
    day: fc.integer({ min: 0, max: days }),
    // Near midnight of one zone or another, where a mistake in a day shows.
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.constantFrom('00', '14', '15', '29', '30', '59'),
    second: fc.constantFrom('00', '59', '59.999'),
    offset: fc.constantFrom('Z', '+00:00', '+05:30', '-03:00', '+13:00'),
  })
  .map(
    ({ day, hour, minute, second, offset }) =>
      `${addDays(firstDay, day)}T${String(hour).padStart(2, '0')}:${minute}:${second}${offset}`,
  );

// At most 15 digits in all, so that sums of answers can be checked without loss.
const cost = fc.oneof(
  fc.constantFrom(0, 1e-12, 0.1, 0.2, 0.3, 1 / 8),
  fc.integer({ min: 0, max: 9_999_999 }).map((micros) => micros / 1_000_000),
);

const tokens = fc.integer({ min: 1, max: 400_000 });

/** Where an event names a dimension: each source of D4.4 by itself, so that they meet when events merge. */
function dimensionFields(
  tagNames: string[],
  fieldNames: string[],
  values: string[],
): fc.Arbitrary<[string, string, unknown]> {
  return fc.oneof(
    fc.tuple(fc.constant('tag'), fc.constantFrom(...tagNames), fc.constantFrom(...values)),
    fc.tuple(fc.constant('field'), fc.constantFrom(...fieldNames), fc.constantFrom(...values)),
  );
}

const attributes = fc.array(
  fc.oneof(
    dimensionFields(['customer', 'customer_id'], ['customer', 'customer_id', 'customer_name'], customers),
    dimensionFields(['feature'], ['feature'], features),
    dimensionFields(['run_id', 'run'], ['run_id', 'trace_id', 'session_id'], runs),
    fc.tuple(fc.constant('field'), fc.constant('model'), fc.constantFrom<unknown>(...models, null)),
    fc.tuple(fc.constant('field'), fc.constant('provider'), fc.constantFrom<unknown>(...providers, null)),
    fc.tuple(fc.constant('tag'), fc.constant('env'), fc.constantFrom<unknown>(...environments, null)),
    fc.tuple(fc.constant('tag'), fc.constant('team'), fc.constantFrom<unknown>('x', '7', 7, true)),
  ),
  { minLength: 2, maxLength: 7, size: 'max' },
);

const usage = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: cost.map((cost) => ({ cost })) },
  { weight: 1, arbitrary: fc.constantFrom<Json>({ cost: -1 }, { cost: '5' }, { cost: 100_001 }, { cost: null }) },
  {
    weight: 3,
    arbitrary: fc.record(
      { prompt_tokens: tokens, completion_tokens: tokens, cached_tokens: tokens },
      { requiredKeys: ['prompt_tokens'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ input_tokens: tokens, output_tokens: tokens, cache_read_tokens: tokens }) },
);

const phase = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('.before') },
  { weight: 6, arbitrary: fc.constantFrom('.after', 'after') },
  { weight: 2, arbitrary: fc.constantFrom('.error') },
);

/** How many different calls a history has at most. */
export const callIds = 20;

/** Events of a few calls, each a part of what is known about its call. Ids are given by index, and repeat. */
const event: fc.Arbitrary<{ call: number; fields: Json }> = fc
  .record({
    call: fc.integer({ min: 0, max: callIds - 1 }),
    phase,
    attributes,
    usage,
    timestamp: fc.option(timestamp, { freq: 12, nil: undefined }),
  })
  .map(({ call, phase, attributes, usage, timestamp }) => {
    const pick = (kind: string) =>
      attributes.flatMap(([found, name, value]) => (found === kind ? [[name, value]] : []));
    const tags = Object.fromEntries(pick('tag'));
    return {
      call,
      fields: {
        event_type: phase.startsWith('.') ? `llm${phase}` : phase,
        ...Object.fromEntries(pick('field')),
        ...(Object.keys(tags).length > 0 && { tags }),
        ...usage,
        ...(timestamp !== undefined && { timestamp }),
      },
    };
  });

export interface History {
  timezone: string;
  /** Requests in their order, each with its events in theirs; `call` stands for an event id. */
  batches: { call: number; fields: Json }[][];
  customerTags: [string, Record<string, string>][];
}

const customerTags: fc.Arbitrary<History['customerTags']> = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(...customers.filter((name) => name !== '')),
    fc.record({ plan: fc.constantFrom('pro', 'free'), 're"gion': fc.constantFrom('eu', '日本') }, { requiredKeys: [] }),
  ),
  { selector: ([name]) => name, maxLength: 6, size: 'max' },
);

export const history: fc.Arbitrary<History> = fc.record({
  timezone: fc.constantFrom(...timezones),
  batches: fc.array(fc.array(event, { minLength: 1, maxLength: 30, size: 'max' }), {
    minLength: 1,
    maxLength: 4,
    size: 'max',
  }),
  customerTags,
});

const some = (values: string[]) => fc.uniqueArray(fc.constantFrom(...values, 'nobody'), { minLength: 1, maxLength: 3 });
const oneOrSome = (values: string[]) => fc.oneof(fc.constantFrom(...values), some(values));
const tagFilter = (keys: Record<string, string[]>): fc.Arbitrary<TagFilter> =>
  fc
    .subarray(Object.entries(keys), { minLength: 1 })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map(([key, values]): [string, fc.Arbitrary<string | string[]>] => [key, oneOrSome(values)]),
        ),
      ),
    );

const customerTagFilter = tagFilter({ plan: ['pro', 'free'], 're"gion': ['eu', '日本'] });
const runTagFilter = tagFilter({ env: environments, team: ['x', '7', 'true'], customer: customers, feature: features });

/** Present one time in four. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

export const aggregates: Aggregate[] = ['day', 'week', 'month', 'quarter', 'year', 'all'];
export const dimensions: Dimension[] = ['customer', 'feature', 'model', 'provider'];

export const filters = fc
  .record({
    customers: rarely(some(customers)),
    features: rarely(some(features)),
    models: rarely(some(models)),
    providers: rarely(some(providers)),
    customer_tags: rarely(customerTagFilter),
    run_tags: rarely(runTagFilter),
  })
  .map(withoutUndefined);

export const range = fc.oneof(
  fc.constant({ date_from: firstDay, date_to: addDays(firstDay, days) }),
  fc.tuple(day, fc.integer({ min: 0, max: days })).map(([first, length]) => ({
    date_from: first,
    date_to: addDays(first, length),
  })),
);

export const query: fc.Arbitrary<ModelQuery> = fc
  .record({
    range,
    // More often coarse, so that a row has several calls and a period several groups.
    aggregate: fc.constantFrom<Aggregate | undefined>(undefined, ...aggregates, 'year', 'all'),
    group_by: fc.constantFrom(undefined, ...dimensions),
    filters,
  })
  .map(({ range, aggregate, group_by, filters }) => ({
    ...range,
    ...(aggregate !== undefined && { aggregate }),
    ...(group_by !== undefined && { group_by }),
    ...filters,
  }));

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(record: T): Defined<T> {
  const present: Defined<T> = { ...record } as Defined<T>;
  for (const key of Object.keys(record) as (keyof T)[]) if (record[key] === undefined) delete present[key];
  return present;
}
