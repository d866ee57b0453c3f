import { requireCalls } from '../../calls/require-calls.ts';
import type { Period } from '../../lib/days.ts';
import { dimensionsOf, isRunGrain, type RunGrain } from '../../rollups/rollups/grains.ts';
import type { AnswerCache } from '../asking/answer-cache.ts';
import { onPageDays, readCellFilters, whereCalls } from '../asking/call-filters.ts';
import {
  type CellScope,
  type CellSource,
  isReadAtOnce,
  readCells,
  readCostCells,
  readsDay,
  resolveGrain,
  resolveRowsOfCalls,
  splitDays,
  splitScope,
  splitScopeOf,
} from '../asking/cells.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { PagePlan } from '../asking/page.ts';
import { joinPeriods } from '../asking/periods.ts';
import { type RowGrain, readCostsOfRuns, readRunCells } from '../asking/run-cells.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { all } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import { type CostsQuestion, listDimensions } from './parse.ts';
import { type CostsRecord, joinRows } from './records.ts';
import { type CellCosts, type CostsRow, isListed, selectCosts, selectCostsOfCells } from './sql.ts';
import { sumCells } from './sum-cells.ts';

/** A part of a page, and the cost basis of its calls. */
interface PartWanted {
  readonly part: PagePlan;
  readonly period: Period;
  readonly basis: CostBasis;
}

/** The source of an answer's rows: cells, runs or calls. */
interface CostsSource {
  /** Whether all periods of a page are read at once, even if its rows are grouped. */
  readonly isReadAtOnce: boolean;
  read(wanted: PartWanted): Promise<readonly CostsRecord[]>;
}

/** Reads cells if a grain fits the question, otherwise runs or calls. */
export async function planSource(
  { project, generations, facts }: AsOf,
  question: CostsQuestion,
  range: Period,
  sources: AnalyticsSources,
): Promise<CostsSource> {
  const { answerCache } = sources;
  const { filters, groupBy, applyCredits } = question;
  const grain = resolveRunGrain(question);
  const netGrain = resolveGrain(new Set([...listDimensions(question), 'provider', 'model']), { withRuns: false });
  if (!grain || (applyCredits && !netGrain)) {
    const rows = resolveRowGrain(question);
    if (rows && !generations.pinned) {
      return await planRuns({ project, generations, facts }, { ...question, grain: rows }, range, sources);
    }
    const where = await whereCalls(facts, { range, generations, filters });
    return {
      isReadAtOnce: false,
      read: async ({ part, period, basis }) => {
        const statement = selectCosts({
          where: all([where, onPageDays(part.periods)]),
          basis,
          plan: part,
          groupBy,
        });
        const rows = resolveRowsOfCalls({ projectId: project.id, period, generations });
        return joinRows(part, await answerCache.select<CostsRow>(statement, [{ rows }]));
      },
    };
  }

  const cellFilters = await readCellFilters(facts, filters);
  return {
    isReadAtOnce: isReadAtOnce(grain, { projectId: project.id, period: range, generations }),
    read: async ({ part, period, basis }) => {
      const scope: CellScope = { projectId: project.id, period, generations };
      const isCrossing = crossesCells(grain, question);
      const runs = isCrossing ? 'crossing' : 'plain';
      if (basis.join === '') {
        const costCells = await readCostCells(scope, { grain, runs, filters: cellFilters }, sources);
        const [dimension] = dimensionsOf(grain);
        const values = dimension && filters.values.get(dimension);
        if (costCells) return sumCells(costCells, { plan: part, isGrouped: groupBy !== undefined, values });
      }
      const select = (of: CellScope) => ({
        cells: readCells(of, { grain, measures: ['cost'], runs, filters: cellFilters }),
        net:
          netGrain &&
          netOf(basis, of, () => readCells(of, { grain: netGrain, measures: ['cost'], filters: cellFilters })),
      });
      const scopes = splitScopeOf(grain, scope);
      return await readRows({ scope, scopes, select, isCrossing, plan: part, groupBy }, answerCache);
    },
  };
}

/** Reads rows of runs on sealed days and calls on open days, for questions that no grain can answer. */
async function planRuns(
  { project, generations, facts }: AsOf,
  { filters: asked, granularity, groupBy, grain }: CostsQuestion & { readonly grain: RowGrain },
  range: Period,
  { answerCache }: AnalyticsSources,
): Promise<CostsSource> {
  requireCalls(generations, range);
  const filters = await readCellFilters(facts, asked);
  // A run has a row for each of its days and customers.
  const isCrossing = granularity !== 'day' || groupBy !== 'customer';
  return {
    // A day can have any number of customers, but only a few values of other dimensions.
    isReadAtOnce: groupBy !== 'customer',
    read: async ({ part, period, basis }) => {
      const scope: CellScope = { projectId: project.id, period, generations };
      const select = (of: CellScope) => ({
        cells: readRunCells(of, { grain, runs: isCrossing ? 'crossing' : 'plain', filters }),
        net: netOf(basis, of, () => readCostsOfRuns(of, filters)),
      });
      const scopes = splitScope(scope);
      return await readRows({ scope, scopes, select, isCrossing, plan: part, groupBy }, answerCache);
    },
  };
}

/** The net costs of a scope; undefined where no credits cover any. */
function netOf(basis: CostBasis, scope: CellScope, readNetCells: () => CellSource): CellCosts['net'] {
  const ofScope = basis.onDays(readsDay(scope));
  return ofScope.join === '' ? undefined : { cells: readNetCells(), basis: ofScope };
}

interface RowsWanted extends Pick<CellCosts, 'plan' | 'groupBy'> {
  readonly scope: CellScope;
  /** Parts of the scope, each read by a statement of its own. */
  readonly scopes: readonly CellScope[];
  /** The cells of a scope. */
  readonly select: (scope: CellScope) => Pick<CellCosts, 'cells' | 'net'>;
  /** Whether a row can have several cells of one run. */
  readonly isCrossing: boolean;
}

/** Reads rows from cells. The store counts crossing runs only if there are too many to list. */
async function readRows(
  { scope, scopes, select, isCrossing, plan, groupBy }: RowsWanted,
  answerCache: AnswerCache,
): Promise<CostsRecord[]> {
  const read = async (of: CellScope, crossing: CellCosts['crossing'], part: PagePlan) => {
    const { cells, net } = select(of);
    const { sealed, open } = splitDays(of);
    const mostRows = groupBy ? part.limit + 1 : Math.max(1, Math.min(part.periods.length, sealed.length + open.length));
    const statement = selectCostsOfCells({ cells, crossing, net, plan: part, groupBy, mostRows });
    return await answerCache.select<CostsRow>(statement, net ? [cells, net.cells] : [cells]);
  };
  const rows = (await Promise.all(scopes.map((of) => read(of, isCrossing ? 'listed' : 'none', plan)))).flat();
  if (isListed(rows)) return joinRows(plan, rows);
  const counted = splitAtOpenDay(plan, scope).map(async (part) => {
    const period = joinPeriods(part.periods) ?? scope.period;
    return await read({ ...scope, period }, 'counted', part);
  });
  return joinRows(plan, (await Promise.all(counted)).flat());
}

/**
 * Parts of a plan whose rows share no day: the periods before the first with an open day, whose rows can be cached, and
 * all others.
 */
function splitAtOpenDay(plan: PagePlan, scope: CellScope): PagePlan[] {
  const { open } = splitDays(scope);
  const first = plan.periods.findIndex(({ dateFrom, dateTo }) => open.some((day) => day >= dateFrom && day <= dateTo));
  if (first <= 0) return [plan];
  return [
    { ...plan, periods: plan.periods.slice(0, first) },
    { ...plan, periods: plan.periods.slice(first), afterValue: undefined },
  ];
}

/** The grain of rows made from the runs of sealed days; undefined if runs can't answer the question. */
function resolveRowGrain({ groupBy, filters }: CostsQuestion): RowGrain | undefined {
  return filters.runTags || groupBy === 'user' ? undefined : (groupBy ?? 'total');
}

/** The grain whose feature runs are those of the rows (D6.7); undefined if there is none. */
function resolveRunGrain(question: CostsQuestion): RunGrain | undefined {
  const { groupBy, filters } = question;
  // Cells have no run tags.
  if (filters.runTags) return undefined;
  const grain = resolveGrain(listDimensions(question), { withRuns: true });
  if (!grain || !isRunGrain(grain)) return undefined;
  // Cells by model (or provider) count a run once for each of its models, so a row must have only one model.
  const isOfOne = grain !== 'model' && grain !== 'provider';
  return isOfOne || groupBy === grain || filters.values.get(grain)?.length === 1 ? grain : undefined;
}

/** Whether a run can be in several cells of one row. */
function crossesCells(grain: RunGrain, { granularity, groupBy }: CostsQuestion): boolean {
  const hasCustomers = grain === 'customer' || grain === 'customer_feature';
  return granularity !== 'day' || (hasCustomers && groupBy !== 'customer');
}
