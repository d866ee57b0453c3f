import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findPeak,
  type NamedCost,
  remarkOnCosts,
  remarkOnMargins,
  remarkOnPeak,
  remarkOnSteps,
  remarkOnUnitCost,
} from '../../dashboard/src/charts/remarks.ts';

const costs = (...rows: [name: string, now: number, before?: number][]): NamedCost[] =>
  rows.map(([name, now, before]) => ({ name, now, before }));

test('D25: a chart of costs says whose the change is', () => {
  expect(remarkOnCosts(costs(['acme', 20, 10], ['bolt', 12, 10]))).toBe(
    'Most of the rise comes from acme: +$10.00 of +$12.00.',
  );
  expect(remarkOnCosts(costs(['acme', 2, 10], ['bolt', 9, 10]))).toBe(
    'Most of the fall comes from acme: −$8.00 of −$9.00.',
  );
  expect(remarkOnCosts(costs(['acme', 30, 10], ['bolt', 5, 10]))).toBe(
    'acme rose by $20.00; the others together fell by $5.00.',
  );
});

test('D25: a period that is far above the usual one is a peak', () => {
  const periods = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'];
  const peak = findPeak({ periods, values: [4, 5, 12.4, 4, 3] });
  expect(peak).toMatchObject({ index: 2, from: '2026-11-03' });
  expect(peak && remarkOnPeak(peak, 'week')).toBe('cost $12.40, 3.1 times the usual week');
  expect(peak && remarkOnPeak({ ...peak, times: 100 }, 'day')).toBe('cost $12.40, far more than the usual day');
  for (const values of [
    [4, 5, 7, 4, 3],
    [0, 0, 7, 0, 0],
    [1, 9],
  ])
    expect(findPeak({ periods, values })).toBeUndefined();
});

test('D25: a chart of costs says who costs most, and says nothing where nothing costs', () => {
  expect(remarkOnCosts(costs(['acme', 62], ['bolt', 38]))).toBe('acme is 62.0% of the cost.');
  expect(remarkOnCosts(costs(['acme', 40], ['bolt', 30], ['core', 30]))).toBe('acme costs most: 40.0% of all.');
  expect(remarkOnCosts(costs(['acme', 40, 10]))).toBe('acme is all of the cost.');
  const nameless = { name: 'calls without a feature', isNameless: true, now: 40, before: undefined };
  expect(remarkOnCosts([nameless])).toBe('Calls without a feature are all of the cost.');
  expect(remarkOnCosts([nameless, ...costs(['a', 30], ['b', 30])])).toBe(
    'Calls without a feature cost most: 40.0% of all.',
  );
  expect(remarkOnCosts(costs(['acme', 40_000], ['bolt', 1]))).toBe('acme is nearly all of the cost.');
  expect(remarkOnCosts(costs(['acme', 40, 0], ['bolt', 0, 0]))).toBe('acme is all of the cost.');
  expect(remarkOnCosts(costs(['acme', 0, 0], ['bolt', 0, 0]))).toBeUndefined();
  expect(remarkOnCosts([])).toBeUndefined();
});

test('D25: a part that is called most of a change is at least half of it and at most all of it', () => {
  const amount = fc.integer({ min: 0, max: 1_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(amount, amount), { maxLength: 6 }), (pairs) => {
      const rows = pairs.map(([now, before], index): NamedCost => ({ name: `n${index}`, now, before }));
      const change = rows.reduce((total, { now, before = 0 }) => total + now - before, 0);
      const named = /^Most of the (rise|fall) comes from n(\d)/.exec(remarkOnCosts(rows) ?? '');
      if (!named) return;
      const row = rows[Number(named[2])];
      const share = ((row?.now ?? 0) - (row?.before ?? 0)) / change;
      expect(share >= 0.5 && share <= 1).toBe(true);
      expect(change > 0).toBe(named[1] === 'rise');
    }),
  );
});

test('D25: a chart of margins says how often money is lost, or how the margin moved', () => {
  const earn = (...costOfEach: number[]) => costOfEach.map((cost) => ({ revenue: 10, cost }));
  expect(remarkOnMargins(earn(4, 12, 4, 4), 'day')).toBe('On 1 of 4 days, AI cost more than customers paid.');
  expect(remarkOnMargins(earn(14, 12), 'week')).toBe('In every week, AI cost more than customers paid.');
  expect(remarkOnMargins(earn(4, 4, 4, 6, 6, 6), 'day')).toBe(
    'The margin fell from 60.0% in the first half to 40.0% in the second.',
  );
  expect(remarkOnMargins(earn(4, 4, 4, 4, 4, 4), 'day')).toBe(
    'Together, customers paid more than they cost on every day: the margin is 60.0%.',
  );
  expect(remarkOnMargins(earn(4), 'month')).toBe(
    'Together, customers paid more than they cost in every month: the margin is 60.0%.',
  );
  // Before there is revenue, no day loses money; nor does the day that is not over. The margin is that of the cards.
  expect(remarkOnMargins([{ revenue: 0, cost: 2 }], 'day')).toBeUndefined();
  expect(remarkOnMargins(earn(4, 4, 12), 'day', 2)).toBe(
    'Together, customers paid more than they cost on every day: the margin is 33.3%.',
  );
  expect(remarkOnMargins([], 'day')).toBeUndefined();
});

test('D25: a chart of the cost of a unit says how it changed from the days before', () => {
  const over = { periods: ['2026-11-01', '2026-11-02', '2026-11-03'], granularity: 'day' } as const;
  const compared = (now: number, before: number) => ({ now, before, days: '3 – 29 Nov', daysBefore: 'October' });
  expect(remarkOnUnitCost([0.5, null, 0.9], compared(0.6, 0.5), over)).toBe(
    'One cost $0.60 (3 – 29 Nov), 20.0% more than the $0.50 before (October).',
  );
  // As the card has it.
  expect(remarkOnUnitCost([0.01363], compared(0.01363, 0.012), over)).toBe(
    'One cost $0.01363 (3 – 29 Nov), 13.6% more than the $0.012 before (October).',
  );
  expect(remarkOnUnitCost([0.5, null, 0.5], compared(0.5, 0.5), over)).toBe('One costs $0.50 on a usual day.');
  expect(remarkOnUnitCost([0.5, null, 9], undefined, { ...over, unit: 'ticket', running: 2 })).toBe(
    'Each ticket costs $0.50 on a usual day.',
  );
  expect(remarkOnUnitCost([null], undefined, over)).toBeUndefined();
  const periods = [...over.periods, '2026-11-04', '2026-11-05', '2026-11-06'];
  expect(remarkOnUnitCost([0.1, null, 0.1, 0.1, 0.4, 0.1], undefined, { ...over, periods })).toBe(
    'One cost most on 5 Nov 2026: $0.40, 4.0 times the usual day.',
  );
});

test('D25: a waterfall says which part is most of the whole, or that its parts cancel out', () => {
  const steps = (...changes: number[]) => changes.map((change, index) => ({ label: `Part ${index}`, change }));
  expect(remarkOnSteps(steps(12, 3), 'change')).toBe('Part 0: +$12.00, most of the rise of +$15.00.');
  expect(remarkOnSteps(steps(1, -9), 'difference')).toBe('Part 1: −$9.00; with all other changes, −$8.00.');
  expect(remarkOnSteps(steps(0.1, -0.0412), 'change')).toBe('Part 0: +$0.10; with all other changes, +$0.06.');
  expect(remarkOnSteps(steps(50, -45), 'change')).toBe('Rises of $50.00 and falls of $45.00 nearly cancel out.');
  expect(remarkOnSteps(steps(4, 5, 4), 'change')).toBe('Part 1: +$5.00, the largest part of the rise of +$13.00.');
  expect(remarkOnSteps(steps(-4), 'change')).toBe('Part 0: −$4.00, all of the fall.');
  expect(remarkOnSteps(steps(0), 'change')).toBeUndefined();
});
