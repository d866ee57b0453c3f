import { z } from 'zod';
import { byPlural, dimensionNames } from '../../lib/dimensions.ts';
import { toJsonNumber, type WideMoney, wideToJsonNumber } from '../../lib/money.ts';
import { timeField, toTime, toTimeOrNull } from '../../lib/times.ts';
import { exampleBudget } from './body.ts';
import {
  type Budget,
  budgetPeriods,
  calcPassed,
  calcRemaining,
  calcSpentPct,
  eachNames,
  isAllowed,
  isWindow,
} from './budget.ts';
import type { Spent } from './spending-memory.ts';

const names = z.array(z.string()).optional();

const budgetFields = {
  name: z.string(),
  amount: z.number().describe('USD.'),
  period: z.enum(budgetPeriods).nullable().describe('The calendar period; null for a window.'),
  window: z.string().nullable().describe('The last minutes, hours or days, such as `6h`; null for a calendar period.'),
  scope: z
    .object({
      ...byPlural(dimensionNames, () => names),
      customer_tags: z.record(z.string(), z.array(z.string())).optional(),
    })
    .describe('The calls whose cost counts; empty for all.'),
  each: z.enum(eachNames).nullable().describe('Every value of it has a budget of the amount; null for one budget.'),
  thresholds: z.array(z.number().int()).describe('Percentages of the amount, ascending.'),
  apply_credits: z.boolean(),
  created_at: timeField,
  updated_at: timeField,
};

export const budgetSchema = z.object(budgetFields);

export type BudgetWire = z.output<typeof budgetSchema>;

const times = { created_at: '2026-11-21T05:26:29.684Z', updated_at: '2026-11-21T05:26:29.684Z' };
export const exampleFreePlan = { name: 'Free plan', ...exampleBudget, window: null, ...times };

const resetsField = timeField
  .nullable()
  .describe(
    'When the next period begins. For a used-up window: when enough spending will have left it; null while more may be spent.',
  );

const standingFields = {
  spent: z.number().describe('USD; the nearest double of the exact sum.'),
  remaining: z.number().nullable().describe('USD; negative once more than the amount is spent.'),
  spent_pct: z.number().nullable().describe('Percent of the amount.'),
  thresholds_passed: z.array(z.number().int()).describe('The thresholds that are reached, ascending.'),
};

export const standingSchema = z.object({
  ...budgetFields,
  period_from: z.string().meta({ format: 'date' }).describe('First day of the current period, or of the window.'),
  period_to: z.string().meta({ format: 'date' }).describe('Last day of the current period, inclusive.'),
  resets_at: resetsField,
  ...standingFields,
  forecast: z
    .number()
    .nullable()
    .describe('USD; the expected spending at the end of the period. Null if it is not forecast.'),
  of: z.string().optional().describe('The value of `each` that was asked for.'),
  each_spent: z
    .array(z.object({ of: z.string(), ...standingFields }))
    .optional()
    .describe('The 1000 values of `each` with the most spent, largest first.'),
});

export type BudgetStanding = z.output<typeof standingSchema>;

const exampleStanding = {
  ...exampleFreePlan,
  period_from: '2026-11-01',
  period_to: '2026-11-30',
  resets_at: '2026-12-01T00:00:00.000Z',
  spent: 612.75,
  remaining: null,
  spent_pct: null,
  thresholds_passed: [],
  forecast: null,
  each_spent: [
    { of: 'acme', spent: 251.5, remaining: -1.5, spent_pct: 100.6, thresholds_passed: [50, 80, 100] },
    { of: 'globex', spent: 130, remaining: 120, spent_pct: 52, thresholds_passed: [50] },
  ],
};
export const exampleStandings = [exampleStanding];

export const checkSchema = z.object({
  allowed: z.boolean().describe('Whether less than the amount is spent.'),
  spent: z.number().describe('USD; the nearest double of the exact sum.'),
  remaining: z.number().describe('USD; negative once more than the amount is spent.'),
  resets_at: resetsField,
  as_of: timeField.describe('Everything that this instance acknowledged up to this instant is in `spent`.'),
});

export const exampleCheck = {
  allowed: true,
  spent: 130,
  remaining: 120,
  resets_at: '2026-12-01T00:00:00.000Z',
  as_of: '2026-11-24T10:15:30.120Z',
};

export const toWire = (budget: Budget): BudgetWire => ({
  name: budget.name,
  amount: toJsonNumber(budget.amount),
  period: isWindow(budget.period) ? null : budget.period,
  window: isWindow(budget.period) ? budget.period : null,
  scope: {
    ...Object.fromEntries(Object.entries(budget.scope).map(([name, values]) => [name, copyOf(values)])),
  },
  each: budget.each ?? null,
  thresholds: [...budget.thresholds],
  apply_credits: budget.applyCredits,
  created_at: toTime(budget.createdAt),
  updated_at: toTime(budget.updatedAt),
});

const copyOf = (values: readonly string[] | Readonly<Record<string, readonly string[]>>): unknown =>
  Array.isArray(values) ? [...values] : { ...values };

export const toStanding = (budget: Budget, spent: WideMoney) => ({
  spent: wideToJsonNumber(spent),
  remaining: calcRemaining(budget, spent),
  spent_pct: calcSpentPct(budget, spent),
  thresholds_passed: [...calcPassed(budget, spent)],
});

/** The standing of all values of an `each` together. No amount limits their sum. */
export const toStandingOfAll = (spent: WideMoney) => ({
  spent: wideToJsonNumber(spent),
  remaining: null,
  spent_pct: null,
  thresholds_passed: [],
});

export const toCheck = ({ budget, spent, resetsAt, asOf }: Spent): z.output<typeof checkSchema> => ({
  allowed: isAllowed(budget, spent),
  spent: wideToJsonNumber(spent),
  remaining: calcRemaining(budget, spent),
  resets_at: toTimeOrNull(resetsAt ?? null),
  as_of: toTime(asOf),
});
