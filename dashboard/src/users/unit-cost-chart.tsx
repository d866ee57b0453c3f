import { useMemo } from 'react';
import { ChartCard } from '../charts/chart-card.tsx';
import { palette } from '../charts/colors.ts';
import { remarkOnUnitCost } from '../charts/remarks.ts';
import type { ChartData } from '../charts/series.ts';
import { useChoosePeriod } from '../charts/use-choose-period.ts';
import { toAxisDollars, toDollars } from '../lib/format.ts';
import { alignBefore } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import { hasCounterparts } from '../state/shown-days.ts';
import { usePerformance } from './performance.ts';

interface UnitCostChartProps {
  readonly metric: string;
  /** Of one user: its name. */
  readonly user?: string;
}

/** What a unit of a key metric costs over time, beside the days before. */
export function UnitCostChart({ metric, user }: UnitCostChartProps) {
  const { granularity, weeksBefore } = useQuestion();
  const { now, before, failed } = usePerformance(
    { aggregate: granularity, ...(user !== undefined && { users: [user], user_tags: undefined }) },
    hasCounterparts(granularity) ? weeksBefore : undefined,
  );
  const data = useMemo((): ChartData | undefined => {
    if (!now.data) return undefined;
    return {
      periods: now.data.map(({ date_from }) => date_from),
      series: [
        {
          name: `Cost of one: ${metric}`,
          color: palette[0] ?? '',
          values: now.data.map(({ key_metrics }) => key_metrics[metric]?.cost_per_unit ?? null),
        },
      ],
      before:
        before.data &&
        alignBefore(
          now.data.map(({ date_from }) => date_from),
          before.data.map(({ key_metrics }) => key_metrics[metric]?.cost_per_unit ?? null),
        ),
    };
  }, [now.data, before.data, metric]);
  return (
    <ChartCard
      title={`Cost per unit by ${granularity}: ${metric}`}
      remark={
        data && remarkOnUnitCost(data.series[0]?.values ?? [], data.before, { periods: data.periods, granularity })
      }
      file="farthing-cost-per-unit"
      kind="lines"
      data={data}
      problem={failed?.error}
      retry={() => void failed?.refetch()}
      format={toDollars}
      formatAxis={toAxisDollars}
    />
  );
}

/** The cost of a user over time. */
export function UserCostChart({ user }: { readonly user: string }) {
  const { granularity, weeksBefore, hasToday, days } = useQuestion();
  const { now, before, failed } = usePerformance(
    { aggregate: granularity, users: [user], user_tags: undefined },
    hasCounterparts(granularity) ? weeksBefore : undefined,
  );
  const data = useMemo((): ChartData | undefined => {
    if (!now.data) return undefined;
    const values = now.data.map(({ cost }) => cost);
    const periods = now.data.map(({ date_from }) => date_from);
    return {
      periods,
      series: [{ name: 'AI cost', color: palette[0] ?? '', values }],
      before:
        before.data &&
        alignBefore(
          periods,
          before.data.map(({ cost }) => cost),
        ),
      running: hasToday ? periods.length - 1 : undefined,
    };
  }, [now.data, before.data, hasToday]);
  const choose = useChoosePeriod(data?.periods);
  return (
    <ChartCard
      title={`Cost by ${granularity}`}
      remark={undefined}
      file={`farthing-cost-of-user-${days.from}-${days.to}`}
      kind="bars"
      data={data}
      problem={failed?.error}
      retry={() => void failed?.refetch()}
      format={toDollars}
      formatAxis={toAxisDollars}
      onChoose={choose}
    />
  );
}
