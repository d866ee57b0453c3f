import { readGenerations } from '../../../calls/generations.ts';
import { callsOf } from '../../../calls/in-force.ts';
import { addDays, type Day, listDays, type Period } from '../../../lib/days.ts';
import { dimensions, watchedDimensions } from '../../../lib/dimensions.ts';
import { type Money, parseMoney } from '../../../lib/money.ts';
import { all, oneOf } from '../../../reports/asking/where.ts';
import { joinParameters } from '../../../storage/analytic/clause.ts';
import { askCosts, askUsage, type LookContext } from '../../rule/ask.ts';
import type { SeriesName } from './rule.ts';
import type { HourCosts, RunningDay } from './running-day.ts';

/** How many days before today are read: the season of weekdays needs several weeks. */
const historyDays = 126;
/** Only names with a cost within this many days are judged. */
const recentDays = 28;
/** How many days ago the first cost of a project must be for it to be judged. */
const leastHistory = 7;
/** The most names of a dimension: those that cost most. */
const mostNames = 50;

export interface NamedCosts {
  readonly name: SeriesName;
  readonly days: readonly { readonly day: Day; readonly cost: Money }[];
}

export const firstDayOfHistory = (today: Day): Day => addDays(today, -historyDays);

/** Up to yesterday, of the project and of the names that cost most. Empty for a project too young to be judged. */
export async function readCostSeries(asker: LookContext, today: Day, least: number): Promise<NamedCosts[]> {
  const range = { date_from: firstDayOfHistory(today), date_to: addDays(today, -1) };
  const toDay = ({ date_from: day, cost }: { readonly date_from: Day; readonly cost: number }) => ({
    day,
    cost: parseMoney(cost) ?? 0n,
  });
  const whole = await askCosts(asker, range);
  const first = whole.findIndex(({ cost }) => cost > 0);
  if (first === -1 || whole.length - first < leastHistory) return [];
  const series: NamedCosts[] = [{ name: { dimension: 'project' }, days: whole.map(toDay) }];
  for (const dimension of watchedDimensions) {
    const recent = { date_from: addDays(today, -recentDays), date_to: today, aggregate: 'all', group_by: dimension };
    const names = (await askCosts(asker, recent))
      .filter(({ cost }) => cost >= least)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, mostNames)
      .map((row) => row[dimension] ?? '');
    if (names.length === 0) continue;
    const rows = await askCosts(asker, { ...range, group_by: dimension, [dimensions[dimension].plural]: names });
    for (const [value, ofName] of Map.groupBy(rows, (row) => row[dimension] ?? ''))
      series.push({ name: { dimension, value }, days: ofName.map(toDay) });
  }
  return series;
}

/** For how many days hours are read, and from how many calls at most. Rollups have no hours, so calls are read. */
const hourDays = 56;
const mostCalls = 3_000_000;

/** The running day of a series; undefined when its hours are not read. */
export type RunningDays = (name: SeriesName) => RunningDay | undefined;

/**
 * The cost by hour of each of these series, today and on the days before whose calls are kept. There is none in the
 * first hour of a day, and none for a project with too many calls to read: its days are judged when they are over.
 */
export async function readRunningDays(
  asker: LookContext,
  today: Day,
  names: readonly SeriesName[],
): Promise<RunningDays> {
  const { project, now } = asker;
  const first = addDays(today, -hourDays);
  const from = project.keptFrom !== null && project.keptFrom > first ? project.keptFrom : first;
  const [usage] = await askUsage(asker, { date_from: from, date_to: today, aggregate: 'all' });
  const hours = hourOf(project.timezone, now);
  if (hours === 0 || (usage?.calls ?? 0) > mostCalls) return () => undefined;
  const range = { dateFrom: from, dateTo: today };
  const running = new Map<string, RunningDay>();
  for (const [dimension, ofDimension] of Map.groupBy(names, (name) => name.dimension)) {
    for (const [value, rows] of await readHours(asker, range, dimension, ofDimension.map(valueIn))) {
      const days = toHourCosts(rows, range);
      const past = days.filter(({ day }) => day < today);
      running.set(`${dimension} ${value}`, { hours, costs: days.at(-1)?.costs ?? [], past });
    }
  }
  return (name) => running.get(`${name.dimension} ${valueIn(name)}`);
}

const valueIn = (name: SeriesName): string => (name.dimension === 'project' ? '' : name.value);

interface HourRow {
  readonly value: string;
  readonly on_day: Day;
  readonly hour: number;
  readonly spent: string;
}

/** The costs by hour of the project, or of these values of a dimension. */
async function readHours(
  { project, sources }: LookContext,
  range: Period,
  dimension: SeriesName['dimension'],
  values: readonly string[],
): Promise<Map<string, HourRow[]>> {
  const calls = callsOf(project.id, range, await readGenerations(sources.control, project.id));
  const where = dimension === 'project' ? calls : all([calls, oneOf(dimension, values, 'names')]);
  const value = dimension === 'project' ? "''" : dimension;
  const rows = await sources.store.select<HourRow>(
    `SELECT ${value} AS value, toString(day) AS on_day, toHour(time, {timezone:String}) AS hour, sum(cost) AS spent
      FROM calls FINAL WHERE ${where.sql} GROUP BY value, on_day, hour`,
    joinParameters(where.parameters, { timezone: project.timezone }),
  );
  return Map.groupBy(rows, (row) => row.value);
}

/** The hours of every day of a range, those without calls too. */
function toHourCosts(rows: readonly HourRow[], { dateFrom, dateTo }: Period): HourCosts[] {
  const byDay = new Map(listDays(dateFrom, dateTo).map((day) => [day, Array.from({ length: 24 }, (): Money => 0n)]));
  for (const { on_day: day, hour, spent } of rows) {
    const costs = byDay.get(day);
    if (costs) costs[hour] = parseMoney(spent) ?? 0n;
  }
  return [...byDay].map(([day, costs]) => ({ day, costs }));
}

/** How many hours of its day are over at an instant, by the clock of the timezone. */
function hourOf(timezone: string, timeMs: number): number {
  const text = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', hourCycle: 'h23' }).format(
    timeMs,
  );
  return Number(text);
}
