import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callEvent, creditableEvent, type History, historyOf } from '../support/arbitraries/history.ts';
import { anyAmount, grantsWithin, type NewGrant, revenueWithin, smallAmount } from '../support/arbitraries/money.ts';
import { aggregates, marginFilters, marginQuery, rangeWithin } from '../support/arbitraries/questions.ts';
import { type Json, sharedFarthing } from '../support/client.ts';
import { dollars, picos } from '../support/decimal.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { addRevenue, allMargin, type MarginRow, marginOf } from '../support/margin.ts';
import {
  addDays,
  daysBetween,
  earningsOf,
  expectRows,
  modelMargin,
  periodsOf,
  type RevenueEntry,
} from '../support/model.ts';
import { rowsOfPages } from '../support/pages.ts';
import { checkCases } from '../support/random-cases.ts';
import { grantCredits, type Stored, storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const monthOfDays = 31;
const history = historyOf(fc.oneof(callEvent(monthOfDays), creditableEvent(monthOfDays)));
const atRiskBelowPct = fc.constantFrom(null, 0, 20, 33.3, 50, 99.99);

interface Books {
  past: History;
  revenue: RevenueEntry[][];
  grants: NewGrant[];
  atRisk: number | null;
}

const books = (amount: fc.Arbitrary<number | string>): fc.Arbitrary<Books> =>
  fc.record({
    past: history,
    revenue: revenueWithin(monthOfDays, amount),
    grants: fc.oneof(fc.constant<NewGrant[]>([]), grantsWithin(monthOfDays)),
    atRisk: atRiskBelowPct,
  });

async function store({ past, revenue, grants: given, atRisk }: Books): Promise<Stored> {
  const { project, model } = await storeHistory(farthing, past, { type: 'revenue', at_risk_below_pct: atRisk });
  for (const entries of revenue) await addRevenue(project, ...entries);
  const grants = await grantCredits(project, given);
  return { project, model: { ...model, grants, revenue: revenue.flat(), atRiskBelowPct: atRisk } };
}

test('D8: margins equal the model, in pages of any size', async () => {
  const count = usualOrLong(4, 12);
  const queries = fc.array(marginQuery(monthOfDays), { minLength: count, maxLength: count });
  const pageCount = fc.integer({ min: 2, max: 5 });
  await checkCases([books(anyAmount), queries, pageCount], 60, async (given, asked, pages) => {
    const { project, model } = await store(given);
    const answers = await Promise.all(asked.map((query) => allMargin(project, { ...query })));
    for (const [index, query] of asked.entries()) expectRows(answers[index] ?? [], modelMargin(model, query));

    const [query, whole = []] = [asked[0], answers[0]];
    const limit = Math.max(1, Math.ceil(whole.length / pages));
    expect(await rowsOfPages((page) => marginOf(project, page), { ...query, limit }, whole.length)).toEqual(whole);
  });
});

test('D8.1: the revenue of an entry is spread evenly over its days, to the last digit', async () => {
  const entries = revenueWithin(monthOfDays, anyAmount);
  await checkCases([entries], 25, async (posted) => {
    const project = await farthing.createProject();
    for (const request of posted) await addRevenue(project, ...request);
    const earned = new Map<string, bigint>();
    for (const { day, picos } of earningsOf(posted.flat())) earned.set(day, (earned.get(day) ?? 0n) + picos);
    const days = [...earned.keys()].sort();
    const first = days[0] ?? '2024-01-01';
    const last = [days.at(-1) ?? first, addDays(first, 3659)].sort()[0] ?? first;
    const revenueIn = (from: string, to: string) =>
      dollars(daysBetween(from, to).reduce((sum, day) => sum + (earned.get(day) ?? 0n), 0n));
    for (const aggregate of aggregates) {
      const rows = await allMargin(project, { date_from: first, date_to: last, aggregate });
      expect(rows.map(({ revenue }) => revenue)).toEqual(
        periodsOf(first, last, aggregate).map(({ date_from, date_to }) => revenueIn(date_from, date_to)),
      );
    }
  });
});

// In the usual form tests/property/changes.test.ts compares with the model after each change of revenue.
const afterDeletions = usualOrLong([], [marginQuery(monthOfDays)]);

test.each(afterDeletions)('D8.1: after an entry is deleted, answers are as if it never existed', async (query) => {
  await checkCases([books(anyAmount), fc.nat(), query], 25, async (given, which, asked) => {
    const { project, model } = await store(given);
    const entries = given.revenue.flat();
    const gone = entries[which % entries.length]?.external_id ?? '';
    const answer = await project.api('DELETE', `/api/revenue/${encodeURIComponent(gone)}/`);
    expect([200, 204], answer.text).toContain(answer.status);
    const revenue = entries.filter(({ external_id }) => external_id !== gone);
    expectRows(await allMargin(project, { ...asked }), modelMargin({ ...model, revenue }, asked));
  });
});

longTest('D6.1, D8: customers add up to the total, and days to every coarser period', async () => {
  // No feature filter: it is applied per row, so periods would not add up.
  const kept = marginFilters.map(({ customers }) => (customers === undefined ? {} : { customers }));
  await checkCases([books(smallAmount), rangeWithin(monthOfDays), kept], 25, async (given, dates, filters) => {
    const { project } = await store(given);
    const ask = (fields: Json) => allMargin(project, { ...dates, ...filters, ...fields });
    const daily = await ask({ aggregate: 'day' });
    for (const aggregate of someOf(aggregates.slice(1), 3)) {
      const rows = await ask({ aggregate });
      const periods = periodsOf(dates.date_from, dates.date_to, aggregate);
      expect(rows.map(totalOf)).toEqual(
        periods.map((period) =>
          totalsOf(daily.filter((row) => row.date_from >= period.date_from && row.date_to <= period.date_to)),
        ),
      );
    }
    for (const aggregate of someOf(['all', 'week'], 1)) {
      const [rows, groups] = await Promise.all([ask({ aggregate }), ask({ aggregate, group_by: 'customer' })]);
      expect(rows.map(totalOf)).toEqual(
        rows.map((row) => totalsOf(groups.filter(({ date_from }) => date_from === row.date_from))),
      );
    }
  });
});

longTest('D8.2, D8.3: margin, percentage and risk follow from revenue and cost', async () => {
  await checkCases([books(smallAmount), rangeWithin(monthOfDays)], 25, async (given, dates) => {
    const { project } = await store(given);
    const costs = await project.allCosts({ ...dates, aggregate: 'all', group_by: 'customer' });
    const rows = await allMargin(project, { ...dates, aggregate: 'all', group_by: 'customer' });
    const costByCustomer = new Map(costs.map(({ customer, cost }) => [customer, cost]));
    for (const { customer, revenue, cost, margin, margin_pct, risk_status } of rows) {
      expect(cost).toBe(costByCustomer.get(customer) ?? 0);
      expect(picos(margin)).toBe(picos(revenue) - picos(cost));
      const pct = revenue > 0 ? (100 * margin) / revenue : margin === 0 ? 0 : -100;
      expect(Math.abs(margin_pct - pct)).toBeLessThanOrEqual(1e-12 * Math.abs(pct));
      const atRisk = revenue > 0 && given.atRisk !== null && margin_pct < given.atRisk;
      expect(risk_status).toBe(margin < 0 ? 'unprofitable' : atRisk ? 'at_risk' : 'healthy');
    }
    for (const { customer } of costs) expect(rows.map((row) => row.customer)).toContain(customer);
  });
});

type Total = Record<'revenue' | 'cost' | 'margin', bigint>;

function totalOf({ revenue, cost, margin }: MarginRow): Total {
  return { revenue: picos(revenue), cost: picos(cost), margin: picos(margin) };
}

function totalsOf(rows: readonly MarginRow[]): Total {
  return rows.map(totalOf).reduce(
    (sum, row) => ({
      revenue: sum.revenue + row.revenue,
      cost: sum.cost + row.cost,
      margin: sum.margin + row.margin,
    }),
    { revenue: 0n, cost: 0n, margin: 0n },
  );
}
