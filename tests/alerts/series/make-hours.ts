import type { MadeSeries } from './made-series.ts';
import { Random } from './random.ts';

/** The hours of a series' days: how a day's cost is spread over them, and when its faults begin. */
export interface MadeHours {
  /** The hour in which the faults begin on their first days. */
  readonly start: number;
  /** The cost of a day by hour, which adds up to that of the day, in the unit of the series. */
  readonly costsOf: (day: number) => number[];
}

export function makeHours(seed: number, series: MadeSeries): MadeHours {
  const random = new Random(seed * 2_000_003 + series.id);
  const usual = random.pick(office, office, evening, night, even);
  const start = random.whole(0, 14);
  const noise = random.between(0.1, 0.5);
  const costsOf = (day: number): number[] => {
    const ofDay = new Random(seed * 3_000_017 + series.id * 1009 + day);
    const total = series.costs[day] ?? 0;
    const fault = series.faults.find(({ first, factor }) => first === day && factor > 1);
    const usualShare = fault === undefined ? 1 : 1 / fault.factor;
    const shares = usual.map((share) => share * Math.exp(noise * ofDay.normal()));
    const faulty = usual.map((share, hour) => (hour >= start ? share : 0));
    const [whole, ofFaulty] = [sum(shares), sum(faulty)];
    let soFar = 0;
    let given = 0;
    return shares.map((share, hour) => {
      soFar += total * ((usualShare * share) / whole + ((1 - usualShare) * (faulty[hour] ?? 0)) / ofFaulty);
      const cost = (hour === 23 ? total : Math.round(soFar)) - given;
      given += cost;
      return cost;
    });
  };
  return { start, costsOf };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const bell = (middle: number, width: number, floor: number): number[] =>
  Array.from({ length: 24 }, (_, hour) => {
    const away = Math.min(Math.abs(hour - middle), 24 - Math.abs(hour - middle));
    return floor + Math.exp(-((away / width) ** 2) / 2);
  });
const office = bell(13, 3.2, 0.06);
const evening = bell(20, 3.5, 0.15);
const night = bell(2, 1.5, 0.05);
const even = bell(12, 100, 0);
