import { readGenerations } from '../../calls/generations.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { type Day, dayOf } from '../../lib/days.ts';
import { inTurns } from '../../lib/in-turns.ts';
import type { Money, WideMoney } from '../../lib/money.ts';
import { type Budget, calcPassed } from './budget.ts';
import { planBudgets } from './plan.ts';
import { narrow, readForecasts } from './read-forecast.ts';
import { readSpent, type SpentSources } from './read-spent.ts';
import { spentOf, totalOf } from './spending.ts';
import { readBudgets } from './store.ts';

/** How much of a budget, or of the budget of one value of its `each`, is spent in the current period. */
export interface BudgetState {
  readonly budget: Budget;
  /** The value of `each`; undefined for a budget without. */
  readonly of: string | undefined;
  readonly periodFrom: Day;
  readonly periodTo: Day;
  /** Where hours or a window count: from which instant on, in milliseconds since 1970. */
  readonly since: number | undefined;
  /** Rounded half-even to whole picodollars. */
  readonly spent: Money;
  /** The forecast spending up to the end of the period; undefined where there is none, as for values of `each`. */
  readonly forecast: Money | undefined;
  /** The thresholds that are passed, ascending. */
  readonly passed: readonly number[];
  /** Of a window: those that it is less than a tenth below, ascending. What is spent rises and falls around them. */
  readonly near: readonly number[];
}

/**
 * How many thresholds may be passed in all budgets with `each` of a project. A budget is left out when its values have
 * passed more than the budgets before it leave: each is an alert, and budgets times values times thresholds have no end.
 */
const mostPassed = 10_000;
/** How many sums are read at once, about: values times budgets. */
const mostSums = 250_000;

/**
 * The state of every budget of a project at an instant, sorted by name. A budget with `each` has a state for every
 * value that has passed its lowest threshold, sorted by value. Budgets that need deleted calls are left out.
 * @throws Problem as the store's `select` does
 */
export async function readBudgetStates(
  sources: SpentSources,
  project: { readonly id: string },
  now: number,
): Promise<BudgetState[]> {
  const { control } = sources;
  const [budgets, generations] = await Promise.all([
    readBudgets(control, project.id),
    readGenerations(control, project.id),
  ]);
  if (budgets.length === 0) return [];
  const at = { projectId: project.id, timezone: generations.timezone, nowMs: now };
  const planned = await planBudgets(control, at, budgets);
  const { spendings } = await readSpent(sources, {
    projectId: project.id,
    planned,
    generations,
    rows: { which: 'passed', most: Math.max(mostPassed, Math.floor(mostSums / budgets.length)) },
  });
  const single = planned.filter(({ each }) => !each);
  const forecasts = await readForecasts(sources, { projectId: project.id, planned: single, generations, nowMs: now });
  const forecastOf = new Map(single.map(({ budget }, index) => [budget, forecasts[index]]));
  const states: BudgetState[] = [];
  let left = mostPassed;
  for (const spending of spendings) {
    const { budget, span, failure } = spending;
    if (failure !== undefined) continue;
    const toState = (of: string | undefined, spent: WideMoney): BudgetState => ({
      budget,
      of,
      periodFrom: span.dateFrom,
      periodTo: span.times?.window ? dayOf(at.timezone, now) : span.dateTo,
      since: span.times?.fromMs,
      spent: narrow(spent),
      forecast: atLeast(forecastOf.get(budget), narrow(spent)),
      passed: calcPassed(budget, spent),
      near: span.times?.window ? calcPassed(budget, (spent * 10n) / 9n) : [],
    });
    if (!budget.each) {
      states.push(toState(undefined, spentOf(spending, now)));
      continue;
    }
    const ofBudget: BudgetState[] = [];
    let passed = 0;
    await inTurns(totalOf(spending, now), ([of, spent]) => {
      const state = toState(of, spent);
      const count = Math.max(state.passed.length, state.near.length);
      passed += count;
      if (count > 0 && passed <= left) ofBudget.push(state);
    });
    if (passed > left) continue;
    left -= passed;
    states.push(...ofBudget.sort((a, b) => compareCodePoints(a.of ?? '', b.of ?? '')));
  }
  return states;
}

/** A forecast is not below what is spent: calls may be dated later than today. */
const atLeast = (forecast: Money | undefined, spent: Money): Money | undefined =>
  forecast !== undefined && forecast < spent ? spent : forecast;
