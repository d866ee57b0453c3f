import { z } from 'zod';
import type { Day } from '../../lib/days.ts';
import { filterField, pageFields, rangeFields, type TagFilter, tagFilterField } from '../body.ts';
import type { Granularity } from '../periods.ts';
import type { Dimension } from '../where.ts';

/** The body of `POST /api/costs/` (section 4.2). */
export const costsBody = z.strictObject({
  ...rangeFields,
  group_by: z.enum(['customer', 'feature', 'model', 'provider']).optional(),
  customers: filterField,
  features: filterField,
  models: filterField,
  providers: filterField,
  customer_tags: tagFilterField,
  run_tags: tagFilterField,
  apply_credits: z.boolean().default(false).describe('Applies free AI credits to `cost` only.'),
  ...pageFields,
});

/** What is asked, in domain types: nothing below validates again. */
export interface CostsQuestion {
  readonly dateFrom: Day;
  readonly dateTo: Day | undefined;
  readonly granularity: Granularity;
  readonly groupBy: Dimension | undefined;
  /** Values by dimension: only calls with one of them. */
  readonly filters: ReadonlyMap<Dimension, readonly string[]>;
  readonly customerTags: TagFilter | undefined;
  readonly runTags: TagFilter | undefined;
  readonly applyCredits: boolean;
}

export function parseCosts(body: z.output<typeof costsBody>): CostsQuestion {
  const filters = new Map<Dimension, readonly string[]>();
  for (const [dimension, values] of [
    ['customer', body.customers],
    ['feature', body.features],
    ['model', body.models],
    ['provider', body.providers],
  ] as const) {
    if (values) filters.set(dimension, values);
  }
  return {
    dateFrom: body.date_from,
    dateTo: body.date_to,
    granularity: body.aggregate,
    groupBy: body.group_by,
    filters,
    customerTags: body.customer_tags,
    runTags: body.run_tags,
    applyCredits: body.apply_credits,
  };
}

/** The question as a cursor is bound to it: everything but `limit` and `cursor`, in one spelling. */
export const toIdentity = (projectId: string, question: CostsQuestion): unknown => [
  'costs',
  projectId,
  {
    ...question,
    filters: [...question.filters],
    customerTags: spell(question.customerTags),
    runTags: spell(question.runTags),
  },
];

const spell = (tags: TagFilter | undefined) => tags && [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
