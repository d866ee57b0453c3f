import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placedValues } from '../arbitraries/metric-values.ts';
import type { Json } from '../client.ts';
import type { KeyMetric, MetricValue } from './key-metrics.ts';
import { modelPerformance } from './performance.ts';
import { expectRows } from './rows.ts';

const day = { date_from: '2024-01-01', date_to: '2024-01-01' };

function received(event_id: string, event_type: string, fields: Json, value?: MetricValue) {
  return {
    receivedAt: 0,
    event: { event_id, event_type, timestamp: '2024-01-01T12:00:00Z', ...fields },
    ...(value !== undefined && { values: new Map([['/v', value]]) }),
  };
}

const number = (text: string, identity: string): MetricValue => ({ text, identity, number: text });

const events = [
  received('1', 'done', { user: 'a' }, number('1', 'one')),
  // A repeated event does not count, even if it differs.
  received('1', 'done', { user: 'b' }, number('9', 'nine')),
  received('2', 'done', { tags: { user_id: 'a' }, user: 'b' }, number('1.0', 'one')),
  received('3', 'done', { user: 'b' }, { text: '"1"', identity: 'the text' }),
  received('4', 'done', { user: 'b' }, { text: 'null', identity: undefined }),
  received('5', 'done', { user: 'c' }),
  received('1', 'llm.after', { tags: { user: 'a', feature: 'chat' }, cost: 3 }),
  received('2', 'llm.after', { tags: { user: 'a', feature: 'search' }, cost: 1 }),
];

const metrics: KeyMetric[] = [
  { name: 'count', event_type: 'done', aggregation: 'count' },
  { name: 'sum', event_type: 'done', aggregation: 'sum', field: '/v', features: ['chat'] },
  { name: 'unique', event_type: 'done', aggregation: 'unique', field: '/v' },
];

const store = { timezone: 'UTC', prices: [], customerTags: new Map(), events, keyMetrics: metrics };

test('D9: entries by user, with repeated events, texts, nulls and missing values', () => {
  const entry = (value: number, total_cost: number) => ({ value, total_cost, cost_per_unit: total_cost / value });
  expectRows(
    [
      { ...day, user: 'a', cost: 4, key_metrics: { count: entry(2, 4), sum: entry(2, 3), unique: entry(1, 4) } },
      { ...day, user: 'b', cost: 0, key_metrics: { count: entry(2, 0), unique: entry(1, 0) } },
      { ...day, user: 'c', cost: 0, key_metrics: { count: entry(1, 0) } },
    ],
    modelPerformance(store, { ...day, group_by: 'user' }),
  );
  expectRows(
    [{ ...day, cost: 4, key_metrics: { count: entry(5, 4), sum: entry(2, 3), unique: entry(2, 4) } }],
    modelPerformance(store, day),
  );
  expectRows(
    [{ ...day, cost: 4, key_metrics: { count: entry(2, 4), sum: entry(2, 3), unique: entry(1, 4) } }],
    modelPerformance(store, { ...day, filter_users_based_on_features: ['search'] }),
  );
});

test('values: every spelling is JSON and found at its pointer, and equal values have equal identities', () => {
  const parsedByIdentity = new Map<string, unknown>();
  fc.assert(
    fc.property(placedValues, ({ members, values }) => {
      const event: unknown = JSON.parse(`{${members.join(',')}}`);
      for (const [pointer, { text, identity, number }] of values) {
        const parsed: unknown = JSON.parse(text);
        expect(at(event, pointer)).toEqual(parsed);
        expect(typeof parsed === 'number').toBe(number !== undefined);
        expect(parsed === null).toBe(identity === undefined);
        if (identity === undefined) continue;
        // Adding 0 turns -0 into 0.
        const plain = typeof parsed === 'number' ? parsed + 0 : parsed;
        if (parsedByIdentity.has(identity)) expect(plain).toEqual(parsedByIdentity.get(identity));
        parsedByIdentity.set(identity, plain);
      }
    }),
    { numRuns: 500 },
  );
});

function at(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((inside, key) => {
      if (typeof inside !== 'object' || inside === null) return undefined;
      return Object.entries(inside).find(([name]) => name === key)?.[1];
    }, value);
}
