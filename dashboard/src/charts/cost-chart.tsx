import type { Dimension } from '../api/types.ts';
import { toAxisDollars, toDollars } from '../lib/format.ts';
import { type Fixed, useCostChart } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import { ChartCard } from './chart-card.tsx';

interface CostChartProps {
  readonly dimension: Dimension;
  readonly fixed?: Fixed;
}

/** Cost over time, split by a dimension. */
export function CostChart({ dimension, fixed }: CostChartProps) {
  const question = useQuestion();
  const { data, problem, retry } = useCostChart(question, dimension, fixed);
  const { granularity, days } = question;
  return (
    <ChartCard
      title={`Cost by ${granularity}, by ${dimension}`}
      file={`farthing-cost-by-${dimension}-${days.from}-${days.to}`}
      kind="bars"
      data={data}
      problem={problem}
      retry={retry}
      format={toDollars}
      formatAxis={toAxisDollars}
    />
  );
}
