import { expect, test } from 'vitest';
import { creditableEvent, historyOf } from '../support/arbitraries/history.ts';
import { grantsWithin } from '../support/arbitraries/money.ts';
import { denseDays, firstDay } from '../support/arbitraries/names.ts';
import { type Json, type Project, sharedFarthing } from '../support/client.ts';
import { wholeUnits } from '../support/decimal.ts';
import { findFocusFaults, modelRules } from '../support/focus-rules.ts';
import { rowsOf } from '../support/formats.ts';
import { addDays } from '../support/model.ts';
import { checkCases } from '../support/random-cases.ts';
import { grantCredits, storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();

const range = { date_from: firstDay, date_to: addDays(firstDay, denseDays + 1) };
const focusOf = (project: Project): Promise<Json[]> =>
  rowsOf(project, { method: 'GET', path: '/api/exports/focus/', fields: range }, 50);

/** Sums of picodollars by a key. */
function sumBy(rows: readonly Json[], field: string, keyOf: (row: Json) => string): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of rows) {
    const key = keyOf(row);
    sums.set(key, (sums.get(key) ?? 0n) + wholeUnits(String(row[field]), 12));
  }
  return sums;
}

test('D24.2: rows of FOCUS keep its rules, and add up to the costs with and without credits', async () => {
  expect(modelRules).toBeGreaterThan(100);
  await checkCases([historyOf(creditableEvent(denseDays)), grantsWithin(denseDays)], 30, async (past, grants) => {
    const { project } = await storeHistory(farthing, past);
    await grantCredits(project, grants);
    const rows = await focusOf(project);
    expect(rows.flatMap((row) => findFocusFaults(row).map((fault) => ({ row, fault })))).toEqual([]);
    const usage = rows.filter(({ ChargeCategory: category }) => category === 'Usage');
    const credits = rows.filter(({ ChargeCategory: category }) => category === 'Credit');
    expect(usage.length + credits.length).toBe(rows.length);
    // One row for each day, provider, model and customer.
    const keys = usage.map((row) => JSON.stringify([row.ChargePeriodStart, row.SkuId, row.SubAccountId]));
    expect(new Set(keys).size).toBe(keys.length);

    const starts = [...new Set(rows.map(({ ChargePeriodStart: start }) => String(start)))];
    expect(rows.map(({ ChargePeriodStart: start }) => start)).toEqual(
      starts.toSorted().flatMap((start) => rows.filter((row) => row.ChargePeriodStart === start).map(() => start)),
    );
    const costs = await project.allCosts({ ...range, aggregate: 'all', group_by: 'customer' });
    expect(sumBy(usage, 'BilledCost', ({ SubAccountId: customer }) => String(customer ?? ''))).toEqual(
      sumBy(costs as unknown as Json[], 'cost', ({ customer }) => String(customer)),
    );
    const calls = (
      await rowsOf(project, { method: 'POST', path: '/api/usage/', fields: { ...range, aggregate: 'all' } }, 9)
    )[0];
    const add = (field: string) => usage.reduce((sum, row) => sum + Number(row[field]), 0);
    expect(add('x_Calls')).toBe(calls?.calls);
    const tokens = Object.values(Object(calls?.tokens)).reduce<number>((sum, count) => sum + Number(count), 0);
    expect(add('ConsumedQuantity')).toBe(tokens);

    // A credit is a double near an amount of 30 digits.
    const net = await project.allCosts({ ...range, aggregate: 'day', apply_credits: true });
    const gross = await project.allCosts({ ...range, aggregate: 'day' });
    expect(Math.abs(sumOf(rows) - sumOf(net, 'cost'))).toBeLessThan(1e-11);
    expect(Math.abs(sumOf(credits) - (sumOf(net, 'cost') - sumOf(gross, 'cost')))).toBeLessThan(1e-11);
    expect(credits.every(({ BilledCost: cost }) => Number(cost) < 0)).toBe(true);
  });
});

const sumOf = (rows: readonly object[], field = 'BilledCost'): number =>
  rows.reduce((sum, row) => sum + Number(Object(row)[field]), 0);
