import { useParams } from '@tanstack/react-router';
import { useApi } from '../api/queries.ts';
import type { ListRow, MarginRow, Page } from '../api/types.ts';
import { CallsTable } from '../calls/calls-table.tsx';
import { ChartCard } from '../charts/chart-card.tsx';
import { TagsCard } from '../customer/tags-card.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { toAxisDollars, toDollars, toPercent } from '../lib/format.ts';
import { useCostChart } from '../state/costs.ts';
import { toDates, useChangeSearch, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Choice, ErrorNote, PageHead, RiskBadge } from '../ui/basics.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { BreakdownTable } from './breakdown.tsx';

const splits = { feature: 'Feature', model: 'Model' } as const;

export function Customer() {
  const { name } = useParams({ from: '/customers/$name' });
  const question = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const split = question.search.by === 'model' ? 'model' : 'feature';
  const fixed = { customers: [name] };
  const chart = useCostChart(question, split, fixed);
  const known = useApi<Page<ListRow>>(`/api/customers/?limit=100&search=${encodeURIComponent(name)}`);
  const row = known.data?.rows.find((customer) => customer.name === name);
  return (
    <>
      <PageHead
        title={name}
        about={
          <>
            Customer · <DaysLine /> · {project.timezone}
          </>
        }
      >
        <Choice label="Split by" options={splits} value={split} onChoose={(by) => change({ by, sort: undefined })} />
      </PageHead>
      <FilterBar by={['features', 'models', 'providers', 'rtags']} />
      {project.type === 'revenue' && <MarginFigures name={name} />}
      <ChartCard
        title={`Cost by ${question.granularity}, by ${split}`}
        file={`farthing-customer-cost-${question.days.from}-${question.days.to}`}
        kind="bars"
        data={chart.data}
        problem={chart.problem}
        retry={chart.retry}
        format={toDollars}
        formatAxis={toAxisDollars}
      />
      <BreakdownTable dimension={split} fixed={fixed} />
      <TagsCard name={name} tags={row?.tags ?? {}} isWaiting={known.isPending} />
      <CallsTable fixed={fixed} title="Calls" />
    </>
  );
}

function MarginFigures({ name }: { readonly name: string }) {
  const { days, search } = useQuestion();
  const margin = useApi<Page<MarginRow>>('/api/margin/', {
    ...toDates(days),
    aggregate: 'all',
    customers: [name],
    ...(search.credits && { apply_credits: true }),
  });
  const row = margin.data?.rows[0];
  if (margin.error) return <ErrorNote problem={margin.error} retry={() => void margin.refetch()} />;
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <FigureCard icon="trend" label="Revenue" value={row && toDollars(row.revenue)} isWaiting={!row} />
      <FigureCard
        icon="wallet"
        label="AI cost"
        value={row && toDollars(row.cost)}
        about="of all its calls"
        isWaiting={!row}
      />
      <FigureCard
        icon="percent"
        label="Margin"
        value={row && toDollars(row.margin)}
        about={row && toPercent(row.margin_pct)}
        isWaiting={!row}
      />
      <FigureCard icon="alert" label="Status" value={row && <RiskBadge status={row.risk_status} />} isWaiting={!row} />
    </div>
  );
}
