// Random histories of a project: its events and its tags.
import fc from 'fast-check';
import type { Json } from '../client.ts';
import { addDays, type MetricValue, type ModelPrice } from '../model.ts';
import {
  customers,
  environments,
  features,
  firstDay,
  models,
  providers,
  runs,
  tagsOfSome,
  timezones,
  users,
  withoutUndefined,
} from './names.ts';

/** The other models have no price, so their calls are unpriced unless they report a cost. */
export const prices: ModelPrice[] = [
  { model: 'm1', input: '1.25', output: '10', cacheRead: '0.125' },
  { model: '模型 2', input: '0.000001', output: '2.000003', cacheRead: '0.4' },
];

/** An instant within days 0 to `most` of the history. */
function timestampWithin(most: number): fc.Arbitrary<string> {
  return fc
    .record({
      day: fc.integer({ min: 0, max: most }),
      // Often near midnight of some timezone, where a wrong day shows.
      hour: fc.integer({ min: 0, max: 23 }),
      minute: fc.constantFrom('00', '14', '15', '29', '30', '59'),
      second: fc.constantFrom('00', '59', '59.999'),
      offset: fc.constantFrom('Z', '+00:00', '+05:30', '-03:00', '+13:00'),
    })
    .map(
      ({ day, hour, minute, second, offset }) =>
        `${addDays(firstDay, day)}T${String(hour).padStart(2, '0')}:${minute}:${second}${offset}`,
    );
}

// At most 15 digits in all, so that sums of answers can be checked without loss.
const cost = fc.oneof(
  fc.constantFrom(0, 1e-12, 0.1, 0.2, 0.3, 1 / 8),
  fc.integer({ min: 0, max: 9_999_999 }).map((micros) => micros / 1_000_000),
);

const tokens = fc.integer({ min: 1, max: 400_000 });

/** Names a dimension by one source of D4.4, so that different sources meet when events merge. */
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
    dimensionFields(['user', 'user_id'], ['user', 'user_id'], users),
    dimensionFields(['run_id', 'run'], ['run_id', 'trace_id', 'session_id'], runs),
    fc.tuple(fc.constant('field'), fc.constant('model'), fc.constantFrom<unknown>(...models, null)),
    fc.tuple(fc.constant('field'), fc.constant('provider'), fc.constantFrom<unknown>(...providers, null)),
    fc.tuple(fc.constant('tag'), fc.constant('env'), fc.constantFrom<unknown>(...environments, null)),
    fc.tuple(fc.constant('tag'), fc.constant('team'), fc.constantFrom<unknown>('x', '7', 7, true)),
  ),
  { minLength: 2, maxLength: 8, size: 'max' },
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
  {
    weight: 2,
    arbitrary: fc.record(
      {
        prompt_tokens: tokens,
        web_searches: fc.integer({ min: 0, max: 9 }),
        audio_seconds: fc.constantFrom(0.1, 0.2, 1e-12, 12.000_001, 3600),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ input_tokens: tokens, output_tokens: tokens, cache_read_tokens: tokens }) },
);

const callPhase = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('llm.before') },
  { weight: 6, arbitrary: fc.constantFrom('llm.after', 'after') },
  { weight: 2, arbitrary: fc.constantFrom('llm.error') },
);

/** The number of event ids that the events of a history share. */
export const callIds = 20;

/** Stands for an event id that no other event has. */
export const newCall = -1;

export interface HistoryEvent {
  /** The number of an event id. Ids repeat, except `newCall`. */
  call: number;
  fields: Json;
  /** More members as JSON text, and the values in them by JSON Pointer. */
  members?: string[];
  values?: [string, MetricValue][];
}

/** Events of a few calls; each event knows a part of its call. */
export const callEvent = (withinDays: number): fc.Arbitrary<HistoryEvent> =>
  fc
    .record({ ...attributed(withinDays), event_type: callPhase, usage })
    .map(({ usage, ...parts }) => eventOf(parts, usage));

/** Events whose calls mostly have a provider, a model and a cost, so that credits can cover them. */
export const creditableEvent = (withinDays: number): fc.Arbitrary<HistoryEvent> =>
  fc
    .record({
      event: callEvent(withinDays),
      provider: fc.constantFrom('p1', 'p1', 'P1', 'P1', 'Ü', undefined),
      model: fc.constantFrom('m1', '模型 2', '😀 3', undefined),
      reported: cost,
    })
    .map(({ event, reported, ...known }) => ({
      ...event,
      fields: { ...withoutUndefined(known), cost: reported, ...event.fields },
    }));

interface EventParts {
  call: number;
  event_type: string;
  attributes: [string, string, unknown][];
  timestamp: string | undefined;
}

/** The fields that any event may have. */
export function attributed(withinDays: number) {
  return {
    call: fc.integer({ min: 0, max: callIds - 1 }),
    attributes,
    timestamp: fc.option(timestampWithin(withinDays), { freq: 12, nil: undefined }),
  };
}

export function eventOf({ call, event_type, attributes, timestamp }: EventParts, more: Json): HistoryEvent {
  const pick = (kind: string) => attributes.flatMap(([found, name, value]) => (found === kind ? [[name, value]] : []));
  const tags = Object.fromEntries(pick('tag'));
  return {
    call,
    fields: {
      event_type,
      ...Object.fromEntries(pick('field')),
      ...(Object.keys(tags).length > 0 && { tags }),
      ...more,
      ...(timestamp !== undefined && { timestamp }),
    },
  };
}

export interface History {
  timezone: string;
  /** Requests in the order of sending, each with its events in order. */
  batches: HistoryEvent[][];
  customerTags: [string, Record<string, string>][];
  userTags: [string, Record<string, string>][];
}

export function historyOf(event: fc.Arbitrary<HistoryEvent>): fc.Arbitrary<History> {
  return fc.record({
    timezone: fc.constantFrom(...timezones),
    batches: fc.array(fc.array(event, { minLength: 1, maxLength: 30, size: 'max' }), {
      minLength: 1,
      maxLength: 4,
      size: 'max',
    }),
    customerTags: tagsOfSome(customers),
    userTags: tagsOfSome(users),
  });
}
