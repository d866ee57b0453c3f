// A random history that is closed in its middle: as of the close the answers never change again.
import fc from 'fast-check';
import { expect } from 'vitest';
import { erase } from '../api/D2-erasure/support.ts';
import { type Change, changesOfInternalProject, changesOfRevenueProject } from './arbitraries/changes.ts';
import { customers, denseDays, firstDay } from './arbitraries/names.ts';
import { creditedQuery, groups, marginQuery, performanceQuery } from './arbitraries/questions.ts';
import { makeChange } from './changes.ts';
import { expectStatus, type Farthing, type Project } from './client.ts';
import { type Asked, askAsOf, closeDays } from './closes.ts';
import { isLong, usualOrLong } from './effort.ts';
import { allMargin } from './margin.ts';
import {
  addDays,
  type CostsQuery,
  expectRows,
  type MarginQuery,
  modelCosts,
  modelMargin,
  modelPerformance,
  type PerformanceQuery,
} from './model.ts';
import { rebuildProject } from './reprice.ts';
import { freezeBefore } from './retention.ts';
import { makeCallIds, storeHistory } from './stored-history.ts';

/** After all days of the histories and the questions, and before today. */
const lastDay = '2024-01-31';

/** How a history ends. */
interface HistoryEnd {
  /** Retention deletes older days. */
  readonly keptFrom: string;
  /** The customer that is erased after that, in the long form. */
  readonly erased: string | undefined;
}

export type ClosedHistory = {
  readonly before: readonly Change[];
  readonly after: readonly Change[];
  readonly costs: readonly CostsQuery[];
  readonly end: HistoryEnd;
} & (
  | { readonly type: 'revenue'; readonly asked: MarginQuery }
  | { readonly type: 'internal'; readonly asked: PerformanceQuery }
);

const count = usualOrLong(1, 4);
const costs = fc.array(creditedQuery(denseDays, groups), { minLength: count, maxLength: count });
const most = usualOrLong(4, 9);
const [ofRevenue, ofInternal] = [changesOfRevenueProject(denseDays, most), changesOfInternalProject(denseDays, most)];

const end: fc.Arbitrary<HistoryEnd> = fc.record({
  keptFrom: fc.nat({ max: denseDays + 1 }).map((count) => addDays(firstDay, count)),
  erased: isLong ? fc.constantFrom(...customers.filter((name) => name !== '')) : fc.constant(undefined),
});

export const closedHistory: fc.Arbitrary<ClosedHistory> = fc.oneof(
  fc.record({
    ...{ type: fc.constant('revenue' as const), before: ofRevenue, after: ofRevenue, costs, end },
    asked: marginQuery(denseDays),
  }),
  fc.record({
    ...{ type: fc.constant('internal' as const), before: ofInternal, after: ofInternal, costs, end },
    asked: performanceQuery(denseDays),
  }),
);

const ofPlans = ({ group_by: _, ...asked }: MarginQuery) => ({ ...asked });

/** Every question of a history, and one that only calls can answer. */
const questionsOf = (history: ClosedHistory): Asked[] => [
  ...history.costs.map((body) => ({ path: '/api/costs/', body: { ...body } })),
  ...history.costs.map((body) => ({ path: '/api/usage/', body: { ...body } })),
  ...history.costs.map((body) => ({ path: '/api/costs/', body: { ...body, include_shared: true } })),
  { path: history.type === 'revenue' ? '/api/margin/' : '/api/performance/', body: { ...history.asked } },
  ...(history.type === 'revenue' ? [{ path: '/api/plans/', body: ofPlans(history.asked) }] : []),
  { path: '/api/costs/', body: { date_from: firstDay, aggregate: 'all', run_tags: { env: ['prod', 'test'] } } },
];

/** Stores what is shared on the days of the histories and after them. */
async function share(project: Project, amounts: readonly number[]): Promise<void> {
  const scopes = [{}, { tags: { env: 'prod' } }];
  const entries = amounts.map((amount, at) => ({
    ...{ external_id: `shared ${at}`, name: 'GPU', amount, date_from: firstDay, date_to: lastDay },
    ...{ allocate_by: 'tokens', scope: scopes[at] },
  }));
  expectStatus(await project.api('POST', '/api/shared-costs/', { entries }), 201);
}

/**
 * Closes a project in the middle of its history. `disturb` is called after each later change; then answers as of the
 * close are compared with those right after it, byte by byte, and then the current ones with the model, which knows no
 * closes. At the end of a history days are deleted, and a customer is erased; their totals stay.
 */
export async function checkClosed(
  farthing: Farthing,
  history: ClosedHistory,
  disturb: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { type, before, after, end } = history;
  const nothing = { timezone: 'UTC', batches: [], customerTags: [], userTags: [] };
  const { project, model: empty } = await storeHistory(farthing, nothing, { type, tag_dimensions: ['env'] });
  const ids = makeCallIds();
  let model = empty;
  for (const change of before) model = await makeChange({ project, model }, change, ids);
  await share(project, [100, 7]);
  const questions = questionsOf(history);
  const close = await closeDays(project, lastDay);
  const answers = await askAsOf(project, close, questions);
  await share(project, [90, 0.000000000009]);
  // A second close pins the same days in other generations.
  let second = close;
  let ofSecond = answers;
  for (const [at, change] of after.entries()) {
    model = await makeChange({ project, model }, change, ids);
    await disturb();
    const isAsked = (_: unknown, place: number) => place % after.length === at;
    expect(await askAsOf(project, close, questions.filter(isAsked))).toEqual(answers.filter(isAsked));
    if (at !== 1) continue;
    second = await closeDays(project, '2024-02-01');
    ofSecond = await askAsOf(project, second, questions);
  }
  await rebuildProject(project);
  await disturb();
  expect(await askAsOf(project, close, questions)).toEqual(answers);
  if (isLong) expect(await askAsOf(project, second, questions)).toEqual(ofSecond);
  for (const query of history.costs) expect(await project.allCosts({ ...query })).toEqual(modelCosts(model, query));
  if (history.type === 'revenue') {
    expectRows(await allMargin(project, { ...history.asked }), modelMargin(model, history.asked));
  } else expectRows(await project.allPerformance({ ...history.asked }), modelPerformance(model, history.asked));
  await freezeBefore(project, end.keptFrom);
  await disturb();
  expect(await askAsOf(project, close, questions)).toEqual(answers);
  expect(await askAsOf(project, second, questions)).toEqual(ofSecond);
  if (end.erased === undefined) return;
  const byDay = { date_from: firstDay, date_to: lastDay, as_of: close.id };
  const readDays = async () => (await project.allCosts(byDay)).map(({ cost }) => cost);
  const costsOfDays = await readDays();
  await erase(project, `/api/customers/${encodeURIComponent(end.erased)}/`);
  await disturb();
  expect(await readDays()).toEqual(costsOfDays);
}
