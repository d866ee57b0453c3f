import { useMemo } from 'react';
import type { KeyMetric, PerformanceRow } from '../api/types.ts';
import { ChartCard } from '../charts/chart-card.tsx';
import { palette } from '../charts/colors.ts';
import { remarkOnUnitCost } from '../charts/remarks.ts';
import type { ChartData } from '../charts/series.ts';
import { toColumnDollars, toShortRange } from '../lib/format.ts';
import { useComparedTotals } from '../state/compared-totals.ts';
import { toBeforeWords } from '../state/comparison.ts';
import { alignBefore } from '../state/costs.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { hasCounterparts } from '../state/shown-days.ts';
import { toPerformanceBody } from './body.ts';
import { usePerformance } from './performance.ts';
import { toUnitLabel } from './units.ts';

interface UnitCostChartProps {
  readonly metric: KeyMetric;
  /** Of one user: its name. */
  readonly user?: string;
}

/** What a unit of a key metric costs over time, beside the days before. */
export function UnitCostChart({ metric, user }: UnitCostChartProps) {
  const { name, unit } = metric;
  const question = useQuestion();
  const { granularity, weeksBefore, hasToday, comparison } = question;
  const own = user === undefined ? {} : { users: [user], user_tags: undefined };
  const { now, before, failed } = usePerformance(
    { aggregate: granularity, ...own },
    hasCounterparts(granularity) ? weeksBefore : undefined,
  );
  // The change is that of the cards.
  const totals = useComparedTotals<PerformanceRow>('/api/performance/', (range) => ({
    ...toPerformanceBody(question),
    ...own,
    ...toDates(range),
  }));
  const [cost, costBefore] = [totals.now, totals.before].map(({ row }) => row?.key_metrics[name]?.cost_per_unit);
  const compared = comparison &&
    cost !== undefined &&
    costBefore !== undefined && {
      ...{ now: cost, before: costBefore },
      days: toShortRange(comparison.days, comparison.days.to.slice(0, 4)),
      daysBefore: toBeforeWords(comparison),
    };
  const data = useMemo((): ChartData | undefined => {
    if (!now.data) return undefined;
    return {
      periods: now.data.map(({ date_from }) => date_from),
      series: [
        {
          name: toUnitLabel(metric),
          color: palette[0] ?? '',
          values: now.data.map(({ key_metrics }) => key_metrics[name]?.cost_per_unit ?? null),
        },
      ],
      before:
        before.data &&
        alignBefore(
          now.data.map(({ date_from }) => date_from),
          before.data.map(({ key_metrics }) => key_metrics[name]?.cost_per_unit ?? null),
          hasToday,
        ),
      running: hasToday ? now.data.length - 1 : undefined,
    };
  }, [now.data, before.data, metric, name, hasToday]);
  return (
    <ChartCard
      title={`${toUnitLabel(metric)} by ${granularity}: ${name}`}
      remark={
        data && remarkOnUnitCost(data.series[0]?.values ?? [], compared || undefined, { ...data, granularity, unit })
      }
      file="farthing-cost-per-unit"
      kind="lines"
      data={data}
      answer={failed}
      format={toColumnDollars}
    />
  );
}
