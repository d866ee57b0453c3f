import type { Generations } from '../../calls/generations.ts';
import { addDays, type Day, dayOf, startOfDay } from '../../lib/days.ts';
import { divideHalfEven, type Money, parseWideMoney, type WideMoney, widen } from '../../lib/money.ts';
import { Problem } from '../../lib/problem.ts';
import { readCostTable } from '../../reports/asking/cells.ts';
import { netOf, readCoveredCosts } from '../../reports/asking/cost-basis.ts';
import { type DayCost, forecastPeriod } from '../../reports/asking/forecast.ts';
import { currentFacts } from '../../reports/facts/facts.ts';
import { type BudgetGroup, groupBudgets, isOfRuns, type PlannedBudget } from './plan.ts';
import type { SpentSources } from './read-spent.ts';
import { filtersOfAll, type SumsRecord, selectDailySums } from './sums-sql.ts';

/** The days before today on which a forecast is based: the 8 weeks that `forecastPeriod` reads, and one week more. */
const historyDays = 63;

export interface ForecastWanted {
  readonly projectId: string;
  /** Budgets with one sum each, in their current periods. */
  readonly planned: readonly PlannedBudget[];
  readonly generations: Generations;
  readonly nowMs: number;
}

/**
 * Forecasts the spending on budgets up to the end of their periods, in their order. Undefined where the days before
 * today allow no forecast, or where their calls are deleted.
 * @throws Problem as the store's `select` does
 */
export async function readForecasts(sources: SpentSources, wanted: ForecastWanted): Promise<(Money | undefined)[]> {
  const { planned, generations, nowMs } = wanted;
  const { timezone } = generations;
  const today = dayOf(timezone, nowMs);
  const since = addDays(today, -historyDays);
  const past = new Map<PlannedBudget, PlannedBudget>();
  for (const one of planned) {
    // By days: hours, windows and runs have no forecast.
    if (one.span.times || isOfRuns(one)) continue;
    const [dateFrom = since] = [one.span.dateFrom, since].sort();
    past.set({ ...one, span: { ...one.span, dateFrom, dateTo: today } }, one);
  }
  const forecasts = new Map<PlannedBudget, Money | undefined>();
  for (const group of groupBudgets([...past.keys()], 'cells')) {
    const histories = await readHistories(sources, wanted, group);
    group.planned.forEach((one, index) => {
      const [of, history] = [past.get(one), histories?.[index]];
      if (!of || !history) return;
      const forecast = forecastPeriod(history, {
        from: of.span.dateFrom,
        to: of.span.dateTo,
        today,
        spentToday: history.find(({ day }) => day === today)?.cost ?? 0n,
        shareOfToday: shareOf(timezone, today, nowMs),
      });
      forecasts.set(of, forecast);
    });
  }
  return planned.map((one) => forecasts.get(one));
}

/** The cost by day of each budget of a group; undefined when calls that it needs are deleted. */
async function readHistories(
  sources: SpentSources,
  { projectId, generations }: ForecastWanted,
  group: BudgetGroup,
): Promise<DayCost[][] | undefined> {
  const { period } = group;
  try {
    const table = readCostTable(
      { projectId, period, generations },
      { dimensions: group.dimensions, filters: filtersOfAll(group) },
    );
    const facts = currentFacts(sources.control, projectId);
    const basis = netOf(group.isNet ? await readCoveredCosts(sources, { generations, facts, period }) : noShares);
    const statement = selectDailySums({ group, table, basis });
    const rows = await sources.answerCache.select<SumsRecord & { readonly day: Day }>(statement, [table]);
    return group.planned.map((_, index) =>
      rows.map((row) => ({ day: row.day, cost: narrow(parseWideMoney(row[`sum_${index}`] ?? '0')) })),
    );
  } catch (error) {
    if (error instanceof Problem && error.code === 'beyond_retention') return undefined;
    throw error;
  }
}

const noShares = { models: [], shares: [] };

function shareOf(timezone: string, today: Day, nowMs: number): number {
  const [from, to] = [startOfDay(timezone, today), startOfDay(timezone, addDays(today, 1))];
  return (nowMs - from) / (to - from);
}

/** Rounded half-even to whole picodollars. */
export const narrow = (amount: WideMoney): Money => divideHalfEven(amount, widen(1n));
