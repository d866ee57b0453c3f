import { expect, test } from 'vitest';
import { dollars, dollarsEach, picos } from './decimal.ts';
import { byCodePoint, dayOf, modelCosts, periodsOf } from './model.ts';

// The model judges the service, so these tests compare the model with results worked out by hand.

test('money: picodollars are exact and become the nearest double', () => {
  expect([picos('0.0019'), picos(1e-12), picos(12), picos('-3.5')]).toEqual([
    1_900_000_000n,
    1n,
    12_000_000_000_000n,
    -3_500_000_000_000n,
  ]);
  expect(dollars(picos(0.1) + picos(0.2))).toBe(0.3);
  expect(dollarsEach(picos(1), 3)).toBe(1 / 3);
});

test('periods: ISO weeks run across years and are clipped at both ends', () => {
  expect(periodsOf('2024-12-27', '2025-01-06', 'week')).toEqual([
    { date_from: '2024-12-27', date_to: '2024-12-29' },
    { date_from: '2024-12-30', date_to: '2025-01-05' },
    { date_from: '2025-01-06', date_to: '2025-01-06' },
  ]);
  expect(periodsOf('2024-03-30', '2024-07-02', 'quarter')).toEqual([
    { date_from: '2024-03-30', date_to: '2024-03-31' },
    { date_from: '2024-04-01', date_to: '2024-06-30' },
    { date_from: '2024-07-01', date_to: '2024-07-02' },
  ]);
});

test('days: half-hour zones and changes of the clock', () => {
  expect(dayOf(Date.parse('2024-01-01T18:29:59Z'), 'Asia/Kolkata')).toBe('2024-01-01');
  expect(dayOf(Date.parse('2024-01-01T18:30:00Z'), 'Asia/Kolkata')).toBe('2024-01-02');
  expect(dayOf(Date.parse('2024-03-11T03:59:59Z'), 'America/New_York')).toBe('2024-03-10');
  expect(dayOf(Date.parse('2024-03-11T04:00:00Z'), 'America/New_York')).toBe('2024-03-11');
});

test('order: by code point, where UTF-16 would put an emoji before U+FF21', () => {
  expect(['Ａ', '😀', '', 'a', 'B', 'é'].sort(byCodePoint)).toEqual(['', 'B', 'a', 'é', 'Ａ', '😀']);
});

test('calls: fields merge, usage comes from one event, and feature runs are distinguished', () => {
  const receivedAt = Date.parse('2024-05-01T00:00:00Z');
  const timestamp = '2024-05-01T10:00:00Z';
  const rows = modelCosts(
    {
      timezone: 'UTC',
      customerTags: new Map(),
      prices: [{ model: 'm1', input: '1', output: '2', cacheRead: '0.5' }],
      events: [
        { receivedAt, event: { event_id: 'A', event_type: 'x.after', timestamp, prompt_tokens: 10, cached_tokens: 4 } },
        { receivedAt, event: { event_id: 'a', event_type: 'x.before', model: 'm1', tags: { feature: 'f', run: 'r' } } },
        {
          receivedAt,
          event: { event_id: 'b', event_type: 'x.error', timestamp, cost: 0.5, tags: { feature: 'f', run: 'r' } },
        },
        { receivedAt, event: { event_id: 'c', event_type: 'x.after', timestamp, cost: 0.25, tags: { feature: 'f' } } },
        { receivedAt, event: { event_id: 'd', event_type: 'x.before', timestamp, cost: 9 } },
      ],
    },
    { date_from: '2024-05-01', date_to: '2024-05-01' },
  );
  expect(rows).toEqual([
    {
      date_from: '2024-05-01',
      date_to: '2024-05-01',
      cost: 0.750008,
      avg_feature_run_cost: 0.375004,
      max_feature_run_cost: 0.500008,
    },
  ]);
});
