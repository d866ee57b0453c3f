import { z } from 'zod';
import { dayField } from '../../lib/day-field.ts';
import type { Day } from '../../lib/days.ts';
import type { Dimension } from '../../lib/dimensions.ts';
import { limitField } from '../../lib/http/page-envelope.ts';
import { mapOf } from '../../lib/tag-map.ts';
import type { TagGroup } from './group.ts';
import type { PeriodQuestion } from './page.ts';
import { type Granularity, granularities } from './periods.ts';

/** Body fields that questions share, with the limits of D6.5. */

const maxFilterValues = 10_000;

interface FilterLimits<Key extends z.ZodType<string>, Value extends z.ZodType<string>> {
  readonly key: Key;
  readonly value: Value;
  /** The most values of the whole filter. */
  readonly most: number;
}

export const filterValuesOf = <Value extends z.ZodType<string>>({ value, most }: { value: Value; most: number }) =>
  z
    .array(value)
    .min(1, { error: 'must not be empty: leave it out for all' })
    .max(most, { error: `must have at most ${most} values` });

/** A tag filter with these limits: AND across keys, OR within the values of one key. */
export const tagFilterOf = <Key extends z.ZodType<string>, Value extends z.ZodType<string>>(
  { key, value, most }: FilterLimits<Key, Value>,
  example: TagFilterExample,
) =>
  mapOf(
    key,
    z.preprocess((values) => (typeof values === 'string' ? [values] : values), filterValuesOf({ value, most })),
    {
      type: 'object',
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
      example,
    },
  )
    .refine((tags) => !(tags instanceof Map) || tags.size > 0, {
      error: 'must not be empty: leave it out for all',
      params: { code: 'empty' },
    })
    .refine((tags) => !(tags instanceof Map) || [...tags.values()].flat().length <= most, {
      error: `must have at most ${most} values`,
      params: { code: 'too_many' },
    })
    .optional();

type TagFilterExample = Readonly<Record<string, readonly string[]>>;

/** Restricts to the given values: OR within a filter, AND between filters (D6.6). */
export const filterField = filterValuesOf({ value: z.string(), most: maxFilterValues }).optional();

export const tagFilterField = tagFilterOf(
  {
    key: z.string().min(1, { error: 'a tag key must not be empty' }),
    value: z.string(),
    most: maxFilterValues,
  },
  { plan: ['pro', 'team'] },
);

export type TagFilter = ReadonlyMap<string, readonly string[]>;

export const rangeFields = {
  date_from: dayField.describe('First day, in the timezone of the project.'),
  date_to: dayField.optional().describe('Last day, inclusive; default: today.'),
  aggregate: z.enum(granularities).default('day').describe('One row per period; `all` is the whole range.'),
};

export const pageFields = {
  limit: limitField(z.number().int().min(1).max(1_000)),
  cursor: z.string().max(16_384).optional().describe('`next_cursor` of the previous page.'),
};

/** The close that an answer is as of (D19.1). */
export const asOfField = z
  .string()
  // PostgreSQL refuses a NUL.
  .regex(/^[\x21-\x7e]{1,100}$/, { error: 'must be the id of a close of this project' })
  .optional()
  .describe('The id of a close: answers as of then.');

/** The part of a question's identity that names its close. It is empty without a close, so older cursors stay valid. */
export const identifyClose = (asOf: string | undefined): readonly string[] => (asOf === undefined ? [] : [asOf]);

/** Whether answers include costs that do not depend on calls (D31.2). */
export const includeSharedField = z.boolean().default(false).describe('Adds shared costs to `cost`.');

/** The part of a question's identity that says so. It is empty without, so older cursors stay valid. */
export const identifyShared = (includeShared: boolean): readonly string[] => (includeShared ? ['include_shared'] : []);

interface PeriodBody<By extends Dimension | TagGroup> {
  readonly date_from: Day;
  readonly date_to?: Day | undefined;
  readonly aggregate: Granularity;
  readonly group_by?: By | undefined;
  readonly as_of?: string | undefined;
}

/** What questions by period share. Cursors are bound to the identity, with `own`: what else the body asks for. */
export const parsePeriods = <By extends Dimension | TagGroup>(
  route: string,
  projectId: string,
  { date_from: dateFrom, date_to: dateTo, aggregate: granularity, group_by: groupBy, as_of: asOf }: PeriodBody<By>,
  own: readonly unknown[],
): PeriodQuestion<By> => ({
  dateFrom,
  dateTo,
  granularity,
  groupBy,
  isGrouped: groupBy !== undefined,
  identity: [route, projectId, dateFrom, dateTo, granularity, groupBy, ...own, ...identifyClose(asOf)],
});
