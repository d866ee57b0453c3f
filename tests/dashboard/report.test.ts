import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toShortName } from '../../dashboard/src/lib/format.ts';
import { listMonths, monthToReport } from '../../dashboard/src/reconciliation/month.ts';
import { addUp, rankRows, remarkOnLosses } from '../../dashboard/src/report/shares.ts';

test('D25: a ranking lists the largest rows, and all others together, of which there are at least two', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100)), fc.integer({ min: 1, max: 8 }), (rows, most) => {
      const { listed, others } = rankRows(rows, { amount: (row) => row, most });
      expect([...listed, ...others].toSorted()).toEqual(rows.toSorted());
      expect(others.length === 0 || others.length >= 2).toBe(true);
      expect(listed.length).toBeLessThanOrEqual(most + 1);
      expect(Math.min(...listed, 100)).toBeGreaterThanOrEqual(Math.max(...others, 0));
      expect(addUp(listed, (row) => row) + addUp(others, (row) => row)).toBe(addUp(rows, (row) => row));
    }),
  );
});

test('D25: a ranking lists the largest rows, and the largest losses beside them, still by their amounts', () => {
  const losses: Readonly<Record<number, number>> = { 8: 5, 4: 1, 3: 9, 2: 4, 1: 2 };
  const ranked = rankRows([9, 1, 8, 7, 2, 6, 3, 4], {
    amount: (row) => row,
    most: 5,
    loss: (row) => losses[row] ?? -1,
  });
  expect(ranked).toEqual({ listed: [9, 8, 3, 2, 1], others: [7, 6, 4] });
});

test('D25: a ranking of customers names those who cost more than they pay, the largest loss first', () => {
  const earn = (...margins: number[]) => margins.map((margin, index) => ({ customer: `c${index}`, margin }));
  expect(remarkOnLosses([])).toBeUndefined();
  expect(remarkOnLosses([{ customer: '', margin: -4 }])).toBeUndefined();
  expect(remarkOnLosses(earn(2, 0))).toBe('Every customer pays at least what it costs.');
  expect(remarkOnLosses(earn(2, 0, -1), ({ customer }) => customer === 'c2')).toBe(
    'Every customer with a known cost pays at least what it costs.',
  );
  expect(remarkOnLosses(earn(2, -1.5))).toBe('c1 (−$1.50) costs more than it pays.');
  expect(remarkOnLosses(earn(-1, 2, -3))).toBe('c2 (−$3.00) and c0 (−$1.00) cost more than they pay.');
  const long = `N${'x'.repeat(1_020)}end`;
  expect(remarkOnLosses([{ customer: long, margin: -1 }])).toBe(
    `${toShortName(long)} (−$1.00) costs more than it pays.`,
  );
  expect(remarkOnLosses(earn(...Array<number>(2_003).fill(-1)))).toContain(' and 2,000 more cost');
  expect(remarkOnLosses(earn(-1, -2, -3, -4, -5))).toBe(
    'c4 (−$5.00), c3 (−$4.00), c2 (−$3.00) and 2 more cost more than they pay.',
  );
});

test('D25: the month to report is the last one, or this one where no call is older', () => {
  const months = [undefined, '2026-10-31', '2026-11-01', '2026-11-30'].map((first) =>
    monthToReport('2026-11-30', first),
  );
  expect(months).toEqual(['2026-10', '2026-10', '2026-11', '2026-11']);
});

test('D25: the months to choose from begin with the first call, and have this one and the last', () => {
  const list = (first: string | undefined, chosen = '2026-11') => Object.keys(listMonths('2026-11-30', first, chosen));
  expect(list('2026-09-30')).toEqual(['2026-11', '2026-10', '2026-09']);
  expect(list('2026-11-30')).toEqual(['2026-11', '2026-10']);
  expect(list(undefined, '2025-01')).toEqual(['2026-11', '2026-10', '2025-01']);
  expect(list('2000-01-01')).toHaveLength(24);
});
