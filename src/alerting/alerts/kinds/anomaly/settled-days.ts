import { readGenerations } from '../../../../calls/generations.ts';
import { callsOf } from '../../../../calls/in-force.ts';
import { addDays, type Day, startOfDay } from '../../../../lib/days.ts';
import type { Asker } from '../../ask.ts';

/** By how many days before yesterday the usual delay is known, and the longest that is waited for. */
const daysRead = 14;
const mostDays = 8;

/**
 * The last day whose calls have come, as far as the days before it tell: a day that is imported the morning after has
 * no calls until then, and is no drop. It is `mostDays` ago at the earliest.
 */
export async function readLastSettledDay({ project, now, sources }: Asker, today: Day): Promise<Day> {
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
