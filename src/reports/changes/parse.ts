import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { dayField } from '../../lib/day-field.ts';
import { addDays, type Day, type Period, toDayNumber } from '../../lib/days.ts';
import { Problem } from '../../lib/problem.ts';
import { findRangeFault } from '../../lib/range.ts';
import { type CallFilters, callFilterFields, parseCallFilters } from '../asking/call-filters.ts';
import { groupField, type TagGroup } from '../asking/group.ts';

export const changesBody = z
  .strictObject({
    date_from: dayField.describe('First day of the range, inclusive, in the timezone of the project.'),
    date_to: dayField.describe('Last day of the range, inclusive.'),
    before_from: dayField.optional().describe('First day to compare with; default: for as many days.'),
    before_to: dayField.optional().describe('Last day to compare with; default: the day before `date_from`.'),
    group_by: groupField({ dimensions: [], tags: ['tag', 'customer_tag'] })
      .optional()
      .describe('Adds `by_tag`: by a tag of calls (`tag:env`), or of customers (`customer_tag:plan`).'),
    ...callFilterFields,
    apply_credits: z.boolean().default(false).describe('Compares costs after free AI credits.'),
    limit: z.number().int().min(1).max(1_000).default(20).describe('Maximum number of rows in a list.'),
  })
  .meta({ examples: [{ date_from: '2026-11-01', date_to: '2026-11-30', features: ['chat'], limit: 10 }] });

export interface ComparedRanges {
  readonly before: Period;
  readonly now: Period;
}

export interface ChangesQuestion {
  readonly ranges: ComparedRanges;
  /** A tag by whose values changes are listed too. */
  readonly groupBy: TagGroup<'tag' | 'customer_tag'> | undefined;
  readonly filters: CallFilters;
  readonly applyCredits: boolean;
  /** Of the last day of each range, only calls in this many of its first hours; all of them without it. */
  readonly hours?: number;
  readonly limit: number;
}

type ChangesBody = z.output<typeof changesBody>;

/** @throws Problem `invalid_body`, naming every fault of both ranges */
export function parseChanges(body: ChangesBody): ChangesQuestion {
  const ranges = resolveRanges(body);
  const faultOfBefore = findRangeFault(ranges.before, { from: 'before_from', to: 'before_to' });
  // The default range before has the same length, so its faults would only repeat those of the range.
  const faults = [findRangeFault(ranges.now), body.before_from === undefined ? undefined : faultOfBefore].filter(
    (fault) => fault !== undefined,
  );
  if (faults.length > 0) {
    const all = faults.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; ');
    throw new Problem('invalid_body', `${all}. Correct the days and ask again.`, { errors: faults });
  }
  const { group_by: groupBy, apply_credits: applyCredits, limit } = body;
  return { ranges, groupBy, filters: parseCallFilters(body), applyCredits, limit };
}

function resolveRanges(body: ChangesBody): ComparedRanges {
  const now = { dateFrom: body.date_from, dateTo: body.date_to };
  const dateTo = body.before_to ?? addDays(now.dateFrom, -1);
  return { now, before: { dateFrom: body.before_from ?? asLongBefore(now, dateTo), dateTo } };
}

/** Of a longer range the rest of its last day is a small part. */
const mostRunningDays = 7;

/** The same question of the hours of a range that are over, if its last day is running and the one before is not. */
export function sameHours(question: ChangesQuestion, timezone: string, nowMs: number): ChangesQuestion {
  const { before, now } = question.ranges;
  const clock = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone);
  const isRunning = now.dateTo === clock.toPlainDate().toString() && before.dateTo < now.dateTo;
  const days = toDayNumber(now.dateTo) - toDayNumber(now.dateFrom) + 1;
  return isRunning && days <= mostRunningDays ? { ...question, hours: Math.max(clock.hour, 1) } : question;
}

/** The first day of a range of the same length that ends with `last`. */
const asLongBefore = ({ dateFrom, dateTo }: Period, last: Day): Day =>
  addDays(last, toDayNumber(dateFrom) - toDayNumber(dateTo));
