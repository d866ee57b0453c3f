import { z } from 'zod';
import { decimalField } from '../../../lib/decimal-field.ts';
import { type Decimal, parseDecimal } from '../../../lib/money.ts';
import type { FaultCode } from '../../../lib/problem.ts';
import { storableText, storableTextOrEmpty } from '../../../lib/tag-map.ts';
import { uniqueList } from '../../../lib/unique-list.ts';
import { filterValuesOf, rangeFields, tagFilterOf } from '../../asking/body.ts';
import { targetField } from '../parse.ts';
import { type AskedPlan, isUnit, type Unit } from './plan.ts';
import { mostBase } from './targets.ts';

const mostPlans = 100;
const mostNames = 10_000;

/** A price or an amount with all the digits that money has. */
const amountField = (most: bigint, isAboveLeast = false) =>
  decimalField({ least: 0n, isAboveLeast, most, maxFractionalDigits: 12 });

const units = ['cost', 'calls', 'tokens'] as const;

const unitField = z
  .unknown()
  .transform((input, context): Unit => {
    if (typeof input === 'string' && isUnit(input) && input.length <= 200) return input;
    const code: FaultCode =
      input === undefined ? 'required' : typeof input === 'string' ? 'invalid_value' : 'invalid_type';
    const message = `must be one of ${units.join(', ')}, key_metric:NAME`;
    context.issues.push({ code: 'custom', input, message, params: { code } });
    return z.NEVER;
  })
  .meta({
    anyOf: [
      { type: 'string', enum: [...units] },
      { type: 'string', pattern: '^key_metric:[\\s\\S]' },
    ],
    description: 'USD of cost, calls, all tokens, or a key metric.',
  });

const isObject = ({ value }: { readonly value: unknown }): boolean => typeof value === 'object' && value !== null;

const selectorField = z
  .strictObject({
    customer_tags: tagFilterOf(
      { key: storableText(128), value: storableTextOrEmpty(1_024), most: mostNames },
      { plan: ['pro'] },
    ).describe('Customers that carry these tags now.'),
    names: filterValuesOf({ value: storableTextOrEmpty(1_024), most: mostNames }).optional(),
  })
  .refine(({ customer_tags: tags, names }) => (tags === undefined) !== (names === undefined), {
    error: 'must have either customer_tags or names',
    params: { code: 'invalid_value' },
    when: isObject,
  })
  .describe('By tags or by names. The first plan that selects a customer has it.');

const planBody = z
  .strictObject({
    name: storableText(1_024),
    customers: selectorField,
    base_per_month: amountField(mostBase)
      .describe('USD a month; a part of a month counts by its days.')
      .meta({ example: 34 }),
    included: z
      .strictObject({ unit: unitField, amount: amountField(10n ** 15n).meta({ example: 1_000 }) })
      .optional()
      .describe('The monthly amount that `overage` does not charge, nor `markup_pct` for `cost`.'),
    overage: z
      .strictObject({
        unit: unitField,
        price: amountField(10_000n, true).describe('USD for one more.').meta({ example: 0.02 }),
      })
      .optional(),
    markup_pct: decimalField({ least: 0n, most: 10_000n, maxFractionalDigits: 6 })
      .optional()
      .describe('Charges the cost plus this percentage.')
      .meta({ example: 20 }),
  })
  .refine(({ overage, markup_pct: markup }) => markup === undefined || overage?.unit !== 'cost', {
    error: 'must be left out: overage charges the cost already',
    path: ['markup_pct'],
    params: { code: 'invalid_value' },
    when: isObject,
  })
  .refine(
    ({ included, overage, markup_pct: markup }) =>
      included?.unit === undefined ||
      included.unit === overage?.unit ||
      (markup !== undefined && included.unit === 'cost'),
    {
      error: 'must be the unit of overage, or cost with markup_pct: nothing else is charged beyond it',
      path: ['included', 'unit'],
      params: { code: 'invalid_value' },
      when: isObject,
    },
  );

export const exampleQuestion = {
  date_from: '2026-07-01',
  date_to: '2026-09-30',
  target_margin_pct: 70,
  plans: [
    {
      name: 'Pro',
      customers: { customer_tags: { plan: 'pro' } },
      base_per_month: 34,
      included: { unit: 'calls' as const, amount: 1_000 },
      overage: { unit: 'calls' as const, price: 0.02 },
    },
  ],
};

/** What a simulation asks; it is saved like this. */
export const questionBody = z
  .strictObject({
    date_from: rangeFields.date_from,
    date_to: rangeFields.date_to,
    plans: uniqueList(planBody, { list: 'plans', nouns: ['plan', 'plans'], most: mostPlans, id: 'name' }),
    target_margin_pct: targetField,
    apply_credits: z.boolean().default(false).describe('Applies free AI credits to costs.'),
    // Optional, so that what is saved without it stays as it was.
    include_shared: z.boolean().optional().describe('Adds shared costs to `cost`, also as a unit.'),
  })
  .meta({ examples: [exampleQuestion] });

export type QuestionBody = z.output<typeof questionBody>;

export const simulateBody = questionBody
  .extend({
    limit: z.number().int().min(1).max(1_000).default(100).describe('Maximum customers of each plan.'),
  })
  .meta({ examples: [exampleQuestion] });

export interface Simulation {
  readonly plans: readonly AskedPlan[];
  readonly target: Decimal | undefined;
  readonly applyCredits: boolean;
  readonly includeShared: boolean;
}

export const parseSimulation = (body: z.output<typeof simulateBody>) => ({
  dateFrom: body.date_from,
  dateTo: body.date_to,
  plans: body.plans.map(toPlan),
  target: body.target_margin_pct === undefined ? undefined : (parseDecimal(body.target_margin_pct) ?? undefined),
  applyCredits: body.apply_credits,
  includeShared: body.include_shared ?? false,
  limit: body.limit,
});

function toPlan(plan: QuestionBody['plans'][number]): AskedPlan {
  const { customer_tags: tags, names } = plan.customers;
  return {
    name: plan.name,
    customers: tags ? { tags } : { names: names ?? [] },
    basePerMonth: plan.base_per_month,
    included: plan.included,
    overage: plan.overage,
    markupPct: plan.markup_pct,
  };
}
