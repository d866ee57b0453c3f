import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listGrants } from '../api/D7-credits/support.ts';
import { creditableEvent, type History, historyOf } from '../support/arbitraries/history.ts';
import { grantsWithin, type NewGrant } from '../support/arbitraries/money.ts';
import { denseDays } from '../support/arbitraries/names.ts';
import { costFilters, creditedQuery, groups, rangeWithin } from '../support/arbitraries/questions.ts';
import { type CostRow, type Json, sharedFarthing, wholeRange } from '../support/client.ts';
import { quotient, wholeUnits } from '../support/decimal.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { burnDown, type ModelGrant, modelCalls, modelCosts, near, shown, unit } from '../support/model.ts';
import { rowsOfPages } from '../support/pages.ts';
import { checkCases } from '../support/random-cases.ts';
import { grantCredits, type Stored, storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const history = historyOf(creditableEvent(denseDays));
const grants = grantsWithin(denseDays);

async function store(past: History, given: readonly NewGrant[]): Promise<Stored & { granted: ModelGrant[] }> {
  const { project, model } = await storeHistory(farthing, past, { tag_dimensions: ['env'] });
  const granted = await grantCredits(project, given);
  return { project, granted, model: { ...model, grants: granted } };
}

test('D7: costs after credits equal the model, in pages of any size', async () => {
  const count = usualOrLong(4, 12);
  const queries = fc.array(creditedQuery(denseDays, groups), { minLength: count, maxLength: count });
  const pageCount = fc.integer({ min: 2, max: 5 });
  await checkCases([history, grants, queries, pageCount], 60, async (past, given, asked, pages) => {
    const { project, model } = await store(past, given);
    const answers = await Promise.all(asked.map((query) => project.allCosts({ ...query })));
    for (const [index, query] of asked.entries()) expect(answers[index]).toEqual(modelCosts(model, query));

    const [query, whole = []] = [asked[0], answers[0]];
    const limit = Math.max(1, Math.ceil(whole.length / pages));
    expect(await rowsOfPages(project.costs, { ...query, limit }, whole.length)).toEqual(whole);
  });
});

test('D7.2, D7.4: the used amount of each grant equals the model', async () => {
  await checkCases([history, grants], 40, async (past, given) => {
    const { project, granted, model } = await store(past, given);
    const { usedOf } = burnDown(granted, modelCalls(model));
    const listed = await listGrants(project);
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect(listed.map(({ id, used, remaining }) => ({ id, used, remaining })).sort(byId)).toEqual(
      granted
        .map(({ id, amount }) => {
          const used = usedOf(id);
          // The rest that truncation leaves of a grant (D7.3) may be shown or not.
          const remaining = near(quotient(wholeUnits(amount, 30) - used.exact, unit), 1e-12);
          return { id, used: shown(used), remaining };
        })
        .sort(byId),
    );
    for (const { used, remaining, amount } of listed) {
      expect(used).toBeGreaterThanOrEqual(0);
      expect(remaining).toBeGreaterThanOrEqual(0);
      expect(used).toBeLessThanOrEqual(amount);
    }
  });
});

longTest('D7.3: discounts add up to the used amounts of the grants, for any grouping and period', async () => {
  await checkCases([history, grants], 25, async (past, given) => {
    const { project } = await store(past, given);
    const used = (await listGrants(project)).reduce((total, grant) => total + grant.used, 0);
    const cuts: Json[] = [
      { aggregate: 'all' },
      { aggregate: 'day' },
      ...groups.map((group_by) => ({ aggregate: 'all', group_by })),
      { aggregate: 'month', group_by: 'feature' },
    ];
    for (const cut of someOf(cuts, 4)) {
      const ask = (fields: Json) => project.allCosts({ ...wholeRange, ...cut, ...fields });
      const [gross, net] = await Promise.all([ask({}), ask({ apply_credits: true })]);
      expect(Math.abs(costOf(gross) - costOf(net) - used)).toBeLessThanOrEqual(1e-9);
    }
  });
});

longTest('D7.3: credits lower `cost` alone, never below 0, and add up under every filter', async () => {
  await checkCases([history, grants, rangeWithin(denseDays), costFilters], 25, async (past, given, dates, filters) => {
    const { project } = await store(past, given);
    const ask = (fields: Json) => project.allCosts({ ...dates, ...filters, ...fields });
    const total = costOf(await ask({ aggregate: 'all', apply_credits: true }));
    for (const group_by of someOf(groups, 3)) {
      const [gross, net] = await Promise.all([ask({ group_by }), ask({ group_by, apply_credits: true })]);
      expect(net.map((row) => ({ ...row, cost: 0 }))).toEqual(gross.map((row) => ({ ...row, cost: 0 })));
      for (const [index, { cost }] of net.entries()) {
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(cost).toBeLessThanOrEqual(gross[index]?.cost ?? 0);
      }
      expect(Math.abs(costOf(net) - total)).toBeLessThanOrEqual(1e-9);
    }
  });
});

// In the usual form tests/property/changes.test.ts compares with the model after each change of grants.
const afterDeletions = usualOrLong([], [creditedQuery(denseDays).map((asked) => ({ ...asked, apply_credits: true }))]);

test.each(afterDeletions)('D7: after a grant is deleted, answers are as if it never existed', async (query) => {
  await checkCases([history, grants, fc.nat(), query], 25, async (past, given, which, asked) => {
    const { project, granted, model } = await store(past, given);
    expect(await project.allCosts({ ...asked })).toEqual(modelCosts(model, asked));
    const gone = granted[which % granted.length]?.id;
    const answer = await project.api('DELETE', `/api/credit-grants/${gone}/`);
    expect([200, 204], answer.text).toContain(answer.status);
    const left = granted.filter(({ id }) => id !== gone);
    expect(await project.allCosts({ ...asked })).toEqual(modelCosts({ ...model, grants: left }, asked));
  });
});

function costOf(rows: readonly CostRow[]): number {
  return rows.reduce((total, row) => total + row.cost, 0);
}
