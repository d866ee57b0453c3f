import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMoney, widen } from '../../src/lib/money.ts';
import { calcMargin } from '../../src/reports/margin/calc-margin.ts';

const wide = (text: string): bigint => widen(parseMoney(text) ?? 0n);

test.each([
  ['100', '80', 20, 'healthy'],
  ['100', '80.000000000001', 20, 'at_risk'],
  ['100', '79.999999999999', 20, 'healthy'],
  ['100', '100', 20, 'at_risk'],
  ['100', '100', 0, 'healthy'],
  ['100', '100', -5, 'healthy'],
  ['100', '100.000000000001', -5, 'unprofitable'],
  ['0', '0', 20, 'healthy'],
  ['-1', '0', 20, 'unprofitable'],
  ['3', '2.1', 30, 'healthy'],
  ['3', '2.1', 30.000000000000004, 'at_risk'],
  ['0.000000000001', '0', 100.5, 'at_risk'],
] as const)('D8.3: revenue %s, cost %s, at risk below %s %%: %s', (revenue, cost, atRiskBelowPct, riskStatus) => {
  expect(calcMargin(wide(revenue), wide(cost), atRiskBelowPct).riskStatus).toBe(riskStatus);
});

test('D8.3: the exact percentage decides, where its double is the threshold', () => {
  const revenue = 10n ** 42n;
  const cost = (revenue * 8n) / 10n;
  expect(calcMargin(revenue, cost, 20)).toMatchObject({ marginPct: 20, riskStatus: 'healthy' });
  expect(calcMargin(revenue, cost + 1n, 20)).toMatchObject({ marginPct: 20, riskStatus: 'at_risk' });
});

test('D8.2, D8.3: whatever revenue and cost are, the percentage and the risk fit the margin', () => {
  const amount = fc.bigInt({ min: -(10n ** 43n), max: 10n ** 43n });
  const threshold = fc.option(fc.double({ min: -100, max: 100, noNaN: true }));
  fc.assert(
    fc.property(amount, amount, threshold, (revenue, signed, atRiskBelowPct) => {
      const cost = signed < 0n ? -signed : signed;
      const { margin, marginPct, riskStatus } = calcMargin(revenue, cost, atRiskBelowPct);
      expect(margin).toBe(revenue - cost);
      expect(riskStatus === 'unprofitable').toBe(margin < 0n);
      if (revenue <= 0n) expect(marginPct).toBe(margin === 0n ? 0 : -100);
      else {
        const expected = 100 - (Number(cost) / Number(revenue)) * 100;
        expect(Math.abs(marginPct - expected)).toBeLessThan(1e-9 * Math.max(1, Math.abs(expected)));
      }
      if (riskStatus === 'at_risk') expect(marginPct).toBeLessThanOrEqual(atRiskBelowPct ?? Number.NaN);
      if (atRiskBelowPct === null) expect(riskStatus).not.toBe('at_risk');
    }),
  );
});
