import { type Period, toDayNumber } from '../../lib/days.ts';
import { inTurns, stepsInTurns } from '../../lib/in-turns.ts';
import { type Money, parseWideMoney, type WideMoney, widen } from '../../lib/money.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { readCostTable, readsDay, splitCostScope } from '../asking/cells.ts';
import { dimensionsOfBasis, readCostBasis } from '../asking/cost-basis.ts';
import { isTagGroup, readNamesOfGroup } from '../asking/group.ts';
import {
  compareRecords,
  joinRecords,
  type PagePlan,
  type PeriodRecord,
  type PlacedRecord,
  readInSteps,
} from '../asking/page.ts';
import { periodOfCall } from '../asking/period-sql.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { readUsed, whereUsed } from '../asking/used-features.ts';
import { all, oneOf } from '../asking/where.ts';
import { calcEarned, sumEarned } from '../facts/allocation.ts';
import type { CustomerAllocation } from '../facts/allocations.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { Facts } from '../facts/facts.ts';
import { joinShares, planShares } from '../shared-costs/join-shares.ts';
import { readShares, type SharesRecord } from '../shared-costs/read-shares.ts';
import type { MarginQuestion } from './parse.ts';
import { type RevenueRecord, type RevenueRowsQuery, readRevenueRows, toSpan } from './revenue-rows.ts';
import {
  type CostRow,
  type CostSelection,
  type KeptCost,
  selectCosts,
  selectGroupedCosts,
  selectKeptCosts,
} from './sql.ts';

/** Revenue and cost of a row, exact. */
export interface MarginRecord extends PeriodRecord {
  readonly revenue: Money;
  /** With `shared` in it. */
  readonly cost: WideMoney;
  /** What it has of the shared costs, where the question includes them. */
  readonly shared?: Money;
}

/** Reads the records of a page in order, and at least one more if there are more. */
export async function readMarginRecords(
  asOf: AsOf,
  question: MarginQuestion,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<MarginRecord[]> {
  const records = await readWithoutShares(asOf, question, plan, sources);
  if (!question.includeShared) return records;
  const shares = await readMarginShares(asOf, question, planShares(plan, records), sources);
  return joinShares(plan, records, shares).map(({ period, value = '', record, shares: ofRow }) => {
    const { revenue = 0n, cost = 0n } = record ?? {};
    const { shared = 0n } = ofRow ?? {};
    return { period, value, revenue, cost: cost + widen(shared), shared };
  });
}

/** What the kept customers of a page have of the shared costs. */
async function readMarginShares(
  asOf: AsOf,
  { customers, usedFeatures, groupBy, isGrouped }: MarginQuestion,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<SharesRecord[]> {
  const { project, generations, facts } = asOf;
  const period = joinPeriods(plan.periods);
  if (!period) return [];
  const used = usedFeatures && readUsed({ projectId: project.id, period, generations }, 'customer', usedFeatures);
  const call = periodOfCall(plan.periods);
  return await readShares(sources, asOf, {
    plan,
    value: groupBy && (await readNamesOfGroup(facts, groupBy)).value,
    where: all([
      ...(customers ? [oneOf('customer', customers)] : []),
      ...(used ? [whereUsed(used, 'customer', call, call.sql)] : []),
    ]),
    dimensions: new Set(isGrouped || customers || used ? ['customer'] : []),
    cells: used ? [used] : [],
  });
}

async function readWithoutShares(
  { project, generations, facts }: AsOf,
  question: MarginQuestion,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<MarginRecord[]> {
  const days = joinPeriods(plan.periods);
  if (!days) return [];
  const { customers, usedFeatures, applyCredits, groupBy, isGrouped } = question;
  const [basis, names] = await Promise.all([
    readCostBasis(sources, { generations, facts, period: days, applyCredits }),
    groupBy && readNamesOfGroup(facts, groupBy),
  ]);
  const value = names?.value;
  const wanted = {
    dimensions: [
      ...(isGrouped || customers || usedFeatures ? (['customer'] as const) : []),
      ...(usedFeatures ? (['feature'] as const) : []),
      ...dimensionsOfBasis(basis),
    ],
    filters: customers ? [oneOf('customer', customers)] : [],
  };
  const scopeOf = (part: PagePlan) => ({
    projectId: project.id,
    period: joinPeriods(part.periods) ?? days,
    generations,
  });
  const query: PageQuery = {
    facts,
    plan,
    days,
    sources,
    customers,
    select: (part) => ({ table: readCostTable(scopeOf(part), wanted), basis, plan: part, value }),
    selectApart: (part) =>
      splitCostScope(scopeOf(part), wanted.dimensions).map((scope) => ({
        table: readCostTable(scope, wanted),
        basis: basis.onDays(readsDay(scope)),
        plan: part,
        value,
      })),
  };
  if (usedFeatures) {
    // A page of customers needs only their revenue, other rows need that of all.
    const read = groupBy === 'customer' ? readKeptCustomers : readKeptRows;
    return await read(query, usedFeatures);
  }
  if (names === undefined) return await readPeriods(query);
  return await readGroups(query, isTagGroup(groupBy) ? names.groupOf : undefined);
}

interface PageQuery {
  readonly facts: Facts;
  readonly plan: PagePlan;
  readonly days: Period;
  readonly sources: AnswerSources;
  readonly customers: readonly string[] | undefined;
  /** The costs of a part of the page. */
  readonly select: (part: PagePlan) => CostSelection;
  /** The same, to read by a statement each and add up. */
  readonly selectApart: (part: PagePlan) => readonly CostSelection[];
}

/** The cost of a row, exact. */
type CostRecord = PlacedRecord & { readonly cost: WideMoney };

async function readCosts(
  part: PagePlan,
  selections: readonly CostSelection[],
  toStatement: (selection: CostSelection) => Clause,
  { answerCache }: AnswerSources,
): Promise<CostRecord[]> {
  const rows = await Promise.all(
    selections.map(async (selection) => await answerCache.select<CostRow>(toStatement(selection), [selection.table])),
  );
  return joinRecords(part, rows.flat(), (ofRow) => ({
    cost: ofRow.reduce((sum, { cost_text: cost }) => sum + parseWideMoney(cost), 0n),
  }));
}

/** Reads the costs of a page by value, and one more if there is one. */
async function pullCosts(
  { plan, sources, customers }: PageQuery,
  select: (part: PagePlan) => readonly CostSelection[],
  toStatement: (selection: CostSelection) => Clause,
): Promise<(PeriodRecord & CostRecord)[]> {
  return await readInSteps(plan, customers?.length, async (part) => {
    const costs = await readCosts(part, select(part), toStatement, sources);
    return costs.map(({ value = '', ...record }) => ({ ...record, value }));
  });
}

/** Reads a row for every period: the cost of its calls, and the revenue that all entries have in it. */
async function readPeriods({ facts, plan, days, sources, customers, selectApart }: PageQuery): Promise<MarginRecord[]> {
  const [costs, entries] = await Promise.all([
    readCosts(plan, selectApart(plan), selectCosts, sources),
    facts.readAllocations({ ...days, customers }),
  ]);
  const costByPeriod = new Map(costs.map(({ period, cost }) => [period, cost]));
  const spans = plan.periods.map(toSpan);
  const revenues = await stepsInTurns(
    sumEarned(
      entries.map(({ allocation }) => allocation),
      spans,
    ),
  );
  return spans.map(({ from }, at) => ({
    period: from,
    value: '',
    revenue: revenues[at] ?? 0n,
    cost: costByPeriod.get(from) ?? 0n,
  }));
}

/** Reads a row for every period, or value in it: the cost and revenue of its customers that are kept in the period. */
async function readKeptRows(
  { facts, plan, days, sources, customers, select }: PageQuery,
  usedFeatures: readonly string[],
): Promise<MarginRecord[]> {
  const entries = groupByCustomer(await facts.readAllocations({ ...days, customers }));
  const selection = select(plan);
  const statement = selectKeptCosts(selection, usedFeatures, [...entries.keys()]);
  const costs = await sources.answerCache.select<KeptCost>(statement, [selection.table]);
  const spans = spansByStart(plan);
  const records: MarginRecord[] = [];
  await inTurns(costs, ({ period, value = '', cost_text, kept }) => {
    const revenue = kept.reduce((sum, customer) => sum + earnedBy(entries.get(customer), spans.get(period)), 0n);
    records.push({ period, value, revenue, cost: parseWideMoney(cost_text) });
  });
  return records;
}

/** Reads a row for each value and period that has a call or a day of an entry (D6.2). */
async function readGroups(query: PageQuery, groupOf: RevenueRowsQuery['groupOf']): Promise<MarginRecord[]> {
  const { facts, plan, customers, selectApart } = query;
  const costs = await pullCosts(query, selectApart, selectGroupedCosts);
  // If costs alone fill the page, no row after their last one is needed.
  const last = costs.length > plan.limit ? costs.at(-1) : undefined;
  const lastStart = last ? last.period : Number.POSITIVE_INFINITY;
  const revenues = await readRevenueRows(facts, {
    periods: plan.periods.filter(({ dateFrom }) => toDayNumber(dateFrom) <= lastStart),
    afterValue: plan.afterValue,
    customers,
    most: plan.limit + 1,
    groupOf,
  });
  return mergeRecords(costs, revenues);
}

/** A row for each customer kept in a period, which has a call there: entries without calls make no row. */
async function readKeptCustomers(query: PageQuery, usedFeatures: readonly string[]): Promise<MarginRecord[]> {
  const { facts, plan, select } = query;
  // Whether a customer is kept depends on all its calls in a period, so one statement reads them.
  const costs = await pullCosts(
    query,
    (part) => [select(part)],
    (selection) => selectGroupedCosts(selection, usedFeatures),
  );
  const asked = new Set(costs.map(({ period }) => period));
  const days = joinPeriods(plan.periods.filter(({ dateFrom }) => asked.has(toDayNumber(dateFrom))));
  if (!days) return [];
  const customers = [...new Set(costs.map(({ value }) => value))];
  const entries = groupByCustomer(await facts.readAllocations({ ...days, customers }));
  const spans = spansByStart(plan);
  const records: MarginRecord[] = [];
  await inTurns(costs, ({ period, value, cost }) => {
    records.push({ period, value, revenue: earnedBy(entries.get(value), spans.get(period)), cost });
  });
  return records;
}

/** Merges two lists in row order. The cost and the revenue of a row become one record. */
function mergeRecords(
  costs: readonly (PeriodRecord & CostRecord)[],
  revenues: readonly RevenueRecord[],
): MarginRecord[] {
  const merged: MarginRecord[] = [];
  let at = 0;
  for (const { period, value, cost } of costs) {
    let next = revenues[at];
    while (next && compareRecords(next, { period, value }) < 0) {
      merged.push({ ...next, cost: 0n });
      at += 1;
      next = revenues[at];
    }
    const isSame = next !== undefined && compareRecords(next, { period, value }) === 0;
    if (isSame) at += 1;
    merged.push({ period, value, cost, revenue: isSame && next ? next.revenue : 0n });
  }
  merged.push(...revenues.slice(at).map((revenue) => ({ ...revenue, cost: 0n })));
  return merged;
}

const groupByCustomer = (entries: readonly CustomerAllocation[]): Map<string, CustomerAllocation[]> =>
  Map.groupBy(entries, ({ customer }) => customer);

const spansByStart = ({ periods }: PagePlan) => new Map(periods.map(toSpan).map((span) => [span.from, span]));

const earnedBy = (
  entries: readonly CustomerAllocation[] | undefined,
  span: ReturnType<typeof toSpan> | undefined,
): Money => (entries && span ? entries.reduce((sum, { allocation }) => sum + calcEarned(allocation, span), 0n) : 0n);
