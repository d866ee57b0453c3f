import { addDays, type Day } from '../../../lib/days.ts';
import type { WatchedDimension } from '../../../lib/dimensions.ts';
import { linkPath, linkToName } from '../../../lib/link-path.ts';
import { toJsonNumber } from '../../../lib/money.ts';
import type { Cause, Subject } from '../../rule/cause.ts';
import { spellName, spellUsd } from '../../rule/wording.ts';
import { type Anomaly, calmDays } from './anomaly.ts';

/** The subject of a series of costs: the whole project, or one name of a dimension. */
export type SeriesName =
  | { readonly dimension: 'project' }
  | { readonly dimension: WatchedDimension; readonly value: string };

export interface NamedAnomalies {
  readonly name: SeriesName;
  readonly anomalies: readonly Anomaly[];
}

export interface UnusualCost {
  readonly cause: Cause;
  readonly name: SeriesName;
  readonly direction: 'up' | 'down';
  readonly from: Day;
  readonly to: Day;
  /** How many hours of the last of these days are over; undefined when all are. */
  readonly hours: number | undefined;
}

/**
 * Unusual costs that began on `since` or later and may still go on: three usual days end them. Differences too small to
 * matter do not fire. A change of one name that also shows in the whole project on the same days
 * fires once, for the project; the explanation names it.
 */
export function findUnusualCosts(series: readonly NamedAnomalies[], since: Day): UnusualCost[] {
  const found = series.flatMap(({ name, anomalies }) =>
    anomalies
      .filter(({ kind, from, isOpen }) => kind !== 'small' && isOpen && from >= since)
      .map((anomaly) => toUnusual(name, anomaly)),
  );
  const ofProject = found.filter(({ name }) => name.dimension === 'project');
  return found.map((one) => {
    const isPart = ofProject.some(
      (whole) => whole !== one && whole.direction === one.direction && whole.from <= one.to && one.from <= whole.to,
    );
    return isPart && one.name.dimension !== 'project' ? { ...one, cause: { ...one.cause, state: 'lingers' } } : one;
  });
}

/**
 * The same causes, each with the first day with which it fired: a cost that arrives late can move that day. Days of one
 * name and kind that overlap, or have at most three usual days between them, are one cause.
 */
export function asFired(found: readonly UnusualCost[], open: readonly Subject[]): UnusualCost[] {
  return found.map((one) => {
    const { subject } = one.cause;
    const earliest = addDays(one.from, -calmDays);
    const fired = open.find(({ from, ...rest }) => {
      const isSame = JSON.stringify({ ...rest, from: subject.from }) === JSON.stringify(subject);
      return isSame && typeof from === 'string' && from >= earliest && from <= addDays(one.to, calmDays);
    });
    return fired === undefined ? one : { ...one, cause: { ...one.cause, subject: fired } };
  });
}

function toUnusual(name: SeriesName, { kind, from, days }: Anomaly): UnusualCost {
  const last = days.at(-1);
  const to = last?.day ?? from;
  const [cost, expected] = [toJsonNumber(last?.cost ?? 0n), toJsonNumber(last?.expected ?? 0n)];
  const spelled = spellSeries(name);
  const hours = last?.hours ?? null;
  const when = hours === null ? `On ${to}` : `In the first ${hours === 1 ? 'hour' : `${hours} hours`} of ${to}`;
  return {
    name,
    direction: kind === 'drop' ? 'down' : 'up',
    from,
    to,
    hours: last?.hours,
    cause: {
      subject: { ...(name.dimension !== 'project' && { [name.dimension]: name.value }), kind, from },
      ...(name.dimension === 'customer' && { customer: name.value }),
      state: 'holds',
      numbers: {
        kind,
        from,
        day: to,
        cost,
        expected,
        spread: toJsonNumber(last?.spread ?? 0n),
        hours,
        explanation: null,
      },
      title:
        kind === 'new'
          ? `${capital(spelled)} is new and costs ${spellUsd(cost)} a day`
          : `${capital(spelled)} costs ${kind === 'drop' ? 'less' : 'more'} than usual`,
      text:
        kind === 'new'
          ? `${capital(spelled)} had no cost before, and cost ${spellUsd(cost)} on ${to}.`
          : `${when}, ${spelled} cost ${spellUsd(cost)}; ${spellUsd(expected, cost)} was expected.`,
      path:
        name.dimension === 'project'
          ? linkPath([], { from, to })
          : linkToName(name.dimension, name.value, { from, to }),
    },
  };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const spellSeries = (name: SeriesName): string =>
  name.dimension === 'project'
    ? 'the project'
    : `${name.value === '' ? '' : `the ${name.dimension} `}${spellName(name.dimension, name.value)}`;
