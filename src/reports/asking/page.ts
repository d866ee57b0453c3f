import type { Project } from '../../accounts/projects.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import { type Day, type Period, toDayNumber } from '../../lib/days.ts';
import type { Dimension } from '../../lib/dimensions.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { Problem } from '../../lib/problem.ts';
import { resolveRange } from '../../lib/range.ts';
import { type CursorPosition, readCursor, spellPosition } from './cursor.ts';
import { isTagGroup, type TagGroup } from './group.ts';
import { type Granularity, joinPeriods, listPeriods } from './periods.ts';

/** The part of a question that determines its pages. */
export interface PagedQuestion {
  readonly dateFrom: Day;
  readonly dateTo: Day | undefined;
  readonly granularity: Granularity;
  /** Whether rows have a value in addition to their period. */
  readonly isGrouped: boolean;
  /** The code of an invalid range: default `invalid_body`. */
  readonly rangeFault?: 'invalid_query';
  /** The identity of the question, to which cursors are bound: the canonical request without page fields (D6.4). */
  readonly identity: unknown;
}

/** A question whose rows can be grouped by a dimension, which then is a field of theirs. */
export interface PeriodQuestion<By extends Dimension | TagGroup = Dimension | TagGroup> extends PagedQuestion {
  readonly groupBy: By | undefined;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface PagePlan {
  readonly identity: unknown;
  readonly limit: number;
  /** The requested range. Run tags are matched over all of it. */
  readonly range: Period;
  /** The periods in which this page can have rows, in order. */
  readonly periods: readonly Period[];
  /** In the first period, only values after this one. */
  readonly afterValue: string | undefined;
  /** Of the only period, only values up to this one. */
  readonly upToValue?: string;
}

/**
 * The range and the periods of a page; as of a close it ends with the close at the latest.
 * @throws Problem `invalid_cursor`, or for an invalid range the code of the question
 */
export function planPage(
  project: Pick<Project, 'timezone'>,
  question: PagedQuestion,
  { limit, cursor }: PageRequest,
  nowMs: number,
  close?: { readonly through: Day },
): PagePlan {
  const { identity, dateFrom, dateTo } = question;
  const after = cursor === undefined ? undefined : readCursor(identity, cursor);
  const isBeyond = (day: Day | undefined) => close && day !== undefined && day > close.through;
  const field = isBeyond(dateTo) ? 'date_to' : isBeyond(dateFrom) ? 'date_from' : undefined;
  if (close && field) throw beyondClose(field, close.through, question.rangeFault);
  const range = resolveRange(
    dateFrom,
    dateTo ?? after?.dateTo ?? close?.through,
    project.timezone,
    nowMs,
    question.rangeFault,
  );
  return { identity, limit, range, ...planPeriods(question, range, after, limit) };
}

function beyondClose(
  field: string,
  through: Day,
  code: PagedQuestion['rangeFault'] | 'invalid_body' = 'invalid_body',
): Problem {
  const message = `must not be after ${through}, the last day of the close that as_of names`;
  return new Problem(code, `${field} ${message}.`, {
    errors: [{ pointer: `/${field}`, code: 'out_of_range', message }],
  });
}

function planPeriods(
  { granularity, isGrouped }: PagedQuestion,
  range: Period,
  after: CursorPosition | undefined,
  limit: number,
): Pick<PagePlan, 'periods' | 'afterValue'> {
  const periods = listPeriods(range, granularity);
  if (!isGrouped) {
    const left = after ? periods.filter(({ dateFrom }) => dateFrom > after.dateFrom) : periods;
    // One extra period shows whether there is a next page.
    return { periods: left.slice(0, limit + 1), afterValue: undefined };
  }
  if (!after) return { periods, afterValue: undefined };
  // A grouped page starts in the period of the previous page's last row.
  return { periods: periods.filter(({ dateFrom }) => dateFrom >= after.dateFrom), afterValue: after.value };
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** A row as the store returns it: the first day of its period as a day number and, if rows are grouped, its value. */
export interface PlacedRecord {
  readonly period: number;
  readonly value?: string;
}

/** A record that always has a value: `''` if rows are not grouped. */
export interface PeriodRecord extends PlacedRecord {
  readonly value: string;
}

/** The order of rows (D6.3). */
export const compareRecords = (a: PlacedRecord, b: PlacedRecord): number =>
  a.period - b.period || compareCodePoints(a.value ?? '', b.value ?? '');

/**
 * Builds a page from its records. These are in order, and at most one more than the page holds. An ungrouped page has a
 * row for every period, even if it is all zeros. A grouped page has a row for every record (D6.2).
 */
export function toPage<Record extends PlacedRecord, Row>(
  plan: PagePlan,
  isGrouped: boolean,
  records: readonly Record[],
  toRow: (period: Period, record: Record | undefined) => Row,
): Page<Row> {
  const placed = isGrouped ? placeGroups(records, plan.periods) : placePeriods(records, plan.periods);
  const { dateTo } = plan.range;
  const page = cutPage(plan.identity, placed, plan.limit, ({ period, record }) =>
    spellPosition({ dateTo, dateFrom: period.dateFrom, value: record?.value ?? '' }),
  );
  return { rows: page.rows.map(({ period, record }) => toRow(period, record)), ...page.end };
}

type RowPlace = { readonly date_from: Day; readonly date_to: Day } & { readonly [D in Dimension | 'tag']?: string };

/** A page whose rows have their days and, where they are grouped, their value before all else. */
export const toPeriodPage = <Record extends PlacedRecord, Measures extends object>(
  plan: PagePlan,
  { groupBy, isGrouped }: PeriodQuestion,
  records: readonly Record[],
  toMeasures: (record: Record | undefined, period: Period) => Measures,
): Page<RowPlace & Measures> =>
  toPage(plan, isGrouped, records, (period, record) => ({
    date_from: period.dateFrom,
    date_to: period.dateTo,
    ...(groupBy && record && { [isTagGroup(groupBy) ? 'tag' : groupBy]: record.value }),
    ...toMeasures(record, period),
  }));

interface Placed<Record> {
  readonly period: Period;
  readonly record: Record | undefined;
}

function placeGroups<Record extends PlacedRecord>(
  records: readonly Record[],
  periods: readonly Period[],
): Placed<Record>[] {
  const byStart = new Map(periods.map((period) => [toDayNumber(period.dateFrom), period]));
  return records.flatMap((record) => {
    const period = byStart.get(record.period);
    return period ? [{ period, record }] : [];
  });
}

function placePeriods<Record extends PlacedRecord>(
  records: readonly Record[],
  periods: readonly Period[],
): Placed<Record>[] {
  const byStart = new Map(records.map((record) => [record.period, record]));
  return periods.map((period) => ({ period, record: byStart.get(toDayNumber(period.dateFrom)) }));
}

/**
 * Joins parts of rows to the records of a page, in order, and one more if there is one. Parts of statements that read
 * other days are complete, as each returns as many first rows as are joined here.
 */
export function joinRecords<Part extends PlacedRecord, Joined extends object>(
  { limit }: Pick<PagePlan, 'limit'>,
  parts: readonly Part[],
  join: (ofRow: readonly [Part, ...Part[]]) => Joined,
): (PlacedRecord & Joined)[] {
  const rows = new Map<string, [Part, ...Part[]]>();
  for (const part of parts) {
    const key = `${part.period} ${part.value ?? ''}`;
    const ofRow = rows.get(key);
    if (ofRow) ofRow.push(part);
    else rows.set(key, [part]);
  }
  return [...rows.values()]
    .sort(([a], [b]) => compareRecords(a, b))
    .slice(0, limit + 1)
    .map((ofRow) => {
      const [{ period, value }] = ofRow;
      return { period, ...(value !== undefined && { value }), ...join(ofRow) };
    });
}

/**
 * Reads the records of a page: those of all its periods at once, or in steps of which each has at most `most` records a
 * period. `read` reads those of a part of the page, whose periods are in `days`.
 */
export async function readRecords<Record extends PlacedRecord>(
  plan: PagePlan,
  { isAtOnce, most }: { readonly isAtOnce: boolean; readonly most: number | undefined },
  read: (part: PagePlan, days: Period) => Promise<readonly Record[]>,
): Promise<readonly Record[]> {
  const readPart = async (part: PagePlan) => {
    const days = joinPeriods(part.periods);
    return days ? await read(part, days) : [];
  };
  return isAtOnce ? await readPart(plan) : await readInSteps(plan, most, readPart);
}

/** How many times as many periods a step reads as the one before it: at least and at most. */
const growth = { least: 4, most: 32 };

/**
 * Reads the records of a page in steps, and one more if there is one, because a period can have many records. Rows are
 * in order of their period. So the first step reads one period, and each further one as many as would fill the page if
 * they had as many records as those before, within `growth`. The cost then depends on the rows of the page, not on the
 * range, and a small project takes two steps.
 *
 * `most` is the largest number of records in a period if it is known, such as the number of a filter's values. The
 * first step then reads as many periods as fit on the page.
 */
export async function readInSteps<Record extends PlacedRecord>(
  plan: PagePlan,
  most: number | undefined,
  read: (part: PagePlan) => Promise<readonly Record[]>,
): Promise<Record[]> {
  const records: Record[] = [];
  let count = most === undefined ? 1 : Math.ceil((plan.limit + 1) / Math.max(most, 1));
  for (let from = 0; from < plan.periods.length && records.length <= plan.limit; ) {
    const part = {
      ...plan,
      periods: plan.periods.slice(from, from + count),
      afterValue: from === 0 ? plan.afterValue : undefined,
      limit: plan.limit - records.length,
    };
    records.push(...(await read(part)));
    from += count;
    const missing = plan.limit + 1 - records.length;
    const wanted = records.length === 0 ? Number.POSITIVE_INFINITY : Math.ceil((missing * from) / records.length);
    count = Math.min(Math.max(wanted, growth.least * count), growth.most * count);
  }
  return records;
}
