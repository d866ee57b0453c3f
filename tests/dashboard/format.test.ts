import { expect, test } from 'vitest';
import { toCsv } from '../../dashboard/src/lib/csv.ts';
import {
  toChange,
  toDollars,
  toExactDollars,
  toName,
  toPlainDecimal,
  toShare,
  toSpentDollars,
} from '../../dashboard/src/lib/format.ts';

test.each([
  [0, '$0.00'],
  [1_234.5, '$1,234.50'],
  [-0.5, '-$0.50'],
  [0.0019, '$0.0019'],
  [0.000001234567, '$0.000001235'],
  [12_732.936, '$12,732.94'],
])('%d is shown as %s', (amount, text) => {
  expect(toDollars(amount)).toBe(text);
});

test('the explanation of a cost shows every digit', () => {
  expect(toExactDollars(0.001234567891)).toBe('$0.001234567891');
});

test('D25: what is spent of a small amount has every digit, and an amount to change is as it was typed', () => {
  expect([1_234.567, -0.000012345678, 0].map(toSpentDollars)).toEqual(['$1,234.57', '-$0.000012345678', '$0.00']);
  expect([12_000, 0.000000000001, 2.5].map(toPlainDecimal)).toEqual(['12000', '0.000000000001', '2.5']);
});

test('a share above 0 never reads as 0 %, and a change from 0 reads as new', () => {
  expect([0, 0.00001, 0.0042, 0.5, 1].map(toShare)).toEqual(['0.00%', '<0.01%', '0.42%', '50.0%', '100.0%']);
  expect(toChange(108.2, 100)).toBe('+8.2%');
  expect(toChange(90, 100)).toBe('−10.0%');
  expect(toChange(-50, -100)).toBe('+50.0%');
  expect(toChange(5, 0)).toBe('new');
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
