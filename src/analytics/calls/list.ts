import { Temporal } from 'temporal-polyfill';
import { readGenerations } from '../../calls/generations.ts';
import type { Day } from '../../lib/days.ts';
import { type Fault, Problem } from '../../lib/problem.ts';
import { resolveRange } from '../../lib/range.ts';
import type { Project } from '../../projects/projects.ts';
import { onPageDays, whereCalls } from '../call-filters.ts';
import { readCostBasis } from '../cost-basis.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Period } from '../periods.ts';
import type { AnalyticsSources } from '../sources.ts';
import { all, oneOf } from '../where.ts';
import { toCall } from './call.ts';
import type { CallsQuestion } from './parse.ts';
import { afterCall, type CallPosition, readCallCursor, writeCallCursor } from './position.ts';
import { type PlacedKey, readCallKeys, readCallsByKey } from './sql.ts';

/** What a page of calls must read. */
export interface CallsPlan {
  /** The range over which the filters are judged. */
  readonly range: Period;
  /** The days that calls of this page can be on. */
  readonly days: Period;
  readonly after: CallPosition | undefined;
  readonly limit: number;
}

/**
 * Says what to read for a page of the calls behind a row.
 * @throws Problem `invalid_cursor`, or `invalid_body` for a range that can't be asked for or a row outside of it
 */
export function planCalls(
  project: Project,
  { identity, dateFrom, dateTo, row }: CallsQuestion,
  { limit, cursor }: PageRequest,
  nowMs: number,
): CallsPlan {
  const going = cursor === undefined ? undefined : readCallCursor(identity, cursor);
  const range = resolveRange(dateFrom, dateTo ?? going?.dateTo, project.timezone, nowMs);
  const days = row?.days ?? range;
  refuseDaysOutside(range, days);
  const after = going?.position;
  const firstDay = after && after.day > days.dateFrom ? after.day : days.dateFrom;
  return { range, days: { dateFrom: firstDay, dateTo: days.dateTo }, after, limit };
}

function refuseDaysOutside(range: Period, days: Period): void {
  const errors: Fault[] = [];
  const fault = (name: string, message: string) =>
    errors.push({ pointer: `/row/${name}`, code: 'out_of_range', message });
  if (days.dateFrom < range.dateFrom) fault('date_from', `must not be before date_from, ${range.dateFrom}`);
  if (days.dateTo > range.dateTo) fault('date_to', `must not be after date_to, ${range.dateTo}`);
  if (errors.length === 0) return;
  throw new Problem('invalid_body', 'The row must lie in the range: send the body that the row was answered to.', {
    errors,
  });
}

/** Answers a page as it was planned: the calls of the row, whose costs add up to the row's. */
export async function listCalls(
  project: Project,
  { identity, filters, row, applyCredits }: CallsQuestion,
  plan: CallsPlan,
  sources: AnalyticsSources,
): Promise<Page<ReturnType<typeof toCall>>> {
  const { store, control } = sources;
  const { range, after, limit } = plan;
  const generations = await readGenerations(control, project.id);
  const selected = all([
    await whereCalls(control, project.id, { range, days: plan.days, generations, filters }),
    ...[...(row?.values ?? [])].map(([dimension, value]) => oneOf(dimension, [value], `row_${dimension}`)),
    afterCall(after),
  ]);
  // Run tags are judged over the whole range by each statement, so one statement reads all days.
  const windows = filters.runTags ? [plan.days] : growingWindows(plan.days);
  const keys: PlacedKey[] = [];
  for (const days of windows) {
    const where = all([selected, onPageDays([days])]);
    // One more than the page holds tells whether there is another page.
    keys.push(...(await readCallKeys(store, where, limit + 1 - keys.length)));
    if (keys.length > limit) break;
  }
  const page = cutPage(keys, { identity, dateTo: range.dateTo, limit });
  const [first, last] = [page.keys[0], page.keys.at(-1)];
  if (!first || !last) return { rows: [], ...page.end };
  const period = { dateFrom: first.day, dateTo: last.day };
  const basis = await readCostBasis(sources, project, { generations, period, applyCredits });
  const records = await readCallsByKey(store, project.id, page.keys, basis);
  return { rows: records.map((record) => toCall(record, { withNetCost: applyCredits })), ...page.end };
}

/** The keys of a page and how it ends, out of keys which may be one more than the page holds. */
export function cutPage(
  keys: readonly PlacedKey[],
  { identity, dateTo, limit }: { readonly identity: unknown; readonly dateTo: Day; readonly limit: number },
) {
  const page = keys.slice(0, limit);
  const last = page.at(-1);
  const hasMore = keys.length > limit && last !== undefined;
  return {
    keys: page,
    end: { next_cursor: hasMore ? writeCallCursor(identity, dateTo, last) : null, has_more: hasMore },
  };
}

/** How many days the first statement of a page reads, and how many times more each one after it does. */
const firstWindowDays = 1;
const windowGrowth = 4;

/** The days in windows that grow: a page out of years costs what its own days cost, and empty years few statements. */
function* growingWindows({ dateFrom, dateTo }: Period): Generator<Period> {
  let days = firstWindowDays;
  let from = Temporal.PlainDate.from(dateFrom);
  while (from.toString() <= dateTo) {
    const next = from.add({ days });
    const end = next.subtract({ days: 1 }).toString();
    yield { dateFrom: from.toString(), dateTo: end < dateTo ? end : dateTo };
    from = next;
    days *= windowGrowth;
  }
}
