import { z } from 'zod';
import { byName } from '../../lib/by-name.ts';
import { decimalField } from '../../lib/decimal-field.ts';
import { byPlural, dimensionNames, dimensions } from '../../lib/dimensions.ts';
import { isReachable } from '../../lib/http/path-name.ts';
import { toMoney } from '../../lib/money.ts';
import { storableText, storableTextOrEmpty } from '../../lib/tag-map.ts';
import { filterValuesOf, tagFilterOf } from '../../reports/asking/body.ts';
import {
  type BudgetDefinition,
  type BudgetScope,
  type BudgetWindow,
  budgetPeriods,
  eachNames,
  windowOf,
} from './budget.ts';

const maxFilterValues = 1_000;
const maxThresholds = 10;
const maxThreshold = 1_000;
const defaultThresholds = [50, 80, 100];

export const budgetName = storableText(128);

const filterValue = storableTextOrEmpty(1_024);
const filter = filterValuesOf({ value: filterValue, most: maxFilterValues }).optional();
const oneName = storableTextOrEmpty(1_024).optional();

const customerTags = tagFilterOf(
  { key: storableText(128), value: filterValue, most: maxFilterValues },
  { plan: ['free'] },
);

const isObject = ({ value }: { readonly value: unknown }): boolean => typeof value === 'object' && value !== null;

const filters = z.strictObject({
  ...byPlural(dimensionNames, (name) =>
    filter.describe(`Only calls ${name === 'feature' ? 'with' : 'of'} these ${dimensions[name].values}.`),
  ),
  customer_tags: customerTags.describe('Only calls of customers that carry these tags now.'),
  ...byName(dimensionNames, (name) => oneName.describe(`The same as \`${dimensions[name].plural}\` with one name.`)),
});

/** The filters of a scope. A filter takes one name or a list of names, not both. */
const scopeFields = dimensionNames.reduce((fields, single) => {
  const { plural } = dimensions[single];
  return fields.refine((scope) => scope[plural] === undefined || scope[single] === undefined, {
    error: `must be left out with ${plural}: add the name there`,
    path: [single],
    params: { code: 'duplicate' },
    // Runs despite other faults of the body, so that all are reported together.
    when: isObject,
  });
}, filters);

const thresholds = z
  .array(z.number().int().min(1).max(maxThreshold))
  .min(1, { error: 'must not be empty: leave it out for 50, 80 and 100' })
  .max(maxThresholds, { error: `must have at most ${maxThresholds} thresholds` })
  .refine((pcts) => new Set(pcts).size === pcts.length, {
    error: 'must not repeat a threshold',
    params: { code: 'duplicate' },
  });

export const exampleBudget = {
  amount: 250,
  period: 'month' as const,
  scope: { features: ['chat'], customer_tags: { plan: ['free'] } },
  each: 'customer' as const,
  thresholds: [50, 80, 100],
  apply_credits: false,
};

const dayMs = 24 * 60 * 60_000;
const windowField = z
  .string()
  .check(({ value, issues }) => {
    const message = windowFaultOf(value);
    if (message)
      issues.push({ code: 'custom', input: value, message, params: { code: 'invalid_value' }, continue: true });
  })
  .meta({ pattern: '^[1-9]\\d*[mhd]$' });

/** What is wrong with a window; undefined if nothing is. */
function windowFaultOf(text: string): string | undefined {
  if (!/^[1-9]\d*[mhd]$/.test(text)) return 'must be a whole number of minutes, hours or days, such as 10m, 6h or 30d';
  const { lengthMs } = windowOf(text as BudgetWindow);
  if (lengthMs < 10 * 60_000 || lengthMs > 30 * dayMs) return 'must be from 10m to 30d';
  if (lengthMs > dayMs && text.endsWith('m')) return 'must be in hours or days, as it is longer than a day';
  return undefined;
}

/** One of the two says which time the amount is for. */
const oneTime = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const body = z.strictObject({ ...shape, ...definitionFields });
  const given = (value: unknown) => {
    const { period, window } = value as { period?: unknown; window?: unknown };
    return [period, window].filter((one) => one !== undefined && one !== null).length;
  };
  return body
    .refine((value) => given(value) > 0, {
      error: 'must be given, or a window such as 6h',
      path: ['period'],
      params: { code: 'required' },
      when: isObject,
    })
    .refine((value) => given(value) < 2, {
      error: 'must be left out, as period is given: a budget is for one of them',
      path: ['window'],
      params: { code: 'duplicate' },
      when: isObject,
    });
};

const definitionFields = {
  amount: decimalField({ least: 0n, isAboveLeast: true, most: 1_000_000_000n, maxFractionalDigits: 12 })
    .transform(toMoney)
    .describe('USD, with at most 12 fractional digits.'),
  period: z
    .enum(budgetPeriods, { error: `must be one of ${budgetPeriods.join(', ')}; a length such as 6h is a window` })
    .nullish()
    .describe(
      'The calendar period that the amount is for, in the timezone of the project. Weeks begin on Monday. Set this or `window`.',
    ),
  window: windowField
    .nullish()
    .describe(
      'Instead of a period, the time up to now that the amount is for: `10m` to `30d`. It moves in steps of a minute, or of an hour if it is longer than a day.',
    ),
  scope: scopeFields
    .nullish()
    .describe('The calls whose cost counts: AND between filters, OR within one. Left out: all calls.'),
  each: z
    .enum(eachNames)
    .nullish()
    .describe('Every customer, user, feature or run has a budget of this amount. Left out: one budget for all calls.'),
  thresholds: thresholds
    .optional()
    .transform((given) => given ?? [...defaultThresholds])
    .describe('Percentages of the amount at which alerts fire, whole numbers from 1 to 1000; default: 50, 80 and 100.'),
  apply_credits: z.boolean().default(false).describe('Counts what credits cover as not spent.'),
};

/** The body of `PUT /api/budgets/{name}/` (D20.1). */
export const definitionBody = oneTime({}).meta({
  examples: [exampleBudget, { amount: 2, window: '6h', each: 'run' }],
});

/** The body of `POST /api/budgets/` (D20.1). */
export const budgetBody = oneTime({
  name: budgetName.check(isReachable).describe('1 to 128 characters, unique in the project.'),
}).meta({
  examples: [
    { name: 'Free plan', ...exampleBudget },
    { name: 'All', amount: '5000', period: 'month' },
  ],
});

export function parseDefinition(body: z.output<typeof definitionBody>): BudgetDefinition {
  return {
    amount: body.amount,
    period: (body.window as BudgetWindow | null | undefined) ?? body.period ?? 'month',
    scope: parseScope(body.scope ?? {}),
    each: body.each ?? undefined,
    thresholds: body.thresholds.toSorted((a, b) => a - b),
    applyCredits: body.apply_credits,
  };
}

/** The canonical form of a scope: lists without repetitions. */
function parseScope(scope: z.output<typeof scopeFields>): BudgetScope {
  const filters = dimensionNames.flatMap((name) => {
    const { plural } = dimensions[name];
    const single = scope[name];
    const values = scope[plural] ?? (single === undefined ? undefined : [single]);
    return values ? [[plural, [...new Set(values)]] as const] : [];
  });
  return {
    ...Object.fromEntries(filters),
    ...(scope.customer_tags && { customer_tags: Object.fromEntries(scope.customer_tags) }),
  };
}
