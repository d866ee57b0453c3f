import { correctMad, madToSigma, medianInPlace } from '../../lib/statistics.ts';

/** How many weeks a forecast reads. In two months a season repeats often enough, and an old one is forgotten. */
const weeksRead = 8;
/** The fewest days of a weekday for a season (D20.4). */
export const leastWeeks = 4;
const week = 7;

/**
 * A model of the days before a day. Each of the seven weekdays has a season, each week has a level, and a usual day
 * costs season × level. A week is seven days, counted back from the day, so it has every weekday once.
 */
export interface WeekdayFit {
  /** The cost of a weekday at level 1: index 0 is the day's own weekday, 1 the next. NaN if it is unknown. */
  readonly seasons: readonly number[];
  /** The level of each week, the last one first. NaN if it is unknown. */
  readonly levels: readonly number[];
  /** The current level; 0 after a week in which most days cost nothing. */
  readonly level: number;
  /** How many days of each weekday are known, as in `seasons`. */
  readonly known: readonly number[];
  /** The standard deviation of a cost from its forecast, by weekday as in `seasons`. */
  readonly spreads: readonly number[];
  /** The unit of a weekday's deviations, as in `seasons`. */
  readonly units: readonly number[];
  /** The highest cost of a day, at level 1, on weekdays that usually cost nothing: occasional work. */
  readonly dearestRare: number;
}

/**
 * Fits seasons and levels to the last eight weeks before the day at `end` by medians. It is a median polish (J. W.
 * Tukey, Exploratory Data Analysis, Addison-Wesley 1977, chapter 11) with products instead of sums. So a season is the
 * median cost of a weekday, without growth and changes of level. Up to half of the days of a week or weekday can be
 * outliers without effect.
 *
 * `values` are the days in order; NaN is an unknown day.
 */
export function fitWeekdays(values: ArrayLike<number>, end: number): WeekdayFit {
  const weeks = Math.min(weeksRead, Math.ceil(end / week));
  // One cell for each weekday of each week, the last week first.
  const cells = new Float64Array(weeks * week);
  const known = new Array<number>(week).fill(0);
  for (let at = 0; at < weeks; at++) {
    for (let weekday = 0; weekday < week; weekday++) {
      const value = values[end - week * (at + 1) + weekday] ?? Number.NaN;
      cells[at * week + weekday] = value;
      if (!Number.isNaN(value)) known[weekday] = (known[weekday] ?? 0) + 1;
    }
  }
  const levels = new Array<number>(weeks).fill(1);
  let seasons = fitSeasons(cells, levels);
  for (let turn = 0; turn < polishTurns; turn++) {
    fitLevels(cells, seasons, levels);
    seasons = fitSeasons(cells, levels);
  }
  const level = fitLevelNow(cells, seasons, levels);
  const dearestRare = findDearestRare(cells, seasons, levels);
  return { seasons, levels, level, known, dearestRare, ...measureSpread(cells, seasons, levels, level) };
}

const polishTurns = 2;

const valueAt = (values: readonly number[], index: number): number => values[index] ?? Number.NaN;
const costOf = (cells: Float64Array, at: number, weekday: number): number => cells[at * week + weekday] ?? Number.NaN;

const scratch = new Float64Array(weeksRead * week);

function fitSeasons(cells: Float64Array, levels: readonly number[]): number[] {
  const seasons: number[] = [];
  for (let weekday = 0; weekday < week; weekday++) {
    let count = 0;
    for (let at = 0; at < levels.length; at++) {
      const season = costOf(cells, at, weekday) / valueAt(levels, at);
      // A week without any cost has level 0, and says nothing about seasons.
      if (Number.isFinite(season)) scratch[count++] = season;
    }
    seasons.push(medianInPlace(scratch, count));
  }
  return seasons;
}

function fitLevels(cells: Float64Array, seasons: readonly number[], levels: number[]): void {
  const floor = measurable(seasons);
  for (const at of levels.keys()) levels[at] = fitLevel(cells, seasons, floor, at);
  // No week has a level, because most days cost nothing. Then all days count unscaled.
  if (levels.every(Number.isNaN)) levels.fill(1);
}

/** The level of a week; NaN if too few of its days have a season large enough to divide by. */
function fitLevel(cells: Float64Array, seasons: readonly number[], floor: number, at: number): number {
  let count = 0;
  for (let weekday = 0; weekday < week; weekday++) {
    const season = seasons[weekday] ?? Number.NaN;
    const level = costOf(cells, at, weekday) / season;
    if (season > floor && !Number.isNaN(level)) scratch[count++] = level;
  }
  return count < fewestDaysOfLevel ? Number.NaN : medianInPlace(scratch, count);
}

const fewestDaysOfLevel = 3;

/** The smallest season that shows a level. Quieter weekdays are left out. */
const measurable = (seasons: readonly number[]): number => {
  let highest = 0;
  for (const season of seasons) if (season > highest) highest = season;
  return highest / 20;
};

/**
 * The current level: the weighted mean of the last three weeks' days, each divided by its season. Each day further back
 * has a fifth less weight, as in simple exponential smoothing. To limit the effect of outliers, each day's level is
 * first cut to within 30% of the last week's median level (S. Gelper, R. Fried and C. Croux, Robust forecasting with
 * exponential and Holt–Winters smoothing, Journal of Forecasting 29 (2010), 285–300).
 */
function fitLevelNow(cells: Float64Array, seasons: readonly number[], levels: readonly number[]): number {
  const median = levels.find((level) => !Number.isNaN(level)) ?? 1;
  const floor = measurable(seasons);
  let sum = 0;
  let weights = 0;
  for (let back = 1; back <= smoothedDays; back++) {
    const weekday = (smoothedDays - back) % week;
    const season = seasons[weekday] ?? Number.NaN;
    const level = costOf(cells, Math.ceil(back / week) - 1, weekday) / season;
    if (!(season > floor) || Number.isNaN(level)) continue;
    const weight = (1 - smoothing) ** back;
    sum += weight * Math.min(Math.max(level, median / wild), median * wild);
    weights += weight;
  }
  return weights === 0 ? median : sum / weights;
}

const smoothedDays = 21;
const smoothing = 0.2;
const wild = 1.3;

function findDearestRare(cells: Float64Array, seasons: readonly number[], levels: readonly number[]): number {
  let dearest = 0;
  for (let at = 0; at < levels.length; at++) {
    for (let weekday = 0; weekday < week; weekday++) {
      const cost = costOf(cells, at, weekday) / valueAt(levels, at);
      if (seasons[weekday] === 0 && cost > dearest && Number.isFinite(cost)) dearest = cost;
    }
  }
  return dearest;
}

/** The deviations of the days from season × level, and the error of a forecast that follows from them. */
function measureSpread(cells: Float64Array, seasons: readonly number[], levels: readonly number[], level: number) {
  const units = measureUnits(cells, seasons, levels);
  const deviations = new Float64Array(levels.length * week);
  const own: number[] = [];
  let count = 0;
  for (let weekday = 0; weekday < week; weekday++) {
    const first = count;
    for (let at = 0; at < levels.length; at++) {
      const value = costOf(cells, at, weekday) / valueAt(levels, at);
      const deviation = (value - valueAt(seasons, weekday)) / valueAt(units, weekday);
      if (Number.isFinite(deviation)) deviations[count++] = deviation;
    }
    own.push(measureDeviation(deviations.subarray(first, count)) * correctMad(count - first));
  }
  const known = deviations.subarray(0, count);
  const weeks = Math.max(levels.filter((ofWeek) => !Number.isNaN(ofWeek)).length, 1);
  const pooled = measureDeviation(known) * correctMad(weeks);
  // The season and the level are medians of a few days. A median of n days has π/2n times the variance of a day.
  const inflation = Math.sqrt(1 + Math.PI / 2 / weeks + Math.PI / 2 / week);
  const spreads = own.map((ofWeekday, weekday) => {
    const unit = (units[weekday] ?? 0) * level * inflation;
    return unit * Math.sqrt((ofWeekday ** 2 + pooledWeight * pooled ** 2) / (1 + pooledWeight));
  });
  return { spreads, units };
}

/** The weight of the spread of all weekdays. It is high, because eight days of one weekday are a rough sample. */
const pooledWeight = 5;

/** The standard deviation around 0 by the median size; by the mean if most are 0 (Iglewicz and Hoaglin 1993). */
function measureDeviation(deviations: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < deviations.length; index++) {
    const size = Math.abs(deviations[index] ?? 0);
    scratch[index] = size;
    sum += size;
  }
  const median = medianInPlace(scratch, deviations.length);
  if (median > 0) return madToSigma * median;
  return deviations.length === 0 ? 0 : meanToSigma * (sum / deviations.length);
}

/** The factor that makes the mean absolute deviation of normal values their standard deviation: √(π/2). */
const meanToSigma = Math.sqrt(Math.PI / 2);

/** The season, but at least a tenth of the mean day: else a cent is a large deviation on a quiet weekday. */
function measureUnits(cells: Float64Array, seasons: readonly number[], levels: readonly number[]): number[] {
  let sum = 0;
  let count = 0;
  for (let at = 0; at < levels.length; at++) {
    for (let weekday = 0; weekday < week; weekday++) {
      const value = costOf(cells, at, weekday) / valueAt(levels, at);
      if (!Number.isFinite(value)) continue;
      sum += value;
      count += 1;
    }
  }
  const floor = count === 0 ? 0 : (sum / count) * quietUnit;
  return seasons.map((season) => Math.max(season, floor));
}

const quietUnit = 0.1;
