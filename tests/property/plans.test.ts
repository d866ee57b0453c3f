import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callEvent, creditableEvent, historyOf } from '../support/arbitraries/history.ts';
import { grantsWithin, type NewGrant, revenueWithin, smallAmount } from '../support/arbitraries/money.ts';
import { plansQuery } from '../support/arbitraries/questions.ts';
import { sharedFarthing } from '../support/client.ts';
import { picos } from '../support/decimal.ts';
import { usualOrLong } from '../support/effort.ts';
import { addRevenue, allMargin } from '../support/margin.ts';
import { modelPlans } from '../support/model.ts';
import { rowsOfPages } from '../support/pages.ts';
import { plansOf } from '../support/plans.ts';
import { checkCases } from '../support/random-cases.ts';
import { grantCredits, storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const monthOfDays = 31;

const books = fc.record({
  past: historyOf(fc.oneof(callEvent(monthOfDays), creditableEvent(monthOfDays))),
  revenue: revenueWithin(monthOfDays, smallAmount),
  grants: fc.oneof(fc.constant<NewGrant[]>([]), grantsWithin(monthOfDays)),
  atRisk: fc.constantFrom(null, 0, 33.3, 99.99),
});

test('D29.1: plans equal the model, in pages of any size, and add up to the margin', async () => {
  const count = usualOrLong(4, 12);
  const queries = fc.array(plansQuery(monthOfDays), { minLength: count, maxLength: count });
  await checkCases([books, queries, fc.integer({ min: 2, max: 5 })], 60, async (given, asked, pages) => {
    const { project, model } = await storeHistory(farthing, given.past, {
      type: 'revenue',
      at_risk_below_pct: given.atRisk,
    });
    for (const entries of given.revenue) await addRevenue(project, ...entries);
    const grants = await grantCredits(project, given.grants);
    const stored = { ...model, grants, revenue: given.revenue.flat(), atRiskBelowPct: given.atRisk };
    for (const query of asked) {
      const { rows } = await plansOf(project, { ...query, limit: 1_000 });
      expect(rows).toEqual(modelPlans(stored, query).map(({ row }) => row));

      const { plan_tag, target_margin_pct, ...ofMargin } = query;
      for (const margin of await allMargin(project, { ...ofMargin })) {
        const ofPeriod = rows.filter(({ date_from }) => date_from === margin.date_from);
        const total = (name: 'revenue' | 'cost' | 'margin') => ofPeriod.reduce((sum, row) => sum + row[name], 0);
        if (query.apply_credits) expect(total('cost')).toBeCloseTo(margin.cost, 9);
        else {
          const exact = (name: 'revenue' | 'cost' | 'margin') =>
            ofPeriod.reduce((sum, row) => sum + picos(row[name]), 0n);
          expect([exact('revenue'), exact('cost')]).toEqual([picos(margin.revenue), picos(margin.cost)]);
          expect(exact('margin')).toBe(picos(margin.margin));
        }
      }
    }
    const [query] = asked;
    const { rows: whole } = await plansOf(project, { ...query, limit: 1_000 });
    const limit = Math.max(1, Math.ceil(whole.length / pages));
    expect(await rowsOfPages((page) => plansOf(project, page), { ...query, limit }, whole.length)).toEqual(whole);
  });
});
