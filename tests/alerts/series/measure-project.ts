import { cautionOf, defaultAnomalyOptions, findAnomalies } from '../../../src/alerting/kinds/anomaly/anomaly.ts';
import { findUnusualCosts, type SeriesName } from '../../../src/alerting/kinds/anomaly/rule.ts';
import { daysMade, daysToLearn, type Fault, firstDayMade, type MadeSeries, quarter } from './made-series.ts';
import { dayOfIndex, indexOf, smallest, toMoney } from './measure.ts';

/** What fires in a quarter of a project whose customers are made series. */
export interface ProjectOutcome {
  /** What fires in 30 days. */
  readonly alarms: number;
  /** The faults of customers that matter, and whether something fired on one of their days. */
  readonly faults: readonly { readonly fault: Fault; readonly isFound: boolean }[];
}

const monthDays = 30;
/** How many customers share a feature, and a model. */
const [features, models] = [5, 3];

/** Judges a project as the service does: as a whole, and by customer, feature and model. */
export function measureProject(customers: readonly MadeSeries[]): ProjectOutcome {
  const groups: { readonly name: SeriesName; readonly of: readonly MadeSeries[] }[] = [
    ...customers.map((one, index) => ({ name: { dimension: 'customer', value: `${index}` } as const, of: [one] })),
    ...groupBy('feature', features, customers),
    ...groupBy('model', models, customers),
  ];
  const caution = cautionOf(groups.length);
  const judge = (name: SeriesName, of: readonly MadeSeries[], own: number) => {
    const days = Array.from({ length: daysMade }, (_, day) => ({
      day: dayOfIndex(day),
      cost: toMoney(of.reduce((sum, { costs }) => sum + (costs[day] ?? 0), 0)),
    }));
    const known = { days, through: dayOfIndex(daysMade - 1), since: firstDayMade };
    const found = findAnomalies(known, { ...defaultAnomalyOptions, caution: own });
    // As at the time: a later look has forgotten those that are over.
    return { name, anomalies: found.map((one) => ({ ...one, isOpen: true })) };
  };
  const fired = findUnusualCosts(
    [judge({ dimension: 'project' }, customers, 1), ...groups.map(({ name, of }) => judge(name, of, caution))],
    dayOfIndex(daysToLearn),
  ).filter(({ cause }) => cause.state === 'holds' && cause.numbers.kind !== 'new');
  return {
    alarms: (fired.length * monthDays) / quarter,
    faults: customers.flatMap(({ faults }) =>
      faults
        .filter(({ amount }) => amount >= smallest)
        .map((fault) => ({
          fault,
          isFound: fired.some(({ from, direction }) => {
            const isSame = (direction === 'up') === fault.factor > 1;
            const day = indexOf(from);
            return isSame && day >= fault.first && day < fault.first + fault.days;
          }),
        })),
    ),
  };
}

/** So many sums of the customers, each of its own part of them. */
const groupBy = (dimension: 'feature' | 'model', count: number, customers: readonly MadeSeries[]) =>
  Array.from({ length: count }, (_, value) => ({
    name: { dimension, value: `${value}` },
    of: customers.filter((_one, index) => index % count === value),
  }));

/** The series without their faults: on these days they cost what they did a week before. Each alarm is then false. */
export const withoutFaults = (all: readonly MadeSeries[]): MadeSeries[] =>
  all
    .filter(({ launches, missing }) => launches.length + missing.length === 0)
    .map((series) => {
      const costs = [...series.costs];
      for (const { first, days } of series.faults)
        for (let day = first; day < first + days; day++) costs[day] = costs[day - 7] ?? 0;
      return { ...series, costs, faults: [] };
    });

/** Projects of so many of these series each, of all kinds; at most `most` projects. */
export function makeProjects(all: readonly MadeSeries[], size: number, most: number): MadeSeries[][] {
  // A prime step takes each series once, and no two of a kind in a row.
  const mixed = all.map((_series, index) => all[(index * 7_919) % all.length]).filter((one) => one !== undefined);
  const count = Math.min(most, Math.floor(mixed.length / size));
  return Array.from({ length: count }, (_, index) => mixed.slice(index * size, (index + 1) * size));
}
