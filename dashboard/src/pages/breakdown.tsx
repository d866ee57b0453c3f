import { useMemo } from 'react';
import type { CostRow, Dimension, UsageRow } from '../api/types.ts';
import { type BreakdownRow, toBreakdownColumns } from '../breakdown/columns.tsx';
import { ChartCard } from '../charts/chart-card.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { toAxisDollars, toDollars } from '../lib/format.ts';
import { useCostChart, useCostsBy, useUsageBy } from '../state/costs.ts';
import { useChangeSearch, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardHead, Choice, Empty, ErrorNote, PageHead } from '../ui/basics.tsx';
import { CsvButton, DataTable } from '../ui/data-table.tsx';

export const Features = () => <Breakdown dimension="feature" title="Features" />;

const modelDimensions = { model: 'Models', provider: 'Providers' } as const;

export function Models() {
  const { search } = useQuestion();
  const dimension = search.by === 'provider' ? 'provider' : 'model';
  return <Breakdown dimension={dimension} title="Models and providers" />;
}

function Breakdown({ dimension, title }: { readonly dimension: Dimension; readonly title: string }) {
  const question = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const chart = useCostChart(question, dimension);
  return (
    <>
      <PageHead
        title={title}
        about={
          <>
            <DaysLine /> · {project.timezone}
          </>
        }
      >
        {dimension !== 'feature' && (
          <Choice
            label="Rows"
            options={modelDimensions}
            value={dimension === 'provider' ? 'provider' : 'model'}
            onChoose={(by) => change({ by: by === 'model' ? undefined : by })}
          />
        )}
      </PageHead>
      <FilterBar by={['customers', 'features', 'models', 'providers', 'ctags', 'rtags']} />
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
      <BreakdownTable dimension={dimension} />
    </>
  );
}

interface BreakdownTableProps {
  readonly dimension: Dimension;
  /** Filters of the page's own. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

export function BreakdownTable({ dimension, fixed }: BreakdownTableProps) {
  const question = useQuestion();
  const change = useChangeSearch();
  const costs = useCostsBy(question, dimension, question.days, fixed);
  const usage = useUsageBy(question, dimension, question.days, fixed);
  const rows = useMemo(
    () => costs.data && usage.data && join(dimension, costs.data, usage.data),
    [dimension, costs.data, usage.data],
  );
  const columns = useMemo(() => toBreakdownColumns(dimension), [dimension]);
  const failed = [costs, usage].find(({ error }) => error !== null);
  const name = `${dimension}s`;
  return (
    <Card>
      <CardHead title={`By ${dimension}`}>
        <CsvButton name={`farthing-${name}-${question.days.from}-${question.days.to}`} columns={columns} rows={rows} />
      </CardHead>
      {failed ? (
        <div className="p-4">
          <ErrorNote problem={failed.error} retry={() => void failed.refetch()} />
        </div>
      ) : (
        <DataTable
          name={name}
          columns={columns}
          rows={rows}
          idOf={(row) => row.name}
          sort={question.search.sort ?? '-cost'}
          onSort={(sort) => change({ sort })}
          empty={<Empty title="No calls on these days">Choose other days, or take a filter away.</Empty>}
        />
      )}
    </Card>
  );
}

function join(dimension: Dimension, costs: readonly CostRow[], usage: readonly UsageRow[]): BreakdownRow[] {
  const usageByName = new Map(usage.map((row) => [row[dimension] ?? '', row]));
  return costs.map((cost) => {
    const name = cost[dimension] ?? '';
    return { name, cost, usage: usageByName.get(name) };
  });
}
