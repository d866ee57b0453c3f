import { z } from 'zod';
import { decimalField } from '../../lib/decimal-field.ts';
import { formatDecimal } from '../../lib/money.ts';
import { storableText } from '../../lib/tag-map.ts';
import { asOfField, filterField, pageFields, parsePeriods, rangeFields } from '../asking/body.ts';
import { type MarginQuestion, parseMargin } from '../margin/parse.ts';

/** A margin that plans are measured by. Revenue that reaches 100 % of itself as margin would need calls that cost nothing. */
export const targetField = decimalField({ least: 0n, most: 99n, maxFractionalDigits: 6 })
  .transform((target) => Number(formatDecimal(target)))
  .optional()
  .describe("The margin to reach, in percent of revenue; default: the project's `at_risk_below_pct`.");

export const planTagField = storableText(128)
  .default('plan')
  .describe('The tag of customers whose values are the plans. Customers without it are the plan "".');

export const plansBody = z
  .strictObject({
    ...rangeFields,
    plan_tag: planTagField,
    customers: filterField.describe('Restricts to these customers.'),
    filter_customers_based_on_features: filterField.describe(
      "Keeps only customers with a call in the row's period that carries one of these feature tags.",
    ),
    apply_credits: z.boolean().default(false).describe('Applies free AI credits to costs.'),
    target_margin_pct: targetField,
    as_of: asOfField,
    ...pageFields,
  })
  .meta({ examples: [{ date_from: '2026-10-01', aggregate: 'month', target_margin_pct: 70 }] });

export interface PlansQuestion extends MarginQuestion {
  readonly planTag: string;
  /** Percent of the revenue; undefined for that of the project. */
  readonly targetPct: number | undefined;
}

export function parsePlans(projectId: string, body: z.output<typeof plansBody>): PlansQuestion {
  const { plan_tag: planTag, target_margin_pct: targetPct, limit: _limit, cursor: _cursor, ...rest } = body;
  const ofCustomers = parseMargin(projectId, { ...rest, group_by: 'customer', limit: body.limit });
  const own = [ofCustomers.identity, planTag, targetPct];
  return {
    ...ofCustomers,
    ...parsePeriods('plans', projectId, { ...body, group_by: 'customer' }, own),
    planTag,
    targetPct,
  };
}
