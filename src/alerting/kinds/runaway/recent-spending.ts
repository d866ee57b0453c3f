import { LRUCache } from 'lru-cache';
import { type Generations, readGenerations } from '../../../calls/generations.ts';
import { callsOf } from '../../../calls/in-force.ts';
import { requireCalls } from '../../../calls/require-calls.ts';
import { addDays, type Day } from '../../../lib/days.ts';
import { Problem } from '../../../lib/problem.ts';
import { toTime } from '../../../lib/times.ts';
import { namedRun } from '../../../reports/asking/where.ts';
import { joinParameters } from '../../../storage/analytic/clause.ts';
import type { Cause } from '../../rule/cause.ts';
import type { LookFor } from '../../rule/look.ts';
import type { runaway } from './kind.ts';
import { findRunaways, type Judged, type LastCall, type RecentTotal, toCause } from './rule.ts';
import type { DayPeaks, Peak, Spender } from './usual.ts';

/** How many days before today tell what is usual. */
const usualDays = 14;
/** With fewer of them, today counts too, up to an hour ago: a runaway must not make itself usual. */
const fewDays = 3;
const minuteMs = 60_000;
const notYetUsualMs = 60 * minuteMs;
/** How long peaks of a day that may change are kept, in milliseconds. */
const renewAfterMs = 10 * minuteMs;
/** The most windows that a look judges, and peaks of a day that are held: those of the most spent. */
const mostWindows = 300;
const mostPeaks = 2_000;
const mostLastCalls = 5;
/** Peaks below this share of the smallest amount that fires are not read. */
const leastShare = 0.01;
/** The most projects whose peaks are held. */
const maxProjects = 5_000;
/** How far ahead a call of now may be dated, by a clock that is a little off. */
const aheadMs = minuteMs;

interface Held {
  readonly peaks: DayPeaks;
  readonly readAt: number;
}

/** A call counts for its run, user and customer. */
const spentBy = `ARRAY JOIN [('run', if(${namedRun.sql}, run, '')), ('user', calls.user), ('customer', calls.customer)] AS named`;

/**
 * What runs, users and customers spend: the last minutes from calls at each look, and the days before in memory, where
 * sealed days are read once.
 */
export class RecentSpending {
  readonly #days = new LRUCache<string, Map<string, Held>>({ max: maxProjects });

  async find(look: LookFor<typeof runaway>): Promise<Cause[]> {
    const { project, today, now, settings, sources } = look;
    const generations = await readGenerations(sources.control, project.id);
    const windows = await this.#readWindows(look, generations);
    if (windows.length === 0) return [];
    const days = await this.#readDays(look, generations);
    const judged = findRunaways({ windows, days }, settings);
    return await Promise.all(
      judged.map(async (one) => {
        const last = one.state === 'holds' ? await readLastCalls(look, generations, one) : [];
        return toCause(one, { last, today, minutes: settings.minutes, now, timezone: project.timezone });
      }),
    );
  }

  /** Those of which any amount that can fire or linger is spent. */
  async #readWindows(look: LookFor<typeof runaway>, generations: Generations): Promise<RecentTotal[]> {
    const { settings, sources } = look;
    const { amount, least_amount: least } = settings;
    const recent = recentCalls(look, generations);
    const floor = Math.min(least, amount > 0 ? amount : least) / 2;
    const rows = await sources.store.select<Omit<RecentTotal, 'calls' | 'firstMs'> & Record<'calls' | 'first', string>>(
      `SELECT named.1 AS what, named.2 AS name, argMax(calls.feature, time) AS feature,
          argMax(calls.customer, time) AS customer, argMax(calls.user, time) AS user,
          toFloat64(sum(cost)) AS spent, count() AS calls, toUnixTimestamp64Milli(min(time)) AS first
        FROM calls FINAL ${spentBy}
        WHERE ${recent.sql} AND named.2 != ''
        GROUP BY what, name
        HAVING spent > 0 AND spent >= {floor:Float64}
        ORDER BY spent DESC, name
        LIMIT ${mostWindows}`,
      { ...recent.parameters, floor },
    );
    return rows.map(({ first, calls, ...row }) => ({ ...row, calls: Number(calls), firstMs: Number(first) }));
  }

  async #readDays(look: LookFor<typeof runaway>, generations: Generations): Promise<DayPeaks[]> {
    const { project, today, now, settings } = look;
    const before = this.#days.get(project.id);
    const kept = new Map<string, Held>();
    this.#days.set(project.id, kept);
    const read = async (day: Day, untilMs?: number): Promise<DayPeaks> => {
      const seal = generations.seals.get(day);
      const ofDay = `${day} ${generations.byDay.get(day) ?? generations.base} ${generations.openDays.includes(day) ? 'open' : seal}`;
      const key = `${ofDay} ${settings.minutes} ${settings.least_amount}`;
      const held = before?.get(key);
      const isCurrent = held && (!ofDay.endsWith('open') || Math.abs(now - held.readAt) < renewAfterMs);
      const found = isCurrent ? held : { peaks: await readPeaks(look, generations, day, untilMs), readAt: now };
      kept.set(key, found);
      return found.peaks;
    };
    const days: DayPeaks[] = [];
    for (const day of listUsualDays(generations, today)) days.push(await read(day));
    if (days.length < fewDays) {
      const sofar = await read(today, now - notYetUsualMs);
      if (sofar.length > 0) days.push(sofar);
    }
    return days;
  }
}

/** The days before today that have calls. */
function listUsualDays(generations: Generations, today: Day): Day[] {
  const from = addDays(today, -usualDays);
  const known = new Set([...generations.seals.keys(), ...generations.openDays]);
  return [...known].filter((day) => day >= from && day < today && hasCalls(generations, day)).sort();
}

function hasCalls(generations: Generations, day: Day): boolean {
  try {
    requireCalls(generations, { dateFrom: day, dateTo: day });
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

const time = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;

function recentCalls({ project, today, now, settings }: LookFor<typeof runaway>, generations: Generations) {
  const calls = callsOf(project.id, { dateFrom: addDays(today, -1), dateTo: addDays(today, 1) }, generations);
  const from = now - settings.minutes * minuteMs;
  return {
    sql: `${calls.sql} AND time > ${time('time_from')} AND time <= ${time('time_to')}`,
    parameters: joinParameters(calls.parameters, { time_from: from, time_to: now + aheadMs }),
  };
}

/** The most that each has spent in a window of a day. Windows follow one another from midnight in UTC on. */
async function readPeaks(
  { project, settings, sources }: LookFor<typeof runaway>,
  generations: Generations,
  day: Day,
  untilMs: number | undefined,
): Promise<DayPeaks> {
  const calls = callsOf(project.id, { dateFrom: day, dateTo: day }, generations);
  const until =
    untilMs === undefined
      ? { sql: '', parameters: {} }
      : { sql: `AND time < ${time('until')}`, parameters: { until: untilMs } };
  const select = (whose: string, feature: string, most: string) =>
    `SELECT what, name, feature, max(amount) AS spent
      FROM (
        SELECT named.1 AS what, named.2 AS name, ${feature} AS feature, toFloat64(sum(cost)) AS amount
        FROM calls FINAL ${spentBy}
        WHERE ${calls.sql} ${until.sql} AND named.2 != '' AND named.1 ${whose}
        GROUP BY what, name, feature, intDiv(toUnixTimestamp64Milli(time), {window_ms:UInt32})
      )
      GROUP BY what, name, feature
      HAVING spent > 0 AND spent >= {floor:Float64}
      ORDER BY spent DESC
      ${most}`;
  const rows = await sources.store.select<Peak & { readonly what: Spender }>(
    `SELECT * FROM (${select("!= 'run'", "''", `LIMIT ${mostPeaks} BY what`)})
      UNION ALL
      SELECT * FROM (${select("= 'run'", 'calls.feature', `LIMIT 3 BY feature LIMIT ${mostPeaks}`)})`,
    joinParameters(calls.parameters, until.parameters, {
      window_ms: settings.minutes * minuteMs,
      floor: settings.least_amount * leastShare,
    }),
  );
  return rows.toSorted((a, b) => b.spent - a.spent);
}

/** Its last calls, newest first. */
async function readLastCalls(
  look: LookFor<typeof runaway>,
  generations: Generations,
  { what, name }: Judged,
): Promise<LastCall[]> {
  const recent = recentCalls(look, generations);
  const rows = await look.sources.store.select<LastCall & { readonly at: string }>(
    `SELECT toString(event_id) AS eventId, toUnixTimestamp64Milli(time) AS at, model, toFloat64(calls.cost) AS cost
      FROM calls FINAL
      WHERE ${recent.sql} AND ${what} = {name:String}
      ORDER BY time DESC, event_id
      LIMIT ${mostLastCalls}`,
    { ...recent.parameters, name },
  );
  return rows.map(({ eventId, at, model, cost }) => ({ eventId, time: toTime(Number(at)), model, cost }));
}
