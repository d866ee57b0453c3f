import { type Anomaly, defaultAnomalyOptions, findAnomalies } from '../../../src/alerting/kinds/anomaly/anomaly.ts';
import { addDays, toDayNumber } from '../../../src/lib/days.ts';
import { toJsonNumber } from '../../../src/lib/money.ts';
import { daysMade, daysToLearn, type Fault, firstDayMade, type MadeSeries } from './made-series.ts';
import { makeHours } from './make-hours.ts';

/** What was found in one series. */
export interface Outcome {
  readonly series: MadeSeries;
  /** The faults whose amount matters. */
  readonly faults: readonly { readonly fault: Fault; readonly isFound: boolean }[];
  /** Alarms in the quarter that no fault, launch or missing day explains. */
  readonly falseAlarms: number;
  /** Alarms that they explain. */
  readonly rightAlarms: number;
}

export const dayOfIndex = (index: number) => addDays(firstDayMade, index);
export const indexOf = (day: string) => toDayNumber(day) - toDayNumber(firstDayMade);
/** Millionths of a dollar as money. */
export const toMoney = (cost: number) => BigInt(cost) * 1_000_000n;

export const smallest = toJsonNumber(defaultAnomalyOptions.smallest);
/** The faults that are to be found: what they add, or take, is no small amount. */
const faultsToFind = ({ faults }: MadeSeries): Fault[] => faults.filter(({ amount }) => amount >= smallest);

const toDays = ({ costs }: MadeSeries) => costs.map((cost, index) => ({ day: dayOfIndex(index), cost: toMoney(cost) }));

/** Judges a series as the service does, with its defaults, and compares with what is known of it. */
export function measureSeries(series: MadeSeries): Outcome {
  const found = findAnomalies({ days: toDays(series), through: dayOfIndex(daysMade - 1), since: firstDayMade });
  const alarms = new Set(
    found.filter(({ from, kind }) => indexOf(from) >= daysToLearn && (kind === 'jump' || kind === 'drop')),
  );
  const all = alarms.size;
  /** Whether an alarm that began on one of these days is left. Each alarm explains one thing. */
  const take = (factor: number, first: number, last: number): boolean => {
    const kind = factor > 1 ? 'jump' : 'drop';
    const alarm = [...alarms].find(
      (one: Anomaly) => one.kind === kind && indexOf(one.from) >= first && indexOf(one.from) <= last,
    );
    return alarm !== undefined && alarms.delete(alarm);
  };
  const faults = series.faults.map((fault) => ({
    fault,
    isFound: take(fault.factor, fault.first, fault.first + fault.days - 1),
  }));
  for (const { first, days, factor } of series.launches) take(factor, first, first + days + 6);
  for (const day of series.missing) take(0, day, day);
  const toFind = faultsToFind(series);
  return {
    series,
    faults: faults.filter(({ fault }) => toFind.includes(fault)),
    falseAlarms: alarms.size,
    rightAlarms: all - alarms.size,
  };
}

/** What was found in running days of one series. */
export interface HourlyOutcome {
  /** How many hours after they began jumps were found; undefined if not before their first day was over. */
  readonly jumps: readonly { readonly factor: number; readonly hours: number | undefined }[];
  /** The usual days that were tried, and those that alarmed before they were over. */
  readonly usualDays: number;
  readonly falseAlarms: number;
}

/** So many days before a running day are read. */
const daysRead = 84;
const hoursTried = [3, 6, 9, 12, 15, 18, 21, 23];

/** Runs the first days of a series' jumps hour by hour, and some usual days at some hours. */
export function measureHours(seed: number, series: MadeSeries): HourlyOutcome {
  const days = toDays(series);
  const { start, costsOf } = makeHours(seed, series);
  const hourly = series.costs.map((_cost, day) => ({ day: dayOfIndex(day), costs: costsOf(day).map(toMoney) }));
  const alarmsAt = (day: number, hours: number): boolean => {
    const running = { hours, costs: hourly[day]?.costs ?? [], past: hourly.slice(Math.max(day - 56, 0), day) };
    const past = days.slice(Math.max(day - daysRead, 0), day);
    const found = findAnomalies({ days: past, through: dayOfIndex(day - 1), running });
    return found.some(({ from, kind }) => from === dayOfIndex(day) && kind === 'jump');
  };
  const isUsual = (day: number) =>
    ![...series.faults, ...series.launches].some(({ first, days: long }) => day >= first - 1 && day < first + long + 7);
  const usualDays = Array.from({ length: 4 }, (_, index) => daysToLearn + 3 + index * 23).filter(isUsual);
  return {
    jumps: faultsToFind(series)
      .filter(({ factor }) => factor > 1)
      .map(({ first, factor }) => {
        const hours = Array.from({ length: 23 - start }, (_, index) => index + 1);
        return { factor, hours: hours.find((passed) => alarmsAt(first, start + passed)) };
      }),
    usualDays: usualDays.length,
    falseAlarms: usualDays.filter((day) => hoursTried.some((hours) => alarmsAt(day, hours))).length,
  };
}
