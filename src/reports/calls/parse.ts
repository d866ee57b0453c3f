import { z } from 'zod';
import { byName } from '../../lib/by-name.ts';
import { dayField } from '../../lib/day-field.ts';
import { callDimensions } from '../../lib/dimensions.ts';
import { pageFields, rangeFields } from '../asking/body.ts';
import { callFilterFields, parseCallFilters, spellCallFilters } from '../asking/call-filters.ts';
import { groupField } from '../asking/group.ts';
import { wasteCauses } from '../waste/causes.ts';
import { alternativesField } from '../waste/parse.ts';
import { callOrders } from './position.ts';

/** A row of another answer: its days and, if the answer has groups, its value. */
const rowBody = z
  .strictObject({
    date_from: dayField.describe('First day of the row.'),
    date_to: dayField.describe('Last day of the row.'),
    ...byName(callDimensions, () => z.string().optional()),
    group_by: groupField({ dimensions: [], tags: ['tag', 'customer_tag'] })
      .optional()
      .describe('The tag by which the answer is grouped.'),
    tag: z.string().optional().describe('The value of the tag; "" for calls without it.'),
  })
  .refine((row) => (row.group_by === undefined) === (row.tag === undefined), {
    error: 'must be given with group_by, and left out without it',
    path: ['tag'],
    params: { code: 'required' },
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .refine(({ date_from: from, date_to: to }) => from <= to, {
    error: 'must not be after date_to',
    path: ['date_from'],
    params: { code: 'out_of_range' },
  });

export const callsBody = z
  .strictObject({
    date_from: rangeFields.date_from,
    date_to: rangeFields.date_to,
    row: rowBody
      .optional()
      .describe('Only the calls of this row: its days and, if the answer has groups, its value. Default: all calls.'),
    ...callFilterFields,
    event_ids: z
      .array(z.guid({ error: 'must be a UUID' }))
      .min(1)
      .max(1_000)
      .optional()
      .describe('Only the calls with these ids, at most 1,000.'),
    waste: z
      .array(z.enum(wasteCauses))
      .min(1)
      .max(wasteCauses.length)
      .optional()
      .describe(
        'Only the calls that `POST /api/waste/` counts by one of these causes, judged over the dates of the body.',
      ),
    alternatives: alternativesField,
    apply_credits: z.boolean().default(false).describe('Adds `net_cost`: the cost after free AI credits.'),
    order: z
      .enum(callOrders)
      .default('oldest')
      .describe('Which calls come first: by time, by gross cost, by the sum of their tokens, or by duration.'),
    ...pageFields,
  })
  .refine(({ waste, alternatives }) => !waste?.includes('dearer_model') || alternatives !== undefined, {
    error: 'is required with dearer_model: the body of the waste request has them',
    path: ['alternatives'],
    params: { code: 'required' },
  })
  .meta({
    examples: [
      {
        date_from: '2026-11-01',
        date_to: '2026-11-21',
        row: { date_from: '2026-11-20', date_to: '2026-11-20', customer: 'acme' },
      },
    ],
  });

/** The identity includes the project, so a cursor is valid for one project only. */
export function parseCalls(projectId: string, body: z.output<typeof callsBody>) {
  const { date_from: dateFrom, date_to: dateTo, row: asked, apply_credits: applyCredits, order } = body;
  const filters = parseCallFilters(body);
  const eventIds = body.event_ids?.map((id) => id.toLowerCase());
  const row = asked && {
    days: { dateFrom: asked.date_from, dateTo: asked.date_to },
    values: new Map(
      callDimensions.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name]] as const])),
    ),
    tag: asked.group_by === undefined ? undefined : { group: asked.group_by, value: asked.tag ?? '' },
  };
  const waste = body.waste && { causes: body.waste, alternatives: body.alternatives ?? new Map<string, string>() };
  const ofTag = row?.tag ? [row.tag.group, row.tag.value] : [];
  const spelledRow = row && [row.days.dateFrom, row.days.dateTo, [...row.values], ...ofTag];
  return {
    dateFrom,
    dateTo,
    filters,
    row,
    eventIds,
    waste,
    applyCredits,
    order,
    identity: [
      ...['calls', projectId, dateFrom, dateTo, spelledRow, spellCallFilters(filters), applyCredits, order],
      ...(eventIds === undefined ? [] : [eventIds]),
      ...(waste === undefined ? [] : ['waste', waste.causes, [...waste.alternatives]]),
    ],
  };
}

export type CallsQuestion = ReturnType<typeof parseCalls>;
