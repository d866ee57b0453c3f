import { readGenerations } from '../../../calls/generations.ts';
import { callsOf } from '../../../calls/in-force.ts';
import { addDays, type Day, dayOf, startOfDay } from '../../../lib/days.ts';
import { parseJson } from '../../../lib/json.ts';
import { parseMoney } from '../../../lib/money.ts';
import { askChanges, type LookContext } from '../../rule/ask.ts';
import { type Cause, identify, type Subject } from '../../rule/cause.ts';
import type { LookFor } from '../../rule/look.ts';
import { readOpenFirings } from '../../rule/open-firings.ts';
import { type Anomaly, cautionOf, defaultAnomalyOptions, findAnomalies } from './anomaly.ts';
import { firstDayOfHistory, readCostSeries, readRunningDays } from './cost-series.ts';
import { explain, weekBefore } from './explanation.ts';
import type { anomaly } from './kind.ts';
import { asFired, findUnusualCosts, type NamedAnomalies, type UnusualCost } from './rule.ts';

/** The most new firings of a look that are explained: each asks a question of its own. */
const mostExplained = 10;

/** Reads the costs of a project, finds unusual ones, and asks what explains them. */
export async function lookAtCosts(look: LookFor<typeof anomaly>): Promise<Cause[]> {
  const { project, watch, today, sources } = look;
  const { least_amount: least } = look.settings;
  const smallest = parseMoney(least) ?? defaultAnomalyOptions.smallest;
  const series = await readCostSeries(look, today, least);
  if (series.length === 0) return [];
  const runningOf = await readRunningDays(
    look,
    today,
    series.map(({ name }) => name),
  );
  const through = addDays(today, -1);
  const since = firstDayOfKnown(series[0]?.days ?? [], today);
  const anomaliesOf = series.map(({ name, days }) => {
    const running = runningOf(name);
    const known = { days, through, since, ...(running && { running }) };
    const caution = name.dimension === 'project' ? 1 : cautionOf(series.length - 1);
    return { name, anomalies: findAnomalies(known, { ...defaultAnomalyOptions, smallest, caution }) };
  });
  const settled = hasRecentDrop(anomaliesOf, through) ? await readLastSettledDay(look, today) : through;
  const open = await readOpenFirings(sources.control, project.id, 'anomaly');
  const fired = open.map(({ subject }) => parseJson(subject) as Subject);
  const found = asFired(
    findUnusualCosts(dropsThrough(anomaliesOf, settled), dayOf(project.timezone, watch.since)),
    fired,
  );
  const isOpen = new Set(open.map(({ cause }) => cause));
  const isNew = ({ cause }: UnusualCost) => cause.state === 'holds' && !isOpen.has(identify(cause));
  const explained = new Set(watch.hasBegun ? found.filter(isNew).slice(0, mostExplained) : []);
  return await Promise.all(found.map((one) => (explained.has(one) ? addExplanation(one, look) : one.cause)));
}

const isDrop = ({ kind }: Anomaly): boolean => kind === 'drop';

const hasRecentDrop = (series: readonly NamedAnomalies[], through: Day): boolean =>
  series.some(({ anomalies }) => anomalies.some((one) => isDrop(one) && one.days.at(-1)?.day === through));

/** Without drops of later days, whose calls may still come. */
const dropsThrough = (series: readonly NamedAnomalies[], settled: Day): NamedAnomalies[] =>
  series.map(({ name, anomalies }) => ({
    name,
    anomalies: anomalies
      .map((one) => (isDrop(one) ? { ...one, days: one.days.filter(({ day }) => day <= settled) } : one))
      .filter(({ days }) => days.length > 0),
  }));

/** The first day with known costs: the day of the project's first cost, or the first day that is read. */
const firstDayOfKnown = (days: readonly { readonly day: Day; readonly cost: bigint }[], today: Day): Day =>
  days.find(({ cost }) => cost > 0n)?.day ?? firstDayOfHistory(today);

async function addExplanation(unusual: UnusualCost, asker: LookContext): Promise<Cause> {
  const { name, from, to, hours, cause } = unusual;
  const before = weekBefore({ from, to });
  const { keptFrom } = asker.project;
  // Hours are read from calls.
  if (hours !== undefined && keptFrom !== null && before.dateFrom < keptFrom) return cause;
  const asked = {
    date_from: from,
    date_to: to,
    before_from: before.dateFrom,
    before_to: before.dateTo,
    ...(name.dimension !== 'project' && { [`${name.dimension}s`]: [name.value] }),
  };
  return explain(unusual, await askChanges(asker, asked, hours));
}

/** By how many days before yesterday the usual delay is known, and the longest that is waited for. */
const daysRead = 14;
const mostDays = 8;

/**
 * The last day whose calls have come, as far as the days before it tell: a day that is imported the morning after has
 * no calls until then, and is no drop. It is `mostDays` ago at the earliest.
 */
async function readLastSettledDay({ project, now, sources }: LookContext, today: Day): Promise<Day> {
  const { timezone } = project;
  const range = { dateFrom: addDays(today, -daysRead - 1), dateTo: addDays(today, -2) };
  const calls = callsOf(project.id, range, await readGenerations(sources.control, project.id));
  const rows = await sources.store.select<{ on_day: Day; come: string }>(
    `SELECT toString(day) AS on_day, quantileExact(0.9)(toUnixTimestamp64Milli(first_received_at)) AS come
      FROM calls WHERE ${calls.sql} GROUP BY on_day`,
    calls.parameters,
  );
  const endOf = (day: Day) => startOfDay(timezone, addDays(day, 1));
  const delayMs = Math.max(0, ...rows.map(({ on_day: day, come }) => Number(come) - endOf(day)));
  let day = addDays(today, -1);
  while (day > addDays(today, -mostDays) && endOf(day) + delayMs > now) day = addDays(day, -1);
  return day;
}
