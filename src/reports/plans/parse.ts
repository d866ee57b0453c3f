import { z } from 'zod';
import { decimalField } from '../../lib/decimal-field.ts';
import { formatDecimal } from '../../lib/money.ts';
import { storableText } from '../../lib/tag-map.ts';
import { asOfField, filterField, includeSharedField, pageFields, parsePeriods, rangeFields } from '../asking/body.ts';
import { type MarginQuestion, parseMargin } from '../margin/parse.ts';

/** A margin that plans are measured by. Revenue that reaches 100 % of itself as margin would need calls that cost nothing. */
export const targetField = decimalField({ least: 0n, most: 99n, maxFractionalDigits: 6 })
  .transform((target) => Number(formatDecimal(target)))
  .optional()
  .describe('Percent of revenue to reach; default: `at_risk_below_pct` of the project.');

const planTagField = storableText(128).default('plan').describe('The tag of customers whose values are the plans.');

export const plansBody = z
  .strictObject({
    ...rangeFields,
    plan_tag: planTagField,
    customers: filterField.describe('Only these customers.'),
    filter_customers_based_on_features: filterField.describe(
      "Only customers with a call of one of these features in the row's period.",
    ),
    apply_credits: z.boolean().default(false).describe('Applies free AI credits to costs.'),
    include_shared: includeSharedField,
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
