// One line for a chart: what a reader should see in it, said from its data. Undefined when there is nothing to say.

import type { Granularity } from '../api/types.ts';
import {
  toDay,
  toDollars,
  toName,
  toPercent,
  toProseDollars,
  toShareWords,
  toShortName,
  toSigned,
  toTitle,
} from '../lib/format.ts';

/** A smaller change, as a share of the larger of the two amounts, is not worth a line. */
const leastChange = 0.05;
/** The least share that is called "most". */
const most = 0.5;
/** A period stands out from this multiple of the median on. */
const outstanding = 2;
/** Fewer periods have no usual one. */
const leastPeriods = 5;
/** Percentage points by which a margin must move. */
const leastPoints = 5;
/** Rises and falls cancel out if the change is less than this share of their sum. */
const leastRest = 0.2;

/** The cost of a name, now and in the days before. */
export interface NamedCost {
  readonly name: string;
  /** Whether it is calls without a name: `calls without a feature`. */
  readonly isNameless?: boolean;
  readonly now: number;
  /** Undefined when nothing is compared. */
  readonly before: number | undefined;
}

/** The periods of a chart with the amount of each. */
export interface Periods {
  readonly periods: readonly string[];
  readonly values: readonly number[];
  readonly granularity: Granularity;
}

/** How a sentence about a name begins. */
const toSubject = ({ name, isNameless }: NamedCost): string => (isNameless ? toTitle(name) : toShortName(name));

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

function calcMedian(amounts: readonly number[]): number {
  const sorted = amounts.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}

/** Of costs over time where no period stands out: whose the change is, or else who costs most. Undefined without costs. */
export const remarkOnCosts = (names: readonly NamedCost[]): string | undefined =>
  remarkOnChange(names) ?? remarkOnLargest(names);

function remarkOnChange(names: readonly NamedCost[]): string | undefined {
  const changes = names.flatMap(({ before, ...row }) => (before === undefined ? [] : [{ ...row, before }]));
  const [now, before] = [sum(changes.map((row) => row.now)), sum(changes.map((row) => row.before))];
  const change = now - before;
  if (Math.abs(change) < leastChange * Math.max(now, before) || before === 0) return undefined;
  const sign = Math.sign(change);
  const [first] = changes.toSorted((a, b) => sign * (b.now - b.before - (a.now - a.before)));
  if (!first || changes.length === 1) return undefined;
  const its = first.now - first.before;
  if (sign * its < most * Math.abs(change)) return undefined;
  const direction = change > 0 ? 'rise' : 'fall';
  const dollars = toProseDollars(its, change);
  if (Math.abs(its) <= Math.abs(change)) {
    return `Most of the ${direction} comes from ${toShortName(first.name)}: ${toSigned(its, dollars)} of ${toSigned(change, dollars)}.`;
  }
  return `${toSubject(first)} ${change > 0 ? 'rose' : 'fell'} by ${dollars(Math.abs(its))}; the others together ${change > 0 ? 'fell' : 'rose'} by ${dollars(Math.abs(change - its))}.`;
}

/** A period that is far above the usual one, which the eye sees first. */
export interface Peak {
  /** Its place, and its first day. */
  readonly index: number;
  readonly from: string;
  readonly value: number;
  /** How many times the usual period it is. */
  readonly times: number;
}

export function findPeak({ periods, values }: Omit<Periods, 'granularity'>): Peak | undefined {
  const median = calcMedian(values);
  const value = Math.max(...values);
  if (values.length < leastPeriods || median <= 0 || value < outstanding * median) return undefined;
  const index = values.indexOf(value);
  return { index, from: periods[index] ?? '', value, times: value / median };
}

/** From this factor on it says more of the usual period, which is next to nothing, than of the peak. */
const mostTimes = 100;
const toTimesUsual = ({ times }: Peak, granularity: Granularity): string =>
  `${times < mostTimes ? `${times.toFixed(1)} times` : 'far more than'} the usual ${granularity}`;

/** What a peak cost, after its day, which is a link. */
export const remarkOnPeak = (peak: Peak, granularity: Granularity): string =>
  `cost ${toDollars(peak.value)}, ${toTimesUsual(peak, granularity)}`;

function remarkOnLargest(names: readonly NamedCost[]): string | undefined {
  const total = sum(names.map(({ now }) => now));
  const [first] = names.toSorted((a, b) => b.now - a.now);
  if (!first || first.now <= 0) return undefined;
  const share = toShareWords(first.now / total);
  return first.now < most * total
    ? `${toSubject(first)} ${first.isNameless ? 'cost' : 'costs'} most: ${share} of all.`
    : `${toSubject(first)} ${first.isNameless ? 'are' : 'is'} ${share} of the cost.`;
}

interface Earned {
  readonly revenue: number;
  readonly cost: number;
}

/**
 * Of revenue and cost over time: periods that lose money, or else a margin that moves or stays. Undefined without revenue. The
 * period that is not over, at this place, only counts for the margin of all, which is that of the cards.
 */
export function remarkOnMargins(
  all: readonly Earned[],
  granularity: Granularity,
  running?: number,
): string | undefined {
  const rows = all.filter((_, index) => index !== running);
  if (rows.every(({ revenue }) => revenue === 0)) return undefined;
  const losing = rows.filter(({ revenue, cost }) => cost > revenue).length;
  if (losing > 0) {
    const which = losing === rows.length ? `every ${granularity}` : `${losing} of ${rows.length} ${granularity}s`;
    return `${granularity === 'day' ? 'On' : 'In'} ${which}, AI cost more than customers paid.`;
  }
  const middle = Math.floor(rows.length / 2);
  const [whole, first, second] = [all, rows.slice(0, middle), rows.slice(middle)].map(calcMarginPct);
  if (whole === undefined) return undefined;
  const hasHalves = rows.length >= leastPeriods && first !== undefined && second !== undefined;
  if (!hasHalves || Math.abs(second - first) < leastPoints) {
    return `Together, customers paid more than they cost ${granularity === 'day' ? 'on' : 'in'} every ${granularity}: the margin is ${toPercent(whole)}.`;
  }
  return `The margin ${second > first ? 'rose' : 'fell'} from ${toPercent(first)} in the first half to ${toPercent(second)} in the second.`;
}

function calcMarginPct(rows: readonly Earned[]): number | undefined {
  const revenue = sum(rows.map((row) => row.revenue));
  return revenue > 0 ? (100 * (revenue - sum(rows.map(({ cost }) => cost)))) / revenue : undefined;
}

/** The cost of a unit on the days that are compared, as the cards have it, and on those before. */
interface ComparedUnit {
  readonly now: number;
  readonly before: number;
  readonly days: string;
  readonly daysBefore: string;
}

/** Of the cost of a unit over time: dearer or cheaper than before, or else the period that stands out, or else the usual cost. */
export function remarkOnUnitCost(
  values: readonly (number | null)[],
  compared: ComparedUnit | undefined,
  over: Omit<Periods, 'values'> & { readonly unit?: string | null | undefined; readonly running?: number | undefined },
): string | undefined {
  const one = over.unit ? `Each ${toName(over.unit)}` : 'One';
  const isKnown = (value: number | null): value is number => value !== null;
  if (compared && Math.abs(compared.now - compared.before) >= leastChange * compared.before) {
    const { now: cost, before, days, daysBefore } = compared;
    const change = `${toPercent((100 * Math.abs(cost - before)) / before)} ${cost > before ? 'more' : 'less'}`;
    return `${one} cost ${toDollars(cost)} (${days}), ${change} than the ${toDollars(before)} before (${daysBefore}).`;
  }
  const now = values.filter((_, index) => index !== over.running).filter(isKnown);
  const known = over.periods.filter((_, index) => index !== over.running && isKnown(values[index] ?? null));
  const peak = findPeak({ ...over, periods: known, values: now });
  const { granularity } = over;
  if (peak) {
    return `${one} cost most ${granularity === 'day' ? 'on' : `in the ${granularity} from`} ${toDay(peak.from)}: ${toDollars(peak.value)}, ${toTimesUsual(peak, granularity)}.`;
  }
  return now.length > 0
    ? `${one} costs ${toDollars(calcMedian(now))} ${granularity === 'day' ? 'on' : 'in'} a usual ${granularity}.`
    : undefined;
}

interface Step {
  readonly label: string;
  readonly change: number;
}

/** Of parts that add up to a change: the largest part, or that rises and falls cancel out. Undefined where nothing changed. */
export function remarkOnSteps(steps: readonly Step[], whole: 'change' | 'difference'): string | undefined {
  const total = sum(steps.map(({ change }) => change));
  const rises = sum(steps.map(({ change }) => Math.max(0, change)));
  const falls = rises - total;
  if (rises + falls === 0) return undefined;
  if (Math.abs(total) < leastRest * (rises + falls)) {
    const dollars = toProseDollars(rises, falls);
    return `Rises of ${dollars(rises)} and falls of ${dollars(falls)} nearly cancel out.`;
  }
  const sign = Math.sign(total);
  const [first] = steps.toSorted((a, b) => sign * (b.change - a.change));
  if (!first) return undefined;
  const name = whole === 'difference' ? whole : total > 0 ? 'rise' : 'fall';
  // The label stands first: it begins with a capital.
  const dollars = toProseDollars(first.change, total);
  const its = `${first.label}: ${toSigned(first.change, dollars)}`;
  if (steps.length === 1) return `${its}, all of the ${name}.`;
  if (Math.abs(first.change) > Math.abs(total)) return `${its}; with all other changes, ${toSigned(total, dollars)}.`;
  const part = Math.abs(first.change) < most * Math.abs(total) ? 'the largest part' : 'most';
  return `${its}, ${part} of the ${name} of ${toSigned(total, dollars)}.`;
}
