import type { Project } from '../../accounts/projects.ts';
import { addDays, type Day, earlierOf, laterOf, type Period, toDayNumber } from '../../lib/days.ts';
import { cutPage } from '../../lib/http/page-envelope.ts';
import { type Fault, Problem } from '../../lib/problem.ts';
import { resolveRange } from '../../lib/range.ts';
import { type Clause, joinParameters, setOf } from '../../storage/analytic/clause.ts';
import { onPageDays, whereCalls } from '../asking/call-filters.ts';
import { readCostBasis } from '../asking/cost-basis.ts';
import { type TagGroup, valueOfGroup } from '../asking/group.ts';
import type { Page, PageRequest } from '../asking/page.ts';
import { all, oneOf } from '../asking/where.ts';
import { readNow } from '../facts/as-of.ts';
import type { Facts } from '../facts/facts.ts';
import { type WasteSources, whereWasted } from '../waste/run.ts';
import { toCall } from './call.ts';
import type { CallsQuestion } from './parse.ts';
import { afterCall, amountOf, type CallOrder, type CallPosition, readCallCursor, spellCall } from './position.ts';
import { type PlacedKey, readCallKeys, readCallsByKey } from './sql.ts';

export interface CallsPlan {
  /** The range over which filters are evaluated. */
  readonly range: Period;
  readonly days: Period;
  readonly after: CallPosition | undefined;
  readonly limit: number;
}

/** What to read for a page of calls. @throws Problem `invalid_cursor`, `invalid_body` for an invalid range or row */
export function planCalls(
  project: Project,
  { identity, dateFrom, dateTo, row, order }: CallsQuestion,
  { limit, cursor }: PageRequest,
  nowMs: number,
): CallsPlan {
  const going = cursor === undefined ? undefined : readCallCursor(identity, cursor);
  const range = resolveRange(dateFrom, dateTo ?? going?.dateTo, project.timezone, nowMs);
  const days = row?.days ?? range;
  refuseDaysOutside(range, days);
  const after = going?.position;
  return { range, days: after ? cutAt(days, after.day, order) : days, after, limit };
}

/** The days that can have calls after a call of this day. */
function cutAt({ dateFrom, dateTo }: Period, day: Day, order: CallOrder): Period {
  if (amountOf(order) !== undefined) return { dateFrom, dateTo };
  if (order === 'newest') return { dateFrom, dateTo: earlierOf(day, dateTo) };
  return { dateFrom: laterOf(day, dateFrom), dateTo };
}

function refuseDaysOutside(range: Period, days: Period): void {
  const errors: Fault[] = [];
  const fault = (name: string, message: string) =>
    errors.push({ pointer: `/row/${name}`, code: 'out_of_range', message });
  if (days.dateFrom < range.dateFrom) fault('date_from', `must not be before date_from, ${range.dateFrom}`);
  if (days.dateTo > range.dateTo) fault('date_to', `must not be after date_to, ${range.dateTo}`);
  if (errors.length === 0) return;
  const detail = 'The row must be within the range: send the body of the request that returned the row.';
  throw new Problem('invalid_body', detail, { errors });
}

/** Reads a page as planned. The costs of all calls of a row add up to the cost of the row. */
export async function listCalls(
  project: Project,
  { identity, filters, row, eventIds, waste, applyCredits, order }: CallsQuestion,
  plan: CallsPlan,
  sources: WasteSources,
): Promise<Page<ReturnType<typeof toCall>>> {
  const { store, control } = sources;
  const { range, after, limit } = plan;
  const asOf = await readNow(control, project);
  const { generations, facts } = asOf;
  const selected = all([
    await whereCalls(facts, { range, days: plan.days, generations, filters }),
    ...[...(row?.values ?? [])].map(([dimension, value]) => oneOf(dimension, [value], `row_${dimension}`)),
    ...(row?.tag ? [await ofGroup(facts, row.tag)] : []),
    ...(eventIds === undefined ? [] : [ofIds(eventIds)]),
    ...(waste === undefined ? [] : [await whereWasted(asOf, { range, ...waste }, sources)]),
    afterCall(after, order),
  ]);
  // Run tags, waste and orders by an amount are always evaluated over the whole range, so one statement reads all days.
  // The same goes for given ids, because they have few calls, on any day.
  const windows =
    filters.runTags || waste !== undefined || eventIds !== undefined || amountOf(order) !== undefined
      ? [plan.days]
      : growingWindows(plan.days, order);
  const keys: PlacedKey[] = [];
  for (const days of windows) {
    const where = all([selected, onPageDays([days])]);
    // One extra key shows whether there is a next page.
    keys.push(...(await readCallKeys(store, where, { limit: limit + 1 - keys.length, order })));
    if (keys.length > limit) break;
  }
  const page = cutPage(identity, keys, limit, (key) => spellCall(range.dateTo, key));
  const days = page.rows.map(({ day }) => day).sort();
  const [dateFrom, dateTo] = [days[0], days.at(-1)];
  if (dateFrom === undefined || dateTo === undefined) return { rows: [], ...page.end };
  const basis = await readCostBasis(sources, { generations, facts, period: { dateFrom, dateTo }, applyCredits });
  const records = await readCallsByKey(store, project.id, page.rows, { order, basis });
  return { rows: records.map((record) => toCall(record, { withNetCost: applyCredits })), ...page.end };
}

/** Only the calls of a value of a tag. */
async function ofGroup(
  facts: Facts,
  { group, value }: { readonly group: TagGroup; readonly value: string },
): Promise<Clause> {
  const found = await valueOfGroup(facts, group);
  if (!found) throw new RangeError(`${group} is no group`);
  return { sql: `${found.sql} = {row_tag:String}`, parameters: joinParameters(found.parameters, { row_tag: value }) };
}

const ofIds = (ids: readonly string[]): Clause => ({
  sql: `event_id IN ${setOf('event_ids', 'UUID', ids)}`,
  parameters: { event_ids: ids },
});

/** The days that the first statement of a page reads, and the factor of each further one. */
const firstWindowDays = 1;
const windowGrowth = 4;

/** Splits days into growing windows. A page then reads few other days, and empty years take few statements. */
function* growingWindows({ dateFrom, dateTo }: Period, order: CallOrder): Generator<Period> {
  const total = toDayNumber(dateTo) - toDayNumber(dateFrom) + 1;
  let done = 0;
  for (let days = firstWindowDays; done < total; days *= windowGrowth) {
    const end = Math.min(done + days, total) - 1;
    yield order === 'oldest'
      ? { dateFrom: addDays(dateFrom, done), dateTo: addDays(dateFrom, end) }
      : { dateFrom: addDays(dateTo, -end), dateTo: addDays(dateTo, -done) };
    done = end + 1;
  }
}
