import { useMemo } from 'react';
import { dimensions } from '../../../src/lib/dimensions.ts';
import { useAllRows, useApi, useHasAnswers } from '../api/queries.ts';
import type { CostRow, Page, UsageRow } from '../api/types.ts';
import { otherColor, palette } from '../charts/colors.ts';
import { findPeak, type NamedCost } from '../charts/remarks.ts';
import { type ChartData, countFirstDays } from '../charts/series.ts';
import { toWholeName } from '../lib/format.ts';
import { type Group, isTagGroup, nameGroup, valueOfGroup } from './group.ts';
import { type Question, toAsOf, toDates } from './question.ts';
import type { DayRange } from './search.ts';
import { hasCounterparts } from './shown-days.ts';

/** The page's own filters, such as its customer. They override those of the URL. */
export type Fixed = Readonly<Record<string, unknown>>;
const none: Fixed = {};

/** How many values of a dimension get their own colour; the rest are shown as one. */
const mostSeries = 6;

export const toCostBody = (question: Question, days: DayRange, fixed: Fixed = none) => ({
  ...toDates(days),
  ...question.filters,
  ...fixed,
  ...(question.search.credits && { apply_credits: true }),
  ...toAsOf(question),
});

/** The same for answers that can have shared costs. */
const toSharedBody = (question: Question, days: DayRange, fixed?: Fixed) => ({
  ...toCostBody(question, days, fixed),
  ...(question.search.shared && { include_shared: true }),
});

/** How many values a tag may have so that their costs over time are asked for: no filter leaves the top ones alone. */
const mostOfTag = 200;

/** The cost of each value of a group in these days. Without days, no request is sent. */
export const useCostsBy = (question: Question, group: Group, days: DayRange | undefined, fixed?: Fixed) =>
  useAllRows<CostRow>(
    '/api/costs/',
    days && { ...toSharedBody(question, days, fixed), aggregate: 'all', group_by: group },
  );

export const useUsageBy = (question: Question, group: Group, days: DayRange | undefined, fixed?: Fixed) =>
  useAllRows<UsageRow>(
    '/api/usage/',
    days && { ...toSharedBody(question, days, fixed), aggregate: 'all', group_by: group },
  );

/** Cost over time: a layer for each of the most expensive values of a group, and one for the rest. */
export function useCostChart(question: Question, group: Group, fixed?: Fixed) {
  const body = { ...toSharedBody(question, question.days, fixed), aggregate: question.granularity };
  const totals = useAllRows<CostRow>('/api/costs/', body);
  // Of models there are few, so the first page has them all, and which cost most need not be known before.
  const whole = useApi<Page<CostRow>>(
    '/api/costs/',
    { ...body, group_by: group, limit: 1_000 },
    { enabled: group === 'model' || group === 'provider' },
  );
  const all = whole.data?.has_more === false ? whole.data.rows : undefined;
  const ranking = useCostsBy(question, group, question.days, fixed);
  const top = useMemo(
    () =>
      ranking.data
        ?.toSorted((a, b) => b.cost - a.cost)
        .slice(0, isTagGroup(group) && ranking.data.length > mostOfTag ? 0 : mostSeries)
        .map((row) => valueOfGroup(row, group)),
    [ranking.data, group],
  );
  const ofTop = useAllRows<CostRow>(
    '/api/costs/',
    !whole.isLoading && !all && top && top.length > 0
      ? { ...body, group_by: group, ...(!isTagGroup(group) && { [dimensions[group].plural]: top }) }
      : undefined,
  );
  const parts = all ?? ofTop.data;
  const before = hasCounterparts(question.granularity) ? question.weeksBefore : undefined;
  const hasBefore = before !== undefined;
  const totalsBefore = useAllRows<CostRow>(
    '/api/costs/',
    before && { ...toSharedBody(question, before, fixed), aggregate: question.granularity },
  );
  const data = useMemo((): ChartData | undefined => {
    if (!totals.data || !ranking.data || !top || (top.length > 0 && !parts)) return undefined;
    const layered = layer(totals.data, parts ?? [], {
      group,
      top,
      hasOthers: ranking.data.length > top.length,
    });
    return {
      ...layered,
      before: hasBefore
        ? totalsBefore.data &&
          alignBefore(
            layered.periods,
            totalsBefore.data.map(({ cost }) => cost),
            question.hasToday,
          )
        : undefined,
      firstDays: countFirstDays(question.granularity, layered.periods),
      running: question.hasToday ? layered.periods.length - 1 : undefined,
    };
  }, [
    totals.data,
    ranking.data,
    parts,
    top,
    group,
    hasBefore,
    totalsBefore.data,
    question.hasToday,
    question.granularity,
  ]);
  const { comparison } = question;
  const peak = data && findPeak({ periods: data.periods, values: data.totals ?? [] });
  // Only where no period stands out a reader is told whose the change is, and the chart is drawn before.
  const hasAnswers = useHasAnswers();
  const asked = hasAnswers && data && !peak ? comparison : undefined;
  const compared = useCostsBy(question, group, asked?.days, fixed);
  const rankingBefore = useCostsBy(question, group, asked?.before, fixed);
  const costs = comparison
    ? rankingBefore.data && compareNames(group, compared.data, rankingBefore.data)
    : compareNames(group, ranking.data, undefined);
  const failed = [totals, ranking, ofTop, totalsBefore, compared, rankingBefore].find(({ error }) => error !== null);
  return { data, peak, costs, failed };
}

/** The values of the days before, each in the place of its period: the first periods may have none, and one that is not over is beside none. */
export const alignBefore = <Value>(
  periods: readonly string[],
  values: readonly Value[],
  hasRunning: boolean,
): (Value | null)[] =>
  periods.map((_, index) =>
    hasRunning && index === periods.length - 1 ? null : (values[index - (periods.length - values.length)] ?? null),
  );

/** The cost of each name now and before; a name may have calls only then. */
function compareNames(
  group: Group,
  now: readonly CostRow[] | undefined,
  before: readonly CostRow[] | undefined,
): NamedCost[] | undefined {
  if (!now) return undefined;
  const toCosts = (rows: readonly CostRow[]) => new Map(rows.map((row) => [valueOfGroup(row, group), row.cost]));
  const [costs, costsBefore] = [toCosts(now), toCosts(before ?? [])];
  return [...new Set([...costs.keys(), ...costsBefore.keys()])].map((name) => ({
    ...(name === '' ? { name: `calls without a ${nameGroup(group)}`, isNameless: true } : { name }),
    now: costs.get(name) ?? 0,
    before: before && (costsBefore.get(name) ?? 0),
  }));
}

interface Layers {
  readonly group: Group;
  readonly top: readonly string[];
  readonly hasOthers: boolean;
}

function layer(totals: readonly CostRow[], parts: readonly CostRow[], { group, top, hasOthers }: Layers): ChartData {
  const periods = totals.map(({ date_from }) => date_from);
  const costs = new Map(parts.map((row) => [`${row.date_from}\n${valueOfGroup(row, group)}`, row.cost]));
  const series = top.map((name, index) => ({
    name: toWholeName(name),
    of: name,
    color: palette[index] ?? otherColor,
    values: periods.map((period) => costs.get(`${period}\n${name}`) ?? 0),
  }));
  const whole = totals.map(({ cost }) => cost);
  if (!hasOthers) return { periods, series, totals: whole };
  // The API's total minus the layers, to the 12 digits of amounts (D5.1).
  const rest = whole.map((total, index) =>
    Math.max(0, Number(series.reduce((left, { values }) => left - (values[index] ?? 0), total).toFixed(12))),
  );
  return { periods, series: [...series, { name: 'Others', color: otherColor, values: rest }], totals: whole };
}
