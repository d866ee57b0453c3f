import { type Generations, isFrozen } from '../../calls/generations.ts';
import { listDayStarts, type Period, toDayNumber } from '../../lib/days.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { all } from '../asking/where.ts';

/** A time later than every event, because timestamps end with the year 2100. */
const lastMs = Date.UTC(2200, 0, 1);

/** The times at which one period ends and the next one starts. */
export interface PeriodTimes {
  /** In order. Times from `startsMs[i]` on are in the period `numbers[i]`, or in none if that is 0. */
  readonly startsMs: readonly number[];
  /** The day numbers of the periods' first days, or 0. */
  readonly numbers: readonly number[];
}

/**
 * When periods start and end, since events have times and calls days (D4.3). No frozen day is in one, whose events are
 * deleted or late; as of a close no day is, because it stores their readings.
 */
export function resolvePeriodTimes(
  { timezone, frozenBefore, pinned }: Pick<Generations, 'timezone' | 'frozenBefore' | 'pinned'>,
  periods: readonly Period[],
): PeriodTimes {
  const [first, last] = [periods[0], periods.at(-1)];
  const startsMs: number[] = [];
  const numbers: number[] = [];
  if (!first || !last) return { startsMs, numbers };
  let place = 0;
  const from = (at: number) => periods[at]?.dateFrom ?? '9999';
  for (const { timeMs, day } of listDayStarts(timezone, first.dateFrom, last.dateTo)) {
    // If the timezone sets clocks back over midnight, the day before begins again.
    while (place > 0 && day < from(place)) place -= 1;
    while (day >= from(place + 1)) place += 1;
    const period = periods[place];
    const isIn =
      period && day >= period.dateFrom && day <= period.dateTo && !pinned && !isFrozen({ frozenBefore }, day);
    const number = isIn ? toDayNumber(period.dateFrom) : 0;
    if ((numbers.at(-1) ?? 0) === number) continue;
    startsMs.push(timeMs);
    numbers.push(number);
  }
  // All days are frozen, so no event is in a period.
  if (startsMs.length === 0) return { startsMs: [lastMs], numbers: [0] };
  return { startsMs, numbers };
}

/** SQL for the period of an event: the day number of its first day, or 0. Needs the parameters of `whereEvents`. */
export const periodOfEvent =
  'transform(roundDown(toUnixTimestamp64Milli(event_time), {event_starts:Array(Int64)}), {event_starts:Array(Int64)}, {event_periods:Array(UInt32)}, toUInt32(0))';

/** The timestamp of an event is at most this far ahead of its receipt (D3.9). */
const aheadMs = 24 * 3_600_000;

/**
 * The custom events of a project with these types and in these periods, without repetitions. Of events with the same
 * `event_id` and `event_type` only the first received counts, even if it is outside the periods (D9.1). Repetitions are
 * rare. So the statement finds repeated ids first, and sorts only their events.
 */
export function whereEvents(projectId: string, eventTypes: readonly string[], times: PeriodTimes): Clause {
  const ofTypes: Clause = {
    sql: "project = {project:String} AND phase = 'custom' AND event_type IN (SELECT arrayJoin({event_types:Array(String)}))",
    parameters: { project: projectId, event_types: eventTypes },
  };
  const { startsMs, numbers } = times;
  const inTime: Clause = {
    sql: `received_at >= fromUnixTimestamp64Milli({received_since:Int64}, 'UTC')
      AND event_time >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
      AND event_time < fromUnixTimestamp64Milli({until:Int64}, 'UTC')
      AND ${periodOfEvent} > 0`,
    parameters: {
      received_since: Math.max(0, (startsMs[0] ?? 0) - aheadMs),
      since: startsMs[0] ?? 0,
      until: startsMs.at(-1) ?? 0,
      event_starts: startsMs,
      event_periods: numbers,
    },
  };
  const repeatedIds = `SELECT event_type, event_id FROM events
    WHERE ${ofTypes.sql} AND event_id IN (SELECT event_id FROM events WHERE ${ofTypes.sql} AND ${inTime.sql})
    GROUP BY event_type, event_id HAVING count() > 1`;
  const isFirst: Clause = {
    sql: `(writer, seq) NOT IN (
      SELECT repetition.2, repetition.3 FROM (
        SELECT arrayJoin(arrayPopFront(arraySort(groupArray((received_at, writer, seq))))) AS repetition
        FROM events WHERE ${ofTypes.sql} AND (event_type, event_id) IN (${repeatedIds})
        GROUP BY event_type, event_id
      )
    )`,
    parameters: {},
  };
  return all([ofTypes, inTime, isFirst]);
}
