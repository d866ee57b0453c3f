import { expect, test } from 'vitest';
import { calcBalance, firstBurnDay } from '../../src/billing/credits/balance.ts';
import { formatMoney, parseMoney, parseWideMoney } from '../../src/lib/money.ts';
import type { CreditTerms, GrantUse } from '../../src/reports/facts/burn-down.ts';
import { addDays } from '../support/model.ts';

const today = '2024-05-31';

function balanceOf(
  fields: { amount: string; startsOn?: string; expiresOn?: string },
  usedByDay: Readonly<Record<string, string>>,
  freed?: GrantUse['byDay'],
) {
  const terms: CreditTerms = {
    id: 'a',
    provider: 'p',
    models: null,
    startsOn: '2024-01-01',
    expiresOn: null,
    priority: 0,
    ...fields,
    amount: parseMoney(fields.amount) ?? 0n,
  };
  const byDay = new Map(Object.entries(usedByDay).map(([day, used]) => [day, parseWideMoney(used)] as const));
  const use: GrantUse = { total: [...byDay.values()].reduce((sum, used) => sum + used, 0n), byDay };
  const { remaining, runsOutOn } = calcBalance(terms, use, today, freed);
  return { remaining: Number(formatMoney(remaining)), runsOutOn };
}

/** The same use on each of the last `count` days. */
const daily = (count: number, used: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [addDays(today, index - count + 1), used]));

test.each([
  ['a use on each day lasts as long as it goes into what remains', { amount: '40' }, daily(30, '1'), 10, '2024-06-10'],
  ['a day that is begun counts', { amount: '30.5' }, daily(30, '1'), 0.5, '2024-06-01'],
  ['a use on one of the 30 days is a thirtieth a day', { amount: '2' }, { '2024-05-10': '1' }, 1, '2024-06-30'],
  ['the first of the 30 days counts', { amount: '2' }, { '2024-05-02': '1' }, 1, '2024-06-30'],
  ['the day before the 30 does not', { amount: '2' }, { '2024-05-01': '1' }, 1, null],
  [
    'a grant that began later has fewer days',
    { amount: '12', startsOn: '2024-05-30' },
    daily(2, '1'),
    10,
    '2024-06-10',
  ],
  ['a grant of today has one', { amount: '12', startsOn: today }, daily(1, '4'), 8, '2024-06-02'],
  ['a grant that has not begun', { amount: '12', startsOn: '2024-06-01' }, {}, 12, null],
  ['a grant that is not used', { amount: '12' }, {}, 12, null],
  ['it runs out on its last day', { amount: '40', expiresOn: '2024-06-10' }, daily(30, '1'), 10, '2024-06-10'],
  ['it expires before', { amount: '40', expiresOn: '2024-06-09' }, daily(30, '1'), 10, null],
  ['it has expired', { amount: '40', expiresOn: '2024-05-30' }, { '2024-05-30': '1' }, 39, null],
  ['it outlasts the days that are known', { amount: '1000000' }, { '2024-05-30': '0.000000000001' }, 1_000_000, null],
  ['it was used up', { amount: '3' }, { '2024-02-01': '1', '2024-02-03': '2' }, 0, '2024-02-03'],
  [
    'it was used up but for dust, and dust after it',
    { amount: '3' },
    { '2024-02-03': '2.999999999999999999', '2024-02-04': '0.0000000000000000001' },
    0,
    '2024-02-03',
  ],
  ['it was used up today and has expired', { amount: '3', expiresOn: today }, { [today]: '3' }, 0, today],
  ['a picodollar is no dust', { amount: '3' }, { [today]: '2.999999999999' }, 1e-12, '2024-06-01'],
  ['dust below a whole amount is not shown', { amount: '3' }, { [today]: '0.999999999999999999' }, 2, '2024-07-30'],
])('D7.4: %s', (_name, fields, use, remaining, runsOutOn) => {
  expect(balanceOf(fields, use)).toEqual({ remaining, runsOutOn });
});

test('D7.4: what another grant paid until it ended is what this one has to pay from now on', () => {
  const before = Object.keys(daily(30, '2.5')).slice(0, -1);
  const freed = new Map(before.map((day) => [day, parseWideMoney('2.5')]));
  expect(balanceOf({ amount: '12.5' }, daily(1, '2.5'), freed)).toEqual({ remaining: 10, runsOutOn: '2024-06-04' });
});

test('D7.4: the use of today and of the 29 days before it predicts', () => {
  expect(firstBurnDay(today)).toBe('2024-05-02');
});
