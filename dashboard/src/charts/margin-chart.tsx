import { useMemo } from 'react';
import { useAllRows } from '../api/queries.ts';
import type { MarginRow } from '../api/types.ts';
import { toColumnDollars } from '../lib/format.ts';
import { useMarginBody } from '../state/margins.ts';
import { useQuestion } from '../state/question.ts';
import { ChartCard } from './chart-card.tsx';
import { palette } from './colors.ts';
import { remarkOnMargins } from './remarks.ts';
import { type ChartData, countFirstDays } from './series.ts';
import { useChoosePeriod } from './use-choose-period.ts';

/** Revenue, cost and margin over time, of the customers that the URL selects. */
export function MarginChart() {
  const { canJudge, days, granularity, hasToday, search } = useQuestion();
  const overTime = useAllRows<MarginRow>('/api/margin/', { ...useMarginBody(), aggregate: granularity });
  const all = overTime.data;
  const last = hasToday && all && all.length > 1 ? all.at(-1) : undefined;
  // Just after midnight the running day has nothing yet, which is no fall to $0.
  const isEmpty = last?.revenue === 0 && last.cost === 0;
  const rows = useMemo(() => (isEmpty ? all?.slice(0, -1) : all), [all, isEmpty]);
  const running = rows && hasToday && !isEmpty ? rows.length - 1 : undefined;
  const data = useMemo(
    (): ChartData | undefined =>
      rows && {
        periods: rows.map(({ date_from }) => date_from),
        series: [
          { name: 'Revenue', color: palette[2] ?? '', values: rows.map(({ revenue }) => revenue) },
          { name: 'AI cost', color: palette[0] ?? '', values: rows.map(({ cost }) => cost) },
          { name: 'Margin', color: palette[3] ?? '', values: rows.map(({ margin }) => margin) },
        ],
        firstDays: countFirstDays(
          granularity,
          rows.map(({ date_from }) => date_from),
        ),
        running,
      },
    [rows, running, granularity],
  );
  const choose = useChoosePeriod(data?.periods);
  return (
    <ChartCard
      title={`Revenue, cost and margin by ${granularity}`}
      remark={rows && canJudge && remarkOnMargins(rows, granularity, running)}
      file={`farthing-margin-${days.from}-${days.to}`}
      kind="lines"
      data={data}
      answer={overTime}
      format={toColumnDollars}
      onChoose={choose}
      filters={[['customers', 'features'], search]}
    />
  );
}
