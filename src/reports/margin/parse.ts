import { z } from 'zod';
import {
  asOfField,
  filterField,
  identifyShared,
  includeSharedField,
  pageFields,
  parsePeriods,
  rangeFields,
} from '../asking/body.ts';
import { groupField, type TagGroup } from '../asking/group.ts';
import type { PeriodQuestion } from '../asking/page.ts';

export const marginBody = z
  .strictObject({
    ...rangeFields,
    group_by: groupField({ dimensions: ['customer'], tags: ['customer_tag'] }).optional(),
    customers: filterField.describe('Only these customers.'),
    filter_customers_based_on_features: filterField.describe(
      "Keeps only customers with a call of one of these features in the row's period, with all their cost and revenue.",
    ),
    apply_credits: z.boolean().default(false).describe('Applies free AI credits to `cost`.'),
    include_shared: includeSharedField,
    as_of: asOfField,
    ...pageFields,
  })
  .meta({ examples: [{ date_from: '2026-11-01', aggregate: 'month', group_by: 'customer' }] });

export interface MarginQuestion extends PeriodQuestion<'customer' | TagGroup<'customer_tag'>> {
  readonly customers: readonly string[] | undefined;
  /** Only customers that used one of these in the row's period (D8.5). */
  readonly usedFeatures: readonly string[] | undefined;
  readonly applyCredits: boolean;
  readonly includeShared: boolean;
}

export function parseMargin(projectId: string, body: z.output<typeof marginBody>): MarginQuestion {
  const { customers, filter_customers_based_on_features: usedFeatures, apply_credits: applyCredits } = body;
  const { include_shared: includeShared } = body;
  const own = [customers, usedFeatures, applyCredits, ...identifyShared(includeShared)];
  return { ...parsePeriods('margin', projectId, body, own), customers, usedFeatures, applyCredits, includeShared };
}
