/**
 * Makes series of daily costs as AI spend has them, with known faults. Numbers of a series depend on its seed alone.
 *
 * A day's cost = scale × weekday × growth × launches × noise × fault, or the sum of a few calls.
 */
import {
  daysMade,
  daysToLearn,
  type Fault,
  type Launch,
  type MadeSeries,
  type SeriesKind,
  seriesKinds,
} from './made-series.ts';
import { Random } from './random.ts';

/** Every kind, in order; `share` of 0.1 makes every tenth series, the same as when all are made. */
export function makeAllSeries(seed: number, share = 1): MadeSeries[] {
  const kinds = Object.entries(seriesKinds).flatMap(([kind, count]) =>
    new Array<SeriesKind>(count).fill(kind as SeriesKind),
  );
  const every = Math.round(1 / share);
  return kinds.flatMap((kind, id) => (id % every === 0 ? [makeSeries(seed, id, kind)] : []));
}

function makeSeries(seed: number, id: number, kind: SeriesKind): MadeSeries {
  const random = new Random(seed * 1_000_003 + id);
  const shape = makeShape(random, kind);
  const faults = placeFaults(random, shape);
  const costs = Array.from({ length: daysMade }, (_, day) => {
    if (day < shape.born || shape.missing.includes(day)) return 0;
    const fault = faults.find(({ first, days }) => day >= first && day < first + days);
    const usual = shape.usual(day) * (fault?.factor ?? 1);
    return roundToDigits(
      1_000_000 * (shape.callCost === undefined ? usual * shape.noise(day) : sumCalls(random, usual, shape.callCost)),
    );
  });
  return { id, kind, costs, faults, launches: shape.launches, missing: shape.missing };
}

interface Shape {
  /** Dollars; of few calls the expected ones. */
  readonly usual: (day: number) => number;
  readonly noise: (day: number) => number;
  /** The median cost of a call and how much calls differ, where a day is a few calls. */
  readonly callCost: { readonly median: number; readonly sigma: number } | undefined;
  readonly born: number;
  readonly launches: readonly Launch[];
  readonly missing: readonly number[];
  /** Days that have a reason of their own to be unusual: no fault is put within ten days of a launch, or on one of the others. */
  readonly unusual: readonly number[];
}

function makeShape(random: Random, kind: SeriesKind): Shape {
  const scale = random.logBetween(2, 20_000);
  const season = makeSeason(random, kind);
  const weekly =
    kind === 'growth'
      ? random.pick(random.between(0.03, 0.15), random.between(0.03, 0.08), random.between(-0.08, -0.02))
      : random.between(-0.01, 0.02);
  const growth = (day: number) => (1 + weekly) ** (day / 7);
  const launches = kind === 'launches' ? placeLaunches(random) : [];
  const launched = (day: number) => launches.reduce((level, launch) => level * launchedBy(launch, day), 1);
  const born = kind === 'new names' ? random.whole(daysToLearn - 20, daysToLearn + 20) : 0;
  // A new customer comes to its usual use in one to four weeks.
  const warmUp = random.between(2, 12);
  const grownUp = (day: number) => (kind === 'new names' ? 1 - 0.8 * Math.exp(-(day - born) / warmUp) : 1);
  const holidays = kind === 'holidays' ? placeHolidays(random) : [];
  const holidayShare = random.between(0.1, 0.5);
  const monthEnd = kind === 'month ends' ? random.between(1.6, 4) : 1;
  const missing = kind === 'missing days' ? placeMissing(random) : [];
  const few = kind === 'small counts';
  const callsADay = random.logBetween(1, 12);
  return {
    usual: (day) =>
      (few ? callsADay : scale) *
      (season[day % 7] ?? 1) *
      growth(day) *
      launched(day) *
      grownUp(day) *
      (holidays.includes(day) ? holidayShare : 1) *
      (isFirstOfMonth(day) ? monthEnd : 1),
    noise: makeNoise(random, kind, season),
    callCost: few ? { median: random.logBetween(0.01, 3), sigma: random.between(0.2, 1) } : undefined,
    born,
    launches,
    missing,
    unusual: [...missing, ...holidays, ...listDaysOf(launches)],
  };
}

/** Monday first, 1 on the usual weekday. */
function makeSeason(random: Random, kind: SeriesKind): number[] {
  const jitter = () => random.between(0.92, 1.08);
  const season =
    kind === 'business' || kind === 'holidays'
      ? 'business'
      : kind === 'consumer'
        ? 'consumer'
        : kind === 'no season'
          ? 'none'
          : random.pick('business', 'business', 'consumer', 'none');
  if (season === 'none') return new Array<number>(7).fill(1);
  if (season === 'consumer') {
    const weekend = random.between(1.05, 1.6);
    return [jitter(), jitter(), jitter(), jitter(), (1 + weekend) / 2, weekend, weekend * jitter()];
  }
  const weekend = random.logBetween(0.04, 0.5);
  return [jitter(), jitter(), jitter(), jitter(), random.between(0.75, 1), weekend, weekend * random.between(0.7, 1.2)];
}

/**
 * Noise around 1. Its standard deviation is usually about an eighth, often a tenth or a fifth, seldom a third; a day is like the day
 * before to some degree, quiet weekdays are noisier, and the level drifts.
 */
function makeNoise(random: Random, kind: SeriesKind, season: readonly number[]): (day: number) => number {
  const sigma = Math.min(Math.max(0.12 * Math.exp(0.5 * random.normal()), 0.03), 0.4);
  const memory = random.between(0, 0.5);
  const drift = random.between(0, 0.012);
  const degrees = random.whole(2, 4);
  const noise: number[] = [];
  let last = 0;
  let level = 0;
  for (let day = 0; day < daysMade; day++) {
    const fresh = kind === 'heavy tails' ? random.studentT(degrees) : random.normal();
    last = memory * last + Math.sqrt(1 - memory ** 2) * fresh;
    level += drift * random.normal();
    const quiet = (season[day % 7] ?? 1) < 0.6 ? 1.4 : 1;
    // The mean is 1; the farthest of heavy tails are cut at twenty times.
    noise.push(Math.exp(Math.min(level + sigma * quiet * last - (sigma * quiet) ** 2 / 2, 3)));
  }
  return (day) => noise[day] ?? 1;
}

/** What so many expected calls cost, each another amount. */
function sumCalls(
  random: Random,
  expected: number,
  { median, sigma }: { readonly median: number; readonly sigma: number },
): number {
  let sum = 0;
  for (let calls = random.poisson(expected); calls > 0; calls--) sum += median * Math.exp(sigma * random.normal());
  return sum;
}

function placeLaunches(random: Random): Launch[] {
  const count = random.whole(1, 2);
  const gap = 40;
  return Array.from({ length: count }, (_, index) => ({
    first: daysToLearn + 5 + index * gap + random.whole(0, 20),
    days: random.pick(1, 1, random.whole(2, 10)),
    factor: random.pick(random.logBetween(1.3, 5), random.logBetween(1.3, 5), 1 / random.logBetween(1.3, 4)),
  }));
}

/** The share of a launch that has come on a day. */
function launchedBy({ first, days, factor }: Launch, day: number): number {
  const done = Math.min(Math.max((day - first + 1) / days, 0), 1);
  return factor ** done;
}

const listDaysOf = (launches: readonly Launch[]): number[] =>
  launches.flatMap(({ first, days }) => Array.from({ length: days + 20 }, (_, index) => first - 10 + index));

/** Single working days, and for some a week. */
function placeHolidays(random: Random): number[] {
  const single = Array.from(
    { length: random.whole(1, 4) },
    () => random.whole(0, daysMade / 7 - 1) * 7 + random.whole(0, 4),
  );
  const weekOff = random.whole(4, daysMade / 7 - 2) * 7;
  return random.chance(0.2) ? [...single, ...[0, 1, 2, 3, 4].map((day) => weekOff + day)] : single;
}

/** Single days on which nothing came, and for some a stretch. */
function placeMissing(random: Random): number[] {
  const share = random.between(0.01, 0.06);
  const single = Array.from({ length: daysMade }, (_, day) => day).filter(() => random.chance(share));
  const first = random.whole(10, daysMade - 10);
  const stretch = random.chance(0.4) ? Array.from({ length: random.whole(2, 5) }, (_, index) => first + index) : [];
  return [...new Set([...single, ...stretch])].sort((a, b) => a - b);
}

/** Every size for one day and for several. Twice the usual day comes more often: its recall is promised. */
const factors = [1.5, 2, 2, 2, 3, 5, 0.5, 0] as const;

/** One fault early and one late in the quarter, at least three weeks apart. */
function placeFaults(random: Random, { born, unusual, usual, callCost }: Shape): Fault[] {
  const early = Math.max(daysToLearn, born + 28);
  const ranges = [
    [early, daysToLearn + 38],
    [Math.max(daysToLearn + 60, early), daysMade - 8],
  ] as const;
  const meanCall = callCost === undefined ? 1 : callCost.median * Math.exp(callCost.sigma ** 2 / 2);
  return ranges.flatMap(([low, high]) => {
    const factor = random.pick(...factors);
    const days = random.chance(0.5) ? 1 : random.whole(2, 6);
    const first = random.whole(low, Math.max(low, high));
    const touches = unusual.some((day) => day >= first - 1 && day <= first + days);
    return touches || low > high
      ? []
      : [{ first, days, factor, amount: Math.abs(factor - 1) * usual(first) * meanCall }];
  });
}

/** 2026-01-05 is day 0, so the first of the months to May are these. */
const firstsOfMonths = [27, 55, 86, 116, 147];
const isFirstOfMonth = (day: number): boolean => firstsOfMonths.includes(day);

/** Rounds to a whole number with at most 4 digits that are not 0. */
function roundToDigits(amount: number): number {
  const unit = 10 ** Math.max(String(Math.floor(amount)).length - 4, 0);
  return Math.round(amount / unit) * unit;
}
