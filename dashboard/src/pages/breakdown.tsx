import { useMemo } from 'react';
import { dimensions } from '../../../src/lib/dimensions.ts';
import type { CostRow, Dimension, UsageRow } from '../api/types.ts';
import { type BreakdownRow, toBreakdownColumns } from '../breakdown/columns.tsx';
import { CostChart } from '../charts/cost-chart.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { callFilters } from '../filters/picker.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { type Fixed, useCostsBy, useUsageBy } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { Card, CardHead, Choice, Empty, PageHead } from '../ui/basics.tsx';
import { CsvButton, DataTable } from '../ui/data-table.tsx';
import { useRowFilter } from '../ui/row-filter.tsx';

export const Features = () => <Breakdown dimension="feature" title="Features" />;

const modelDimensions = { model: 'Models', provider: 'Providers' } as const;

export function Models() {
  const { search } = useQuestion();
  const dimension = search.by === 'provider' ? 'provider' : 'model';
  return <Breakdown dimension={dimension} title="Models and providers" />;
}

function Breakdown({ dimension, title }: { readonly dimension: Dimension; readonly title: string }) {
  const change = useChangeSearch();
  return (
    <>
      <PageHead title={title} about={<DaysLine isCompared />}>
        {dimension !== 'feature' && (
          <Choice
            label="Rows"
            options={modelDimensions}
            value={dimension === 'provider' ? 'provider' : 'model'}
            onChoose={(by) => change({ by: by === 'model' ? undefined : by })}
          />
        )}
      </PageHead>
      <FilterBar by={callFilters} />
      <CostChart dimension={dimension} />
      <BreakdownTable dimension={dimension} />
    </>
  );
}

interface BreakdownTableProps {
  readonly dimension: Dimension;
  /** The page's own filters. */
  readonly fixed?: Fixed;
  /** The same filters as a URL has them, for links. */
  readonly within?: Partial<Search>;
}

export function BreakdownTable({ dimension, fixed, within }: BreakdownTableProps) {
  const question = useQuestion();
  const change = useChangeSearch();
  const costs = useCostsBy(question, dimension, question.days, fixed);
  const usage = useUsageBy(question, dimension, question.days, fixed);
  const { comparison } = question;
  const compared = useCostsBy(question, dimension, comparison?.days, fixed);
  const before = useCostsBy(question, dimension, comparison?.before, fixed);
  const rows = useMemo(
    () =>
      costs.data &&
      usage.data &&
      join(dimension, { costs: costs.data, usage: usage.data, compared: compared.data, before: before.data }),
    [dimension, costs.data, usage.data, compared.data, before.data],
  );
  const { found, field } = useRowFilter(rows, (row) => row.name);
  const isCompared = comparison !== undefined;
  const columns = useMemo(() => toBreakdownColumns(dimension, { isCompared, within }), [dimension, isCompared, within]);
  const failed = [costs, usage, compared, before].find(({ error }) => error !== null);
  const name = dimensions[dimension].plural;
  return (
    <Card>
      <CardHead title={`By ${dimension}`}>
        {field}
        <CsvButton
          name={`farthing-${name}-${question.days.from}-${question.days.to}`}
          columns={columns}
          rows={isCompared && !(before.data && compared.data) ? undefined : found}
        />
      </CardHead>
      <DataTable
        name={name}
        columns={columns}
        rows={found}
        problem={failed?.error}
        retry={() => void failed?.refetch()}
        idOf={(row) => row.name}
        sort={question.search.sort ?? '-cost'}
        onSort={(sort) => change({ sort })}
        empty={<Empty title="No calls on these days">Choose other days, or remove a filter.</Empty>}
      />
    </Card>
  );
}

interface Answers {
  readonly costs: readonly CostRow[];
  readonly usage: readonly UsageRow[];
  /** Of the days that are compared, and of those before; undefined while loading or when not requested. */
  readonly compared: readonly CostRow[] | undefined;
  readonly before: readonly CostRow[] | undefined;
}

function join(dimension: Dimension, { costs, usage, compared, before }: Answers): BreakdownRow[] {
  const usageByName = new Map(usage.map((row) => [row[dimension] ?? '', row]));
  const toCosts = (rows: readonly CostRow[] = []) => new Map(rows.map((row) => [row[dimension] ?? '', row.cost]));
  const [costNow, costBefore] = [toCosts(compared), toCosts(before)];
  return costs.map((cost) => {
    const name = cost[dimension] ?? '';
    const change = compared && before && { now: costNow.get(name) ?? 0, before: costBefore.get(name) ?? 0 };
    return { name, cost, usage: usageByName.get(name), change };
  });
}
