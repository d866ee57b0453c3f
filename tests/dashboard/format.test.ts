import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCsv } from '../../dashboard/src/lib/csv.ts';
import {
  splitName,
  toChange,
  toColumnDollars,
  toCompactCount,
  toCount,
  toDayRange,
  toDollars,
  toExactDollars,
  toMarginPct,
  toName,
  toPercent,
  toPlainDecimal,
  toProseDollars,
  toShare,
  toShortDollars,
  toShortName,
  toShortRange,
  toSpentDollars,
} from '../../dashboard/src/lib/format.ts';
import { fromService } from '../../dashboard/src/lib/from-service.ts';

test.each([
  [0, '$0.00'],
  [1_234.5, '$1,234.50'],
  [-0.5, '−$0.50'],
  [0.0019, '$0.0019'],
  [0.0999999999, '$0.10'],
  [0.000001234567, '$0.000001235'],
  [12_732.936, '$12,732.94'],
])('%d is shown as %s', (amount, text) => {
  expect(toDollars(amount)).toBe(text);
});

test('D25: a card has few characters for an amount, and a column one precision in which no amount reads as zero', () => {
  expect([999_999.99, 1_234_567, -1e10].map(toShortDollars)).toEqual(['$999,999.99', '$1.23M', '−$10.00B']);
  const write = (...amounts: number[]) => amounts.map(toColumnDollars(amounts));
  expect(write(0, 12, 0.5)).toEqual(['$0.00', '$12.00', '$0.50']);
  expect(write(0.18, 0.0025, -0.04)).toEqual(['$0.1800', '$0.0025', '−$0.0400']);
  expect(write(0.000001, 0.02)).toEqual(['$0.000001', '$0.020000']);
  expect(write(10_000_000_000, -0.000001)).toEqual(['$10,000,000,000.00', '−<$0.01']);
  const large = [1.5e9, 999e6, 12.3, 0.0001];
  expect(large.map(toColumnDollars(large, false, true))).toEqual(['$1.50B', '$999.00M', '$12.30', '<$0.01']);
  expect([10_000_000_000, 2.5].map(toColumnDollars([2.5], false, true))).toEqual(['$10.00B', '$2.50']);
  expect([0.3, 0.0375, 15, null].map((price) => toColumnDollars([0.3, 0.0375, 15, null], true)(price ?? 0))).toEqual([
    ...['$0.3000', '$0.0375', '$15.0000', '$0.0000'],
  ]);
  const amount = fc.integer({ min: -1e12, max: 1e12 }).map((micros) => micros / 1e6);
  fc.assert(
    fc.property(fc.array(amount, { minLength: 1 }), (amounts) => {
      const texts = write(...amounts);
      expect(new Set(texts.map((text) => text.split('.')[1]?.length)).size).toBe(1);
      for (const [index, text] of texts.entries()) {
        expect(/[1-9]/.test(text)).toBe(amounts[index] !== 0);
      }
    }),
  );
});

test('D25: a name written from right to left stands alone, so that it turns no amount beside it around', () => {
  expect(['acme', '株式会社', 'חנות 7', 'متجر'].map(toName)).toEqual([
    ...['acme', '株式会社', '\u2068חנות 7\u2069', '\u2068متجر\u2069'],
  ]);
  // A mark within a name turns nothing outside it around.
  expect(toName('\u202etxt\u2069 evil')).toBe('\u2068\u202etxt evil\u2069');
  expect(toShortName('חנות'.repeat(20))).toMatch(/^\u2068[^\u2069]+…[^\u2069]+\u2069$/u);
});

test('D25: a margin of no revenue is a dash, a long name loses its middle, and days beside others have no year', () => {
  expect(toMarginPct({ revenue: 0, margin_pct: -100 })).toBe('–');
  expect(toMarginPct({ revenue: 10, margin_pct: -36.84 })).toBe('−36.8%');
  expect(toMarginPct({ revenue: 10, margin_pct: 99.96 })).toBe('>99.9%');
  expect([0, 0.0064].map(toProseDollars(0, 0.0064))).toEqual(['$0.00', '$0.0064']);
  expect(toShortName('acme')).toBe('acme');
  expect(toShortName('a model with a long name 2026-11-29', 16)).toBe('a model wi…11-29');
  // A phone has no room for 17 letters in the first column.
  expect(splitName('claude-sonnet-4-5')).toEqual(['claude-sonne', 't-4-5']);
  expect(splitName('claude-sonnet-4-5-of-the-demo')).toEqual(['claude-sonnet-4-5-of-', 'the-demo']);
  const long = `N${'x'.repeat(1_020)}end`;
  expect(fromService(`${long} paid -$2 on 2026-11-29`, long)).toBe(`${toShortName(long)} paid −$2 on 29 Nov 2026`);
  expect(fromService('From 2026-11-01 to 2026-11-30, from 2026-12-01 to 2027-01-02')).toBe(
    'From 1 Nov to 30 Nov 2026, from 1 Dec 2026 to 2 Jan 2027',
  );
  expect([...toShortName('👩‍👩‍👧'.repeat(50), 10)].filter((letter) => letter === '👧')).toHaveLength(9);
  expect(toShortRange({ from: '2026-10-05', to: '2026-10-31' }, '2026')).toBe('5 – 31 Oct');
  expect(toShortRange({ from: '2026-10-27', to: '2026-11-02' }, '2026')).toBe('27 Oct – 2 Nov');
  expect(toShortRange({ from: '2026-10-01', to: '2026-10-31' }, '2027')).toBe('October 2026');
  expect(toShortRange({ from: '2026-10-05', to: '2026-10-05' }, '2026')).toBe('5 Oct');
});

test('the explanation of a cost shows every digit', () => {
  expect(toExactDollars(0.001234567891)).toBe('$0.001234567891');
});

test('D25: what is spent of a small amount has every digit, and an amount to change is as it was typed', () => {
  expect([1_234.567, -0.000012345678, 0].map(toSpentDollars)).toEqual(['$1,234.57', '−$0.000012345678', '$0.00']);
  expect([12_000, 0.000000000001, 2.5].map(toPlainDecimal)).toEqual(['12000', '0.000000000001', '2.5']);
});

test('D25: a change from a number near zero, or from the other side of it, is an amount and no percentage', () => {
  expect([toChange(5, 0), toChange(0, 5), toChange(1_000, 12)]).toEqual(['+$5.00', '−100.0%', '+$988.00']);
  expect([toChange(120, -5), toChange(-0.04, 2), toChange(0.0012, 0.0001)]).toEqual(['+$125.00', '−$2.04', '+$0.0011']);
  expect(toChange(1_234, 3, toCount)).toBe('+1,231');
  // An amount has at most 12 decimals.
  const amount = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((dollars) => Number(dollars.toFixed(12)));
  fc.assert(
    fc.property(amount, amount, (now, before) => {
      const percent = /^[+−]([\d.]+)%$/.exec(toChange(now, before))?.[1];
      if (percent !== undefined) expect(Number(percent)).toBeLessThanOrEqual(900);
    }),
  );
});

test('D25: a range of days says a year once where both ends share it', () => {
  expect(toDayRange({ from: '2026-09-29', to: '2026-10-26' })).toBe('29 Sep – 26 Oct 2026');
  expect(toDayRange({ from: '2025-12-30', to: '2026-01-05' })).toBe('30 Dec 2025 – 5 Jan 2026');
  expect(toDayRange({ from: '2026-01-05', to: '2026-01-05' })).toBe('5 Jan 2026');
});

test('a share above 0 never reads as 0 %, and a change is a percentage with its sign', () => {
  const toShares = (digits?: number) => [0, 0.00001, 0.0042, 0.5, 0.9999, 1].map((share) => toShare(share, digits));
  expect(toShares()).toEqual(['0.00%', '<0.01%', '0.42%', '50.0%', '>99.9%', '100.0%']);
  // In a column, with one precision.
  expect(toShares(1)).toEqual(['0.0%', '<0.1%', '0.4%', '50.0%', '>99.9%', '100.0%']);
  expect([-27_766.5, -277_662.5, 61.4].map(toPercent)).toEqual(['−27,766.5%', '−277.7K%', '61.4%']);
  // In a column, from a thousand on.
  expect([897, 9_599, 38_000, 2_040_000_000].map(toCompactCount)).toEqual(['897', '9.6K', '38.0K', '2.0B']);
  expect(toChange(108.2, 100)).toBe('+8.2%');
  expect(toChange(90, 100)).toBe('−10.0%');
  expect(toChange(-50, -100)).toBe('+50.0%');
  expect(toChange(0, 0)).toBe('±0%');
});

test('the empty value of a dimension has a label', () => {
  expect(toName('')).toBe('not attributed');
});

test('CSV keeps numbers unchanged, quotes texts that need it, and starts no formula in a spreadsheet', () => {
  const rows = [
    ['a,"b"\n', 0.1 + 0.2],
    ['=HYPERLINK("x")', -1.5],
    ['', null],
  ];
  expect(toCsv(['Customer', 'Cost'], rows)).toBe(
    'Customer,Cost\r\n"a,""b""\n",0.30000000000000004\r\n"\'=HYPERLINK(""x"")",-1.5\r\n,\r\n',
  );
});

test('D25: days in names stay as they are in sentences of the service', () => {
  const say = (name: string) => `From 2026-11-01 to 2026-11-30, the calls of ${name} would have cost -$3.`;
  const rest = (name: string) => `From 1 Nov to 30 Nov 2026, the calls of ${name} would have cost −$3.`;
  for (const [name, subject] of [
    ['gpt-4o-2024-08-06', 'gpt-4o-2024-08-06 → gpt-4o-mini'],
    ['o3-2025-04-16', undefined],
    ['Pilot of 2026-01-02 (a+b)', 'Pilot of 2026-01-02 (a+b)'],
    ['1', '1'],
  ] as const)
    expect(fromService(say(name), ...(subject === undefined ? [] : [subject]))).toBe(rest(name));
});
