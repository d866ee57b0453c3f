import { expect, test } from 'vitest';
import { countInvoicedDays, toInvoicedDays } from '../../dashboard/src/reconciliation/month.ts';
import { rankChanges } from '../../dashboard/src/users/rank-changes.ts';

test('D18, D25: the days of a month that invoices cover are counted once, and only where usage is charged', () => {
  const entry = (from: string, to: string, kind = 'usage') => ({ date_from: from, date_to: to, kind });
  const days = { from: '2026-11-01', to: '2026-11-29' };
  expect(countInvoicedDays([], days)).toBe(0);
  expect(countInvoicedDays([entry('2026-10-20', '2026-11-03'), entry('2026-11-03', '2026-11-05')], days)).toBe(5);
  expect(countInvoicedDays([entry('2026-11-20', '2026-12-20')], days)).toBe(10);
  expect(countInvoicedDays([entry('2026-11-20', '2026-12-20', 'credit')], days)).toBe(0);
  // Nothing is compared with days that no invoice is of yet.
  const invoiced = toInvoicedDays([entry('2026-10-20', '2026-11-03'), entry('2026-11-03', '2026-11-27')], days);
  expect(invoiced).toEqual({ from: '2026-11-01', to: '2026-11-27' });
  expect(toInvoicedDays([entry('2026-12-01', '2026-12-31')], days)).toEqual(days);
});

test('D25: users are ranked by how much their cost changed, and all others are one row', () => {
  const rows = (costs: Record<string, number>) =>
    Object.entries(costs).map(([user, cost]) => {
      return { user, cost, key_metrics: {}, date_from: '2026-11-01', date_to: '2026-11-02' };
    });
  const ranked = rankChanges(rows({ ann: 5, ben: 4, dev: 1, new: 9 }), rows({ ann: 1, ben: 3, dev: 2, gone: 6 }), 3);
  expect(ranked.rows.map(({ user, difference }) => [user, difference])).toEqual([
    ['new', 9],
    ['gone', -6],
    ['ann', 4],
  ]);
  expect(ranked.others).toMatchObject({ count: 2, cost_before: 5, cost: 5, difference: 0 });
});
