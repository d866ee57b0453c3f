import { expect, test } from 'vitest';
import { toAge } from '../../dashboard/src/alerts/age.ts';
import { toPartWords } from '../../dashboard/src/alerts/explanation.ts';
import { toNames, toNumberWords } from '../../dashboard/src/alerts/numbers.ts';

const say = (numbers: Record<string, unknown>) =>
  toNumberWords(numbers, 'UTC').map(({ label, text }) => `${label}: ${text}`);

test('D20.3: the numbers of a firing have their units, each is said once, and what is not there is left out', () => {
  const budget = { amount: 0.0125, spent: 3, spent_pct: 24_000, forecast: null, period: 'day' };
  expect(say({ ...budget, period_from: '2026-11-24', period_to: '2026-11-24' })).toEqual([
    'amount: $0.0125',
    'spent: $3.00 (24,000.0%)',
    'period: 24 Nov 2026',
  ]);
  expect(
    say({ date_from: '2026-09-01', date_to: '2026-09-24', margin: -2.5, margin_below_pct: 0, parts: [1] }),
  ).toEqual(['date: 1 Sep – 24 Sep 2026', 'margin: −$2.50', 'limit: 0.0%']);
  // There is no share of no revenue.
  expect(say({ revenue: 0, margin: -2.5, margin_pct: -100 })).toEqual(['revenue: $0.00', 'margin: −$2.50']);
  expect(say({ last_event_at: '2026-11-24T10:00:00.000Z', silent_minutes: 1_500, unpriced_calls: 1_200 })).toEqual([
    'last event: 24 Nov 2026, 10:00:00',
    'silent: 1,500 min',
    'unpriced calls: 1,200',
  ]);
  expect(say({ spent: 0.51174755, usual: 0.0125 })).toEqual(['spent: $0.51', 'usual: $0.0125']);
  // What the title says is none of them.
  expect(say({ kind: 'jump', cost: 3, reason: 'expires' })).toEqual(['cost: $3.00']);
  // What was expected stands beside the cost, in its precision.
  expect(say({ cost: 22.85, expected: 0.02145, spread: 0.003 })).toEqual([
    ...['cost: $22.85', 'expected: $0.02', 'usual deviation: $0.003'],
  ]);
});

test('how long something lasts is said in the largest whole unit', () => {
  const minute = 60_000;
  expect([0, minute, 90 * minute, 47 * 60 * minute, 49 * 60 * minute].map(toAge)).toEqual([
    'less than a minute',
    '1 minute',
    '1 hour',
    '1 day',
    '2 days',
  ]);
});

test('D20.4: what explains an unusual cost is named with its amounts, and what is not known of it is left out', () => {
  const explanation = {
    before_from: '2026-11-17',
    difference: 12.5,
    causes: [
      { cause: 'calls', amount: 10 },
      { cause: 'cached_share', amount: 2.5 },
      { cause: 'weather', amount: 1 },
    ],
    customers: [{ customer: '', difference: 12.5 }],
    models: [
      { model: 'calls', difference: 12 },
      { model: 'small', difference: 0.03459 },
    ],
    features: [{ feature: 'chat' }],
  };
  expect(toPartWords({ explanation }).map(({ label, text }) => `${label}: ${text}`)).toEqual([
    'more calls: +$10.00',
    'less cached input: +$2.50',
    'cause weather: +$1.00',
    'customer not attributed: +$12.50',
    'model calls: +$12.00',
    'model small: +$0.03',
  ]);
  const [ofNobody, ofModel] = toPartWords({ explanation, from: '2026-11-22', day: '2026-11-24' }).slice(3);
  const ofDays = { range: undefined, from: '2026-11-22', to: '2026-11-24' };
  expect([ofNobody?.calls, ofModel?.calls]).toEqual([
    { customers: [''], ...ofDays },
    { models: ['calls'], ...ofDays },
  ]);
  expect(toPartWords({ explanation: { causes: [{ cause: 'calls', amount: -3 }] } })[0]?.label).toBe('fewer calls');
  expect([toPartWords({}), toPartWords({ explanation: null })]).toEqual([[], []]);
});

test('D20.3: the names of a firing are shown as they are, and its day as all days are', () => {
  expect(toNames({ subject: { model: 'gpt-2026-01-02', kind: 'rise', from: '2026-12-01' } })).toEqual([
    'gpt-2026-01-02',
    'rise',
  ]);
});
