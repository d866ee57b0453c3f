import { addDays, startOfDay } from '../../../lib/days.ts';
import { hourAround } from '../../../lib/hours.ts';
import { linkPath } from '../../../lib/link-path.ts';
import { divideToNumber, toJsonNumber } from '../../../lib/money.ts';
import { toTime } from '../../../lib/times.ts';
import { isWindow, windowOf } from '../../budgets/budget.ts';
import { type BudgetState, readBudgetStates } from '../../budgets/states.ts';
import type { Cause, JsonFields, Subject } from '../../rule/cause.ts';
import type { SettingsOf } from '../../rule/kind.ts';
import type { LookFor } from '../../rule/look.ts';
import { spellDuration, spellName, spellPct, spellTime, spellUsd } from '../../rule/wording.ts';
import type { budget } from './kind.ts';

/**
 * Reads the states of all budgets now. The first look of a day also reads the states at the end of yesterday, and at the
 * end of the last day that was looked at; looks after an hour's end read those of the hour. So it finds the thresholds
 * that were passed after the last look of a period.
 */
export async function lookAtBudgets(look: LookFor<typeof budget>): Promise<Cause[]> {
  const { project, watch, now, today, sources } = look;
  const { lookedDay } = watch;
  const past = lookedDay === undefined || lookedDay >= today ? [] : [...new Set([lookedDay, addDays(today, -1)])];
  const ends = past.map((day) => startOfDay(project.timezone, addDays(day, 1)) - 1);
  const { fromMs: hour } = hourAround(project.timezone, now);
  const hourEnds = now - hour < afterHourMs && !ends.includes(hour - 1) ? [hour - 1] : [];
  const read = (at: number) => readBudgetStates(sources, project, at);
  const [current, days, hours] = await Promise.all([
    read(now),
    Promise.all(ends.map(read)),
    Promise.all(hourEnds.map(read)),
  ]);
  const ended = [
    // What a window held then says nothing of now.
    ...days.flat().filter(({ budget }) => !isWindow(budget.period)),
    ...hours.flat().filter(({ budget }) => budget.period === 'hour'),
  ];
  return findPassedBudgets([...ended, ...current], look.settings, project.timezone);
}

/** For how long after an hour its end is looked at, in milliseconds: several looks, of which one may be late. */
const afterHourMs = 90_000;

/** A forecast within this percentage below the amount keeps a firing open. */
const slackPct = 5n;

/**
 * A cause for each threshold that a budget, or the budget of one value of its `each`, has passed in its period. If the
 * setting asks for it, also a cause for a forecast above the amount. All end with the period at the latest.
 */
export function findPassedBudgets(
  states: readonly BudgetState[],
  { forecast }: SettingsOf<typeof budget>,
  timezone: string,
): Cause[] {
  return states.flatMap((state) => {
    const period = periodOf(state, timezone);
    return [
      ...state.passed.map((threshold) => toPassed(state, period, threshold, 'holds')),
      ...state.near.filter((pct) => !state.passed.includes(pct)).map((pct) => toPassed(state, period, pct, 'lingers')),
      ...(forecast ? findForecast(state, period) : []),
    ];
  });
}

function toPassed(state: BudgetState, period: string, threshold: number, holds: Cause['state']): Cause {
  const { spent_pct, amount, spent } = numbersOf(state);
  return {
    ...about(state, { threshold }),
    state: holds,
    title: `The budget "${state.budget.name}" has passed ${threshold}%${spellOf(state)}`,
    text: `${spellUsd(spent, amount)} of ${spellUsd(amount)} is spent (${spellPct(spent_pct)}), ${period}.`,
  };
}

function findForecast(state: BudgetState, period: string): Cause[] {
  const { budget, forecast } = state;
  if (forecast === undefined || forecast * 100n <= budget.amount * (100n - slackPct)) return [];
  const { amount, spent } = numbersOf(state);
  return [
    {
      ...about(state, { threshold: 'forecast' }),
      state: forecast > budget.amount ? 'holds' : 'lingers',
      title: `The budget "${budget.name}" is likely to be exceeded${spellOf(state)}`,
      text: `At this pace, ${spellUsd(toJsonNumber(forecast))} is spent by the end of the period; the budget is ${spellUsd(amount)}. So far ${spellUsd(spent, amount)} is spent, ${period}.`,
    },
  ];
}

const about = (state: BudgetState, { threshold }: { readonly threshold: number | string }) => {
  const { budget, of } = state;
  const subject: Subject = {
    budget: budget.name,
    ...(of !== undefined && { of }),
    threshold,
    // A window has no period that ends: its firing ends when it holds less again.
    ...(isWindow(budget.period) ? { window: budget.period } : { period_from: beginOfPeriod(state) }),
  };
  return {
    subject,
    ...(of !== undefined && budget.each === 'customer' && { customer: of }),
    ...(of !== undefined && budget.each === 'user' && { user: of }),
    numbers: numbersOf(state) satisfies JsonFields,
    path: linkPath(['budgets'], { budget: budget.name }),
  };
};

const beginOfPeriod = ({ since, periodFrom }: BudgetState): string =>
  since === undefined ? periodFrom : toTime(since);

const numbersOf = ({ budget, spent, forecast, periodFrom, periodTo }: BudgetState) => ({
  amount: toJsonNumber(budget.amount),
  spent: toJsonNumber(spent),
  spent_pct: divideToNumber(spent * 100n, budget.amount),
  forecast: forecast === undefined ? null : toJsonNumber(forecast),
  each: budget.each ?? null,
  period: budget.period,
  period_from: periodFrom,
  period_to: periodTo,
});

const spellOf = ({ budget: { each }, of }: BudgetState): string =>
  each === undefined || of === undefined ? '' : ` for ${spellName(each, of)}`;

function periodOf({ budget: { period }, since, periodFrom, periodTo }: BudgetState, timezone: string): string {
  if (isWindow(period)) return `in the last ${spellDuration(windowOf(period).lengthMs)}`;
  if (since !== undefined) return `in the hour from ${spellTime(since, timezone)}`;
  return periodFrom === periodTo ? `on ${periodFrom}` : `from ${periodFrom} to ${periodTo}`;
}
