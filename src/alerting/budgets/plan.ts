import type { Period } from '../../lib/days.ts';
import { type Dimension, dimensionNames, dimensions } from '../../lib/dimensions.ts';
import { resolveGrain } from '../../reports/asking/cells.ts';
import { anyName, namedRun, ofTagged, oneOf, type ValuesFilter } from '../../reports/asking/where.ts';
import { currentFacts } from '../../reports/facts/facts.ts';
import type { Grain } from '../../rollups/rollups/grains.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import { type Budget, type BudgetPeriod, type BudgetSpan, type EachName, spanAt } from './budget.ts';

export type BudgetFilter = ValuesFilter<Dimension | 'run'>;

/** A budget with the period and the filters that hold now. */
export interface PlannedBudget {
  readonly budget: Budget;
  readonly span: BudgetSpan;
  /** What to sum by; undefined for one sum. */
  readonly each: EachName | undefined;
  readonly filters: readonly BudgetFilter[];
}

/** Budgets whose sums one statement reads. */
export interface BudgetGroup {
  readonly each: EachName | undefined;
  readonly isNet: boolean;
  readonly dimensions: ReadonlySet<Dimension>;
  readonly planned: readonly PlannedBudget[];
  /** From the first to the last day of their periods. */
  readonly period: Period;
}

/** With more filter values, a budget has a statement of its own, whose WHERE clause keeps the rows few. */
const maxSharedValues = 1_000;

/** The most budgets in a statement, without and with `each`. Every row has a sum for each of them. */
const maxShared = 50;
const maxSharedOfEach = 4;

export interface PlanningAt {
  readonly projectId: string;
  readonly timezone: string;
  readonly nowMs: number;
}

/** Whose sum to read of a budget with `each`: that of one value, or that of all values together. */
export type SumOf = { readonly of: string } | 'all';

/**
 * Plans the reads of budgets at an instant. A budget with `each` has a sum for every value, or one sum with `sumOf`.
 * Calls without a value of `each` count in none.
 */
export async function planBudgets(
  control: ControlQueries,
  { projectId, timezone, nowMs }: PlanningAt,
  budgets: readonly Budget[],
  sumOf?: SumOf,
): Promise<PlannedBudget[]> {
  const spans = new Map<BudgetPeriod, BudgetSpan>();
  const planned: PlannedBudget[] = [];
  for (const budget of budgets) {
    const { scope, each, period } = budget;
    const span = spans.get(period) ?? spanAt(period, timezone, nowMs);
    spans.set(period, span);
    const filters: BudgetFilter[] = dimensionNames.flatMap((name) => {
      const { plural } = dimensions[name];
      const values = scope[plural];
      return values ? [oneOf(name, values, plural)] : [];
    });
    if (scope.customer_tags) {
      const tags = new Map(Object.entries(scope.customer_tags));
      filters.push(...(await ofTagged(currentFacts(control, projectId), 'customer', tags)));
    }
    if (each === 'run') filters.push(namedRun);
    if (each && sumOf !== undefined && sumOf !== 'all') filters.push(oneOf(each, [sumOf.of], 'each_of'));
    else if (each && each !== 'run' && sumOf === 'all') filters.push(anyName(each));
    planned.push({ budget, span, each: sumOf === undefined ? each : undefined, filters });
  }
  return planned;
}

/** Groups budgets that one statement can read. Budgets that are read from cells must also need the same grain. */
export function groupBudgets(planned: readonly PlannedBudget[], from: 'cells' | 'calls'): BudgetGroup[] {
  const groups = Map.groupBy(planned, (one, index) => {
    const values = one.filters.reduce((sum, { count }) => sum + count, 0);
    const grain = from === 'cells' ? grainOf(one) : undefined;
    const own = values > maxSharedValues ? index : '';
    // Without cells, a budget needs all calls of its period. Periods are read apart: calls of a longer one may be
    // deleted.
    const period = from === 'cells' && grain === undefined ? one.budget.period : '';
    return [one.each ?? '', isOfRuns(one), one.budget.applyCredits, grain ?? '', period, own].join(' ');
  });
  return [...groups.values()].flatMap((group) => {
    const most = group[0]?.each ? maxSharedOfEach : maxShared;
    return Array.from({ length: Math.ceil(group.length / most) }, (_, index) =>
      toGroup(group.slice(index * most, (index + 1) * most)),
    );
  });
}

/** Whether only calls can tell: cells have no runs. */
export const isOfRuns = ({ budget }: Pick<PlannedBudget, 'budget'>): boolean => budget.each === 'run';

/** The cells that have all dimensions of a budget; undefined when none do. */
export const grainOf = (planned: PlannedBudget): Grain | undefined =>
  isOfRuns(planned) ? undefined : resolveGrain(dimensionsOf(planned), { withRuns: false });

/** From the first to the last day of any of these periods; undefined without one. */
export function spanOf(periods: readonly Period[]): Period | undefined {
  const [dateFrom] = periods.map((period) => period.dateFrom).sort();
  const [dateTo] = periods
    .map((period) => period.dateTo)
    .sort()
    .reverse();
  return dateFrom !== undefined && dateTo !== undefined ? { dateFrom, dateTo } : undefined;
}

function toGroup(planned: readonly PlannedBudget[]): BudgetGroup {
  const [first] = planned;
  if (!first) throw new RangeError('A group has at least one budget');
  return {
    each: first.each,
    isNet: first.budget.applyCredits,
    dimensions: new Set(planned.flatMap((one) => [...dimensionsOf(one)])),
    planned,
    period: spanOf(planned.map(({ span }) => span)) ?? first.span,
  };
}

/** Net costs need provider and model too, because credits cover shares of these. */
const dimensionsOf = ({ each, filters, budget }: PlannedBudget): Set<Dimension> =>
  new Set([
    ...[each, ...filters.map(({ dimension }) => dimension)].filter((name) => name !== undefined && name !== 'run'),
    ...(budget.applyCredits ? (['provider', 'model'] as const) : []),
  ]);
