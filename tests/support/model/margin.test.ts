import { expect, test } from 'vitest';
import { picos } from '../decimal.ts';
import { marginOf, modelMargin } from './margin.ts';
import { earningsOf } from './revenue.ts';
import { expectRows, unitsInPico } from './rows.ts';

test('D8.1: the days of an entry differ by a picodollar at most, and add up', () => {
  const amounts = (amount: string | number, date_from: string, date_to?: string) =>
    earningsOf([{ external_id: '1', customer: 'a', amount, date_from, ...(date_to !== undefined && { date_to }) }]);
  expect(amounts('10', '2024-02-28', '2024-03-01').map(({ day, picos }) => [day, picos])).toEqual([
    ['2024-02-28', 3_333_333_333_333n],
    ['2024-02-29', 3_333_333_333_333n],
    ['2024-03-01', 3_333_333_333_334n],
  ]);
  // −2 trillionths over three days: truncated, the sums at the ends of the days are 0, −1 and −2.
  expect(amounts('-0.000000000002', '2023-02-27', '2023-03-01').map(({ picos }) => picos)).toEqual([0n, -1n, -1n]);
  expect(amounts(12.5, '2024-01-01')).toEqual([{ customer: 'a', day: '2024-01-01', picos: 12_500_000_000_000n }]);
});

test('D8.1: the later entry of an id replaces the earlier', () => {
  const entry = { external_id: '1', customer: 'a', date_from: '2024-01-01' };
  const earnings = earningsOf([
    { ...entry, amount: 1 },
    { ...entry, external_id: '2', amount: 2 },
    { ...entry, amount: 3, customer: 'b' },
  ]);
  expect(earnings.map(({ customer, picos }) => [customer, picos])).toEqual([
    ['b', 3_000_000_000_000n],
    ['a', 2_000_000_000_000n],
  ]);
});

test('D8.2, D8.3: percentage and risk, at their edges', () => {
  const of = (revenue: number, cost: number, below: number | null = null) => {
    const { margin, margin_pct, risk_status } = marginOf(
      picos(revenue),
      { exact: picos(cost) * unitsInPico, slack: 0n },
      below,
    );
    return { margin, margin_pct, risk_status };
  };
  expect({ margin: 7.5, margin_pct: 75, risk_status: 'healthy' }).toEqual(of(10, 2.5));
  expect({ margin: 7.5, margin_pct: 75, risk_status: 'healthy' }).toEqual(of(10, 2.5, 75));
  expect({ margin: 7.5, margin_pct: 75, risk_status: 'at_risk' }).toEqual(of(10, 2.5, 75.1));
  expect({ margin: -5, margin_pct: -50, risk_status: 'unprofitable' }).toEqual(of(10, 15, 20));
  expect({ margin: 0, margin_pct: 0, risk_status: 'healthy' }).toEqual(of(0, 0, 20));
  expect({ margin: -1, margin_pct: -100, risk_status: 'unprofitable' }).toEqual(of(0, 1));
  expect({ margin: -3, margin_pct: -100, risk_status: 'unprofitable' }).toEqual(of(-2, 1));
});

test('D6.2, D8.4, D8.5: rows of customers, and customers selected by their features', () => {
  const after = (event_id: string, day: string, customer: string, feature: string, cost: number) => ({
    receivedAt: 0,
    event: { event_id, event_type: 'after', timestamp: `${day}T12:00:00Z`, cost, tags: { customer, feature } },
  });
  const store = {
    timezone: 'UTC',
    prices: [],
    customerTags: new Map(),
    events: [after('1', '2024-01-01', 'a', 'chat', 1), after('2', '2024-01-03', 'a', 'search', 2)],
    revenue: [
      { external_id: '1', customer: 'b', amount: 10, date_from: '2024-01-01', date_to: '2024-01-02' },
      { external_id: '2', customer: 'a', amount: 4, date_from: '2024-01-03' },
    ],
  };
  const dates = { date_from: '2024-01-01', date_to: '2024-01-03' };
  const [one, two, three] = ['2024-01-01', '2024-01-02', '2024-01-03'].map((day) => ({ date_from: day, date_to: day }));
  const row = (revenue: number, cost: number, margin_pct: number) => ({
    revenue,
    cost,
    margin: revenue - cost,
    margin_pct,
    risk_status: revenue < cost ? 'unprofitable' : 'healthy',
  });
  expectRows(
    [
      { ...one, customer: 'a', ...row(0, 1, -100) },
      { ...one, customer: 'b', ...row(5, 0, 100) },
      { ...two, customer: 'b', ...row(5, 0, 100) },
      { ...three, customer: 'a', ...row(4, 2, 50) },
    ],
    modelMargin(store, { ...dates, group_by: 'customer' }),
  );
  const kept = { ...dates, filter_customers_based_on_features: ['chat'] };
  expectRows(
    [
      { ...one, ...row(0, 1, -100) },
      { ...two, ...row(0, 0, 0) },
      { ...three, ...row(0, 0, 0) },
    ],
    modelMargin(store, kept),
  );
  expectRows(
    [{ ...dates, customer: 'a', ...row(4, 3, 25) }],
    modelMargin(store, { ...kept, aggregate: 'all', group_by: 'customer' }),
  );
});
