import { z } from 'zod';
import type { Day } from '../../lib/days.ts';
import type { CellDimension } from '../../rollups/rollups/grains.ts';
import { asOfField, identifyClose, pageFields, rangeFields } from '../asking/body.ts';
import { type CallFilters, callFilterFields, parseCallFilters, spellCallFilters } from '../asking/call-filters.ts';
import type { PagedQuestion } from '../asking/page.ts';
import type { Granularity } from '../asking/periods.ts';
import type { Dimension } from '../asking/where.ts';

/** The body of `POST /api/costs/` (section 4.2). */
export const costsBody = z
  .strictObject({
    ...rangeFields,
    group_by: z.enum(['customer', 'feature', 'model', 'provider']).optional().describe('One row per value and period.'),
    ...callFilterFields,
    apply_credits: z.boolean().default(false).describe('Applies free AI credits to `cost` only.'),
    as_of: asOfField,
    ...pageFields,
  })
  .meta({ examples: [{ date_from: '2026-11-01', aggregate: 'month', group_by: 'customer', features: ['chat'] }] });

/** The validated request, as domain types. */
export interface CostsQuestion extends PagedQuestion {
  readonly dateFrom: Day;
  readonly dateTo: Day | undefined;
  readonly granularity: Granularity;
  readonly groupBy: Dimension | undefined;
  readonly filters: CallFilters;
  readonly applyCredits: boolean;
}

/** The identity includes `route` and the project, so a cursor is valid only for the same ones. */
export function parseCosts(route: string, projectId: string, body: z.output<typeof costsBody>): CostsQuestion {
  const filters = parseCallFilters(body);
  const { date_from: dateFrom, date_to: dateTo, aggregate, group_by: groupBy, apply_credits: applyCredits } = body;
  return {
    dateFrom,
    dateTo,
    granularity: aggregate,
    groupBy,
    isGrouped: groupBy !== undefined,
    filters,
    applyCredits,
    identity: [
      route,
      projectId,
      dateFrom,
      dateTo,
      aggregate,
      groupBy,
      spellCallFilters(filters),
      applyCredits,
      ...identifyClose(body.as_of),
    ],
  };
}

/** The most rows that a period can have, if a filter limits them; otherwise undefined. */
export const countMost = ({ groupBy, filters }: CostsQuestion): number | undefined =>
  groupBy && filters.values.get(groupBy)?.length;

/** The dimensions that a question groups or filters by. */
export function listDimensions({ groupBy, filters }: CostsQuestion): Set<CellDimension> {
  return new Set([
    ...(groupBy ? [groupBy] : []),
    ...filters.values.keys(),
    ...(filters.customerTags ? (['customer'] as const) : []),
  ]);
}
