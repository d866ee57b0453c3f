import { z } from 'zod';
import type { CellDimension } from '../../rollups/rollups/grains.ts';
import {
  asOfField,
  identifyShared,
  includeSharedField,
  pageFields,
  parsePeriods,
  rangeFields,
} from '../asking/body.ts';
import { type CallFilters, callFilterFields, parseCallFilters, spellCallFilters } from '../asking/call-filters.ts';
import { type CallGroup, callGroupField, dimensionOf, isOfCalls } from '../asking/group.ts';
import type { PeriodQuestion } from '../asking/page.ts';

export const costsBody = z
  .strictObject({
    ...rangeFields,
    group_by: callGroupField.optional(),
    ...callFilterFields,
    apply_credits: z.boolean().default(false).describe('Applies free AI credits to `cost` only.'),
    include_shared: includeSharedField,
    as_of: asOfField,
    ...pageFields,
  })
  .meta({ examples: [{ date_from: '2026-11-01', aggregate: 'month', group_by: 'customer', features: ['chat'] }] });

export interface CostsQuestion extends PeriodQuestion<CallGroup> {
  readonly filters: CallFilters;
  readonly applyCredits: boolean;
  readonly includeShared: boolean;
}

export function parseCosts(route: string, projectId: string, body: z.output<typeof costsBody>): CostsQuestion {
  const filters = parseCallFilters(body);
  const { apply_credits: applyCredits, include_shared: includeShared } = body;
  const own = [spellCallFilters(filters), applyCredits, ...identifyShared(includeShared)];
  return { ...parsePeriods(route, projectId, body, own), filters, applyCredits, includeShared };
}

/** The most rows that a period can have, if a filter limits them; otherwise undefined. */
export function countMost({ groupBy, filters }: CostsQuestion): number | undefined {
  const dimension = dimensionOf(groupBy);
  return dimension && filters.values.get(dimension)?.length;
}

/** Whether only calls can answer: rows of runs have no tags of calls, and cells only some. */
export const needsCalls = ({ groupBy, filters }: CostsQuestion, hasTagCells: boolean): boolean =>
  filters.runTags !== undefined || (isOfCalls(groupBy) && !hasTagCells);

/** The dimensions that a question groups or filters by, of which one can be a tag of the calls. */
export function listDimensions({ groupBy, filters }: CostsQuestion): Set<CellDimension> {
  const dimension = dimensionOf(groupBy);
  return new Set([
    ...(dimension ? [dimension] : []),
    ...(isOfCalls(groupBy) ? (['tag'] as const) : []),
    ...filters.values.keys(),
    ...(filters.customerTags ? (['customer'] as const) : []),
  ]);
}
