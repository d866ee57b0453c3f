import {
  countOf,
  type FrozenReading,
  identifyReading,
  type Reading,
  type Readings,
} from '../../accounts/key-metrics/readings.ts';
import { isFrozen } from '../../calls/generations.ts';
import { beyondRetention } from '../../calls/require-calls.ts';
import { type Day, listDays, type Period } from '../../lib/days.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { Position } from '../asking/period-sql.ts';
import { all } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import { resolvePeriodTimes, whereEvents } from './event-scope.ts';
import type { ReadingsSelection } from './events-sql.ts';
import { fillRows, readReadings } from './read-rows.ts';

interface RequiredReadings extends Pick<AsOf, 'generations' | 'facts'> {
  readonly days: Period;
  readonly readings: Readings;
}

/**
 * Refuses days with deleted events if a metric needs a reading that was not kept, because no metric had it then.
 * @throws Problem `beyond_retention`, naming the metric
 */
export async function requireReadings(
  store: AnalyticStore,
  { generations, facts, days, readings }: RequiredReadings,
): Promise<void> {
  const { frozenBefore, seals } = generations;
  if (frozenBefore === undefined || days.dateFrom >= frozenBefore) return;
  const frozen = [...seals].filter(([day]) => day >= days.dateFrom && day <= days.dateTo && isFrozen(generations, day));
  if (frozen.length === 0) return;
  const kept = await facts.readKeptReadings();
  const keptByReading = Map.groupBy(kept, ({ reading }) => reading);
  for (const [name, number] of readings.byMetric) {
    const reading = readings.list[number];
    // Event counts are kept for every type.
    if (!reading || reading.aggregation === 'count') continue;
    const spans = keptByReading.get(identifyReading(reading)) ?? [];
    const isKept = (day: Day) => spans.some((span) => day >= span.kept_from && day < span.kept_before);
    const missing = frozen.flatMap(([day, seal]) => (isKept(day) ? [] : [seal]));
    if (missing.length === 0) continue;
    const found = await store.select(
      `SELECT 1 FROM frozen_readings WHERE project = {project:String} AND reading = {reading:String}
        AND seal IN (SELECT arrayJoin({seals:Array(UInt64)})) LIMIT 1`,
      { project: facts.projectId, reading: identifyReading(countOf(reading.eventType)), seals: missing },
    );
    if (found.length === 0) continue;
    throw beyondRetention(
      frozenBefore,
      `The key metric ${JSON.stringify(name)} had another definition, or none, when they were deleted: ask for days from ${frozenBefore} on.`,
    );
  }
}

/** How many rows are read at once. */
const rowsAtOnce = 5_000;

export interface ReadingsToSum {
  readonly projectId: string;
  readonly timezone: string;
  readonly days: Period;
  readonly readings: readonly Reading[];
  /** Selects the events to read, which are already assembled. */
  readonly upTo: Clause;
}

/** Computes, in parts, the readings to keep from custom events that are about to be deleted. */
export async function* sumReadings(
  store: AnalyticStore,
  { projectId, timezone, days, readings, upTo }: ReadingsToSum,
): AsyncGenerator<FrozenReading[]> {
  if (readings.length === 0) return;
  const periods = listDays(days.dateFrom, days.dateTo).map((day) => ({ dateFrom: day, dateTo: day }));
  const eventTypes = [...new Set(readings.map(({ eventType }) => eventType))];
  const times = resolvePeriodTimes({ timezone, frozenBefore: undefined }, periods);
  const selection: ReadingsSelection = {
    where: all([whereEvents(projectId, eventTypes, times), upTo]),
    readings,
    value: { sql: 'user', parameters: {} },
    listsHashes: true,
  };
  for (let after: Position | undefined; ; ) {
    const events = await readReadings(store, selection, { after, limit: rowsAtOnce });
    const last = events.length < rowsAtOnce ? undefined : events.at(-1);
    const rows = await fillRows(store, selection, { costs: [], events, after, upTo: last });
    yield rows.list(last).flatMap(({ period, value, totals }) =>
      [...totals].flatMap(([number, total]): FrozenReading[] => {
        const reading = readings[number];
        if (!reading || total.fed === 0) return [];
        return [{ dayNumber: period, user: value, reading: identifyReading(reading), ...total.frozen }];
      }),
    );
    if (last === undefined) return;
    after = last;
  }
}
