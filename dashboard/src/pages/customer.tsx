import { useParams } from '@tanstack/react-router';
import { useTotal } from '../api/queries.ts';
import type { MarginRow } from '../api/types.ts';
import { CallsTable } from '../calls/calls-table.tsx';
import { RunsCard } from '../calls/runs-card.tsx';
import { CostChart } from '../charts/cost-chart.tsx';
import { RevenueCard } from '../customer/revenue-card.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { toDollars, toPercent } from '../lib/format.ts';
import { toAsOf, toDates, useChangeSearch, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Choice, ErrorNote, PageHead, RiskBadge } from '../ui/basics.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { TagsCard } from '../ui/tags-card.tsx';
import { BreakdownTable } from './breakdown.tsx';

const splits = { feature: 'Feature', model: 'Model' } as const;

export function Customer() {
  const { name } = useParams({ from: '/customers/$name' });
  const question = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const split = question.search.by === 'model' ? 'model' : 'feature';
  // The URL may still have another page's customer filters; this page shows one customer.
  const fixed = { customers: [name], customer_tags: undefined };
  return (
    <>
      <PageHead
        title={name}
        about={
          <>
            Customer · <DaysLine />
          </>
        }
      >
        <Choice label="Split by" options={splits} value={split} onChoose={(by) => change({ by, sort: undefined })} />
      </PageHead>
      <FilterBar by={['features', 'models', 'providers', 'rtags']} />
      {project.type === 'revenue' && <MarginFigures name={name} />}
      <CostChart dimension={split} fixed={fixed} />
      <BreakdownTable dimension={split} fixed={fixed} />
      {question.asOf === undefined && (
        <>
          {project.type === 'revenue' && <RevenueCard name={name} />}
          <TagsCard of="customer" name={name} />
          <RunsCard fixed={fixed} />
          <CallsTable fixed={fixed} title="Calls" />
        </>
      )}
    </>
  );
}

function MarginFigures({ name }: { readonly name: string }) {
  const question = useQuestion();
  const { days, search } = question;
  const { row, error, retry } = useTotal<MarginRow>('/api/margin/', {
    ...toDates(days),
    customers: [name],
    ...(search.credits && { apply_credits: true }),
    ...toAsOf(question),
  });
  if (error) return <ErrorNote problem={error} retry={retry} />;
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <FigureCard icon="trend" label="Revenue" value={row && toDollars(row.revenue)} />
      <FigureCard icon="wallet" label="AI cost" value={row && toDollars(row.cost)} about="all calls of the customer" />
      <FigureCard
        icon="percent"
        label="Margin"
        value={row && toDollars(row.margin)}
        about={row && toPercent(row.margin_pct)}
      />
      <FigureCard icon="alert" label="Status" value={row && <RiskBadge status={row.risk_status} />} />
    </div>
  );
}
