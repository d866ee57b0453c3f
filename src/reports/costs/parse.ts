import { z } from 'zod';
import { type CallDimension, callDimensions, type Dimension } from '../../lib/dimensions.ts';
import { asOfField, pageFields, parsePeriods, rangeFields } from '../asking/body.ts';
import { type CallFilters, callFilterFields, parseCallFilters, spellCallFilters } from '../asking/call-filters.ts';
import type { PeriodQuestion } from '../asking/page.ts';

export const costsBody = z
  .strictObject({
    ...rangeFields,
    group_by: z.enum(callDimensions).optional().describe('One row per value and period.'),
    ...callFilterFields,
    apply_credits: z.boolean().default(false).describe('Applies free AI credits to `cost` only.'),
    as_of: asOfField,
    ...pageFields,
  })
  .meta({ examples: [{ date_from: '2026-11-01', aggregate: 'month', group_by: 'customer', features: ['chat'] }] });

export interface CostsQuestion extends PeriodQuestion<CallDimension> {
  readonly filters: CallFilters;
  readonly applyCredits: boolean;
}

export function parseCosts(route: string, projectId: string, body: z.output<typeof costsBody>): CostsQuestion {
  const filters = parseCallFilters(body);
  const { apply_credits: applyCredits } = body;
  const own = [spellCallFilters(filters), applyCredits];
  return { ...parsePeriods(route, projectId, body, own), filters, applyCredits };
}

/** The most rows that a period can have, if a filter limits them; otherwise undefined. */
export const countMost = ({ groupBy, filters }: CostsQuestion): number | undefined =>
  groupBy && filters.values.get(groupBy)?.length;

/** The dimensions that a question groups or filters by. */
export function listDimensions({ groupBy, filters }: CostsQuestion): Set<Dimension> {
  return new Set([
    ...(groupBy ? [groupBy] : []),
    ...filters.values.keys(),
    ...(filters.customerTags ? (['customer'] as const) : []),
  ]);
}
