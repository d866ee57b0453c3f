import { useApi } from '../api/queries.ts';
import type { Dimension, EventRow, Page } from '../api/types.ts';
import { ChartCard } from '../charts/chart-card.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { FirstRun } from '../first-run/first-run.tsx';
import { toAxisDollars, toDollars } from '../lib/format.ts';
import { ChangesCard } from '../overview/changes.tsx';
import { CoverageCard } from '../overview/coverage.tsx';
import { Figures } from '../overview/figures.tsx';
import { useCostChart } from '../state/costs.ts';
import { useChangeSearch, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Choice, PageHead } from '../ui/basics.tsx';

const dimensionLabels: Readonly<Record<Dimension, string>> = {
  model: 'Model',
  customer: 'Customer',
  feature: 'Feature',
  provider: 'Provider',
};

const firstEventEvery = 1_500;

export function Overview() {
  const events = useApi<Page<EventRow>>('/api/events/?limit=1');
  const isEmpty = events.data?.rows.length === 0;
  // An empty project is asked again until its first event is there.
  useApi<Page<EventRow>>('/api/events/?limit=1', undefined, { every: isEmpty ? firstEventEvery : false });
  return isEmpty ? <FirstRun /> : <OverviewOfCalls />;
}

function OverviewOfCalls() {
  const question = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const dimension = question.search.by ?? 'model';
  const chart = useCostChart(question, dimension);
  return (
    <>
      <PageHead
        title="Costs"
        about={
          <>
            <DaysLine /> · {project.name} · {project.timezone}
          </>
        }
      >
        <Choice
          label="Split by"
          options={dimensionLabels}
          value={dimension}
          onChoose={(by) => change({ by: by === 'model' ? undefined : by })}
        />
      </PageHead>
      <FilterBar by={['customers', 'features', 'models', 'providers', 'ctags', 'rtags']} />
      <Figures />
      <ChartCard
        title={`Cost by ${question.granularity}, by ${dimension}`}
        file={`farthing-cost-by-${dimension}-${question.days.from}-${question.days.to}`}
        kind="bars"
        data={chart.data}
        problem={chart.problem}
        retry={chart.retry}
        format={toDollars}
        formatAxis={toAxisDollars}
      />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <ChangesCard />
        <CoverageCard />
      </div>
    </>
  );
}
