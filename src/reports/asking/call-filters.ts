import type { z } from 'zod';
import type { Generations } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import type { Period } from '../../lib/days.ts';
import { byPlural, callDimensions, type Dimension, dimensions } from '../../lib/dimensions.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { Facts } from '../facts/facts.ts';
import { filterField, type TagFilter, tagFilterField } from './body.ts';
import { all, ofTagged, ofTaggedRuns, oneOf, type ValuesFilter } from './where.ts';

/** The filters that select calls: AND between them, OR within one (D6.6). */
export const callFilterFields = {
  ...byPlural(callDimensions, (name) => filterField.describe(`Only these ${dimensions[name].values}.`)),
  customer_tags: tagFilterField.describe('Only customers with these tags now; "" for those without the tag.'),
  run_tags: tagFilterField.describe('Only runs with these tags, with all their calls.'),
};

export interface CallFilters {
  /** Values by dimension: only calls with one of the values. */
  readonly values: ReadonlyMap<Dimension, readonly string[]>;
  readonly customerTags: TagFilter | undefined;
  readonly runTags: TagFilter | undefined;
}

type FilterBody = z.output<z.ZodObject<typeof callFilterFields>>;

export function parseCallFilters(body: FilterBody): CallFilters {
  const values = callDimensions.flatMap((name) => {
    const asked = body[dimensions[name].plural];
    return asked ? [[name, asked] as const] : [];
  });
  return { values: new Map(values), customerTags: body.customer_tags, runTags: body.run_tags };
}

/** The canonical form of the filters, for the identity to which cursors are bound (D6.4). */
export const spellCallFilters = ({ values, customerTags, runTags }: CallFilters): unknown => [
  [...values],
  spellTags(customerTags),
  spellTags(runTags),
];

/** The canonical form of a tag filter: sorted by key, because the order of keys has no meaning. */
export const spellTags = (tags: TagFilter | undefined): unknown =>
  tags && [...tags].sort(([a], [b]) => (a < b ? -1 : 1));

interface CallsWanted {
  readonly range: Period;
  /** The days of the range to read; default: all. */
  readonly days?: Period;
  readonly generations: Generations;
  readonly filters: CallFilters;
}

/** Run tags are matched over the whole range. @throws Problem `beyond_retention` when it needs deleted calls */
export async function whereCalls(
  facts: Facts,
  { range, days = range, generations, filters }: CallsWanted,
): Promise<Clause> {
  requireCalls(generations, filters.runTags ? range : days);
  const wholeRange = callsOf(facts.projectId, range, generations);
  return all([
    wholeRange,
    ...(await readCellFilters(facts, filters)),
    ...(filters.runTags ? [ofTaggedRuns(wholeRange, filters.runTags)] : []),
  ]);
}

/** The filters on dimensions, which apply to cells as well as to calls. */
export async function readCellFilters(facts: Facts, { values, customerTags }: CallFilters): Promise<ValuesFilter[]> {
  return [
    ...[...values].map(([dimension, names]) => oneOf(dimension, names)),
    ...(customerTags ? await ofTagged(facts, 'customer', customerTags) : []),
  ];
}

/** Restricts to the days of a page's periods, so that a page of a long range reads only its own days. */
export const onPageDays = (periods: readonly Period[]): Clause => ({
  sql: 'day >= {page_from:Date} AND day <= {page_to:Date}',
  parameters: { page_from: periods[0]?.dateFrom, page_to: periods.at(-1)?.dateTo },
});
