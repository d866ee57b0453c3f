import { compareCodePoints } from '../lib/code-points.ts';
import { type Day, toDayNumber } from '../lib/days.ts';
import { resolveRange } from '../lib/range.ts';
import type { Project } from '../projects/projects.ts';
import { type CursorPosition, readCursor, writeCursor } from './cursor.ts';
import { type Granularity, listPeriods, type Period } from './periods.ts';

/** What of a question decides its pages. */
export interface PagedQuestion {
  readonly dateFrom: Day;
  readonly dateTo: Day | undefined;
  readonly granularity: Granularity;
  /** Whether rows have a value beside their period. */
  readonly isGrouped: boolean;
  /** The question as cursors are bound to it: everything but `limit` and `cursor`, in one spelling (D6.4). */
  readonly identity: unknown;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** What a page must read. */
export interface PagePlan {
  readonly identity: unknown;
  readonly limit: number;
  /** The range asked for: runs are judged by their tags over all of it. */
  readonly range: Period;
  /** The periods that rows of this page can be of, in order. */
  readonly periods: readonly Period[];
  /** In the first of these periods, only values after this one. */
  readonly afterValue: string | undefined;
}

/**
 * Says what to read for a page: which range, and which periods the page begins and can end with.
 * @throws Problem `invalid_cursor`, or `invalid_body` for a range that can't be asked for
 */
export function planPage(
  project: Project,
  question: PagedQuestion,
  { limit, cursor }: PageRequest,
  nowMs: number,
): PagePlan {
  const { identity, dateFrom, dateTo } = question;
  const after = cursor === undefined ? undefined : readCursor(identity, cursor);
  const range = resolveRange(dateFrom, dateTo ?? after?.dateTo, project.timezone, nowMs);
  return { identity, limit, range, ...planPeriods(question, range, after, limit) };
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
    // One more than the page holds tells whether there is another page.
    return { periods: left.slice(0, limit + 1), afterValue: undefined };
  }
  if (!after) return { periods, afterValue: undefined };
  // A grouped page begins in the period of the row before.
  return { periods: periods.filter(({ dateFrom }) => dateFrom >= after.dateFrom), afterValue: after.value };
}

/** A page of section 2.5. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** A row of the store: the number of its period's first day, and its value unless the question has no groups. */
export interface PlacedRecord {
  readonly period: number;
  readonly value?: string;
}

/** One whose value is `''` when the question has no groups. */
export interface PeriodRecord extends PlacedRecord {
  readonly value: string;
}

/** The order of rows (D6.3). */
export const compareRecords = (a: PeriodRecord, b: PeriodRecord): number =>
  a.period - b.period || compareCodePoints(a.value, b.value);

/**
 * The page out of its records, which are in order and may be one more than the page holds. Ungrouped, it has a row for
 * every period, zeros included; grouped, one for every record (D6.2).
 */
export function toPage<Record extends PlacedRecord, Row>(
  plan: PagePlan,
  isGrouped: boolean,
  records: readonly Record[],
  toRow: (period: Period, record: Record | undefined) => Row,
): Page<Row> {
  const placed = isGrouped ? placeGroups(records, plan.periods) : placePeriods(records, plan.periods);
  const page = placed.slice(0, plan.limit);
  const last = page.at(-1);
  const hasMore = placed.length > plan.limit && last !== undefined;
  return {
    rows: page.map(({ period, record }) => toRow(period, record)),
    next_cursor: hasMore
      ? writeCursor(plan.identity, {
          dateTo: plan.range.dateTo,
          dateFrom: last.period.dateFrom,
          value: last.record?.value ?? '',
        })
      : null,
    has_more: hasMore,
  };
}

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
 * Reads the records of a page at once, and one more if there is one. The first `settled` periods are read apart from the others,
 * side by side: what is read of them is the same the next time.
 */
export async function readAtOnce<Record extends PlacedRecord>(
  plan: PagePlan,
  settled: number,
  read: (part: PagePlan) => Promise<readonly Record[]>,
): Promise<Record[]> {
  const parts = [
    { ...plan, periods: plan.periods.slice(0, settled) },
    { ...plan, periods: plan.periods.slice(settled), ...(settled > 0 && { afterValue: undefined }) },
  ];
  return (await Promise.all(parts.filter(({ periods }) => periods.length > 0).map(read))).flat();
}

/**
 * Reads the records of a page, and one more if there is one; in steps, where a period may have many. Rows are in order of
 * their period, so they are looked for in the first period, then in the next four, and so on until the page is full: a page
 * costs what its own rows cost, not what its range does. Where it is known how many a period has at most, as of a filter's
 * values, the first step takes as many periods as a page has room for.
 */
export async function pullRecords<Record extends PlacedRecord>(
  plan: PagePlan,
  most: number | undefined,
  read: (part: PagePlan) => Promise<readonly Record[]>,
): Promise<Record[]> {
  const records: Record[] = [];
  let count = most === undefined ? 1 : Math.ceil((plan.limit + 1) / Math.max(most, 1));
  for (let from = 0; from < plan.periods.length && records.length <= plan.limit; from += count, count *= 4) {
    const part = {
      ...plan,
      periods: plan.periods.slice(from, from + count),
      afterValue: from === 0 ? plan.afterValue : undefined,
      limit: plan.limit - records.length,
    };
    records.push(...(await read(part)));
  }
  return records;
}
