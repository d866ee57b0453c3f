import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAllRows } from '../api/queries.ts';
import type { MarginRow, RiskStatus } from '../api/types.ts';
import { ChartCard } from '../charts/chart-card.tsx';
import { palette } from '../charts/colors.ts';
import type { ChartData } from '../charts/series.ts';
import { Sparkline } from '../charts/sparkline.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { countDays } from '../lib/days.ts';
import { toAxisDollars, toDollars, toName, toPercent } from '../lib/format.ts';
import { toDates, useChangeSearch, useQuestion } from '../state/question.ts';
import { Badge, Card, CardHead, Empty, PageHead, RiskBadge } from '../ui/basics.tsx';
import { type Column, CsvButton, DataTable, sortRows } from '../ui/data-table.tsx';

const pageRows = 25;
const mostTrendDays = 45;
const worstFirst: Readonly<Record<RiskStatus, number>> = { unprofitable: 0, at_risk: 1, healthy: 2 };

const figureColumns: readonly Column<MarginRow>[] = [
  {
    id: 'customer',
    title: 'Customer',
    value: ({ customer }) => customer ?? '',
    show: ({ customer = '' }) => <CustomerLink name={customer} />,
  },
  money('revenue', 'Revenue', ({ revenue }) => revenue),
  money('cost', 'AI cost', ({ cost }) => cost),
  money('margin', 'Margin', ({ margin }) => margin),
  {
    id: 'margin_pct',
    title: 'Margin %',
    isNumber: true,
    value: ({ margin_pct }) => margin_pct,
    show: ({ margin_pct }) => toPercent(margin_pct),
  },
  {
    id: 'risk',
    title: 'Status',
    value: ({ risk_status }) => risk_status,
    rank: ({ risk_status }) => worstFirst[risk_status],
    show: ({ risk_status }) => <RiskBadge status={risk_status} />,
  },
];

function money(id: string, title: string, value: (row: MarginRow) => number): Column<MarginRow> {
  return {
    id,
    title,
    isNumber: true,
    value,
    show: (row) => <span className={value(row) < 0 ? 'text-bad' : ''}>{toDollars(value(row))}</span>,
  };
}

/** A question of margin, from what the address asks for. */
function useMarginBody() {
  const { search, days } = useQuestion();
  return {
    ...toDates(days),
    ...(search.customers && { customers: search.customers }),
    ...(search.features && { filter_customers_based_on_features: search.features }),
    ...(search.credits && { apply_credits: true }),
  };
}

export function Customers() {
  const question = useQuestion();
  const body = useMarginBody();
  const overTime = useAllRows<MarginRow>('/api/margin/', { ...body, aggregate: question.granularity });
  const chart = useMemo((): ChartData | undefined => {
    const rows = overTime.data;
    return (
      rows && {
        periods: rows.map(({ date_from }) => date_from),
        series: [
          { name: 'Revenue', color: palette[2] ?? '', values: rows.map(({ revenue }) => revenue) },
          { name: 'AI cost', color: palette[0] ?? '', values: rows.map(({ cost }) => cost) },
          { name: 'Margin', color: palette[3] ?? '', values: rows.map(({ margin }) => margin) },
        ],
      }
    );
  }, [overTime.data]);
  return (
    <>
      <PageHead title="Customers" about={<DaysLine />} />
      <FilterBar by={['customers', 'features']} />
      <MarginTable />
      <ChartCard
        title={`Revenue, cost and margin by ${question.granularity}`}
        file={`farthing-margin-${question.days.from}-${question.days.to}`}
        kind="lines"
        data={chart}
        problem={overTime.error}
        retry={() => void overTime.refetch()}
        format={toDollars}
        formatAxis={toAxisDollars}
      />
    </>
  );
}

function MarginTable() {
  const question = useQuestion();
  const change = useChangeSearch();
  const body = useMarginBody();
  const [page, setPage] = useState(0);
  const customers = useAllRows<MarginRow>('/api/margin/', { ...body, aggregate: 'all', group_by: 'customer' });
  const sort = question.search.sort ?? '-cost';
  const shown = useMemo(
    () =>
      sortRows(customers.data ?? [], figureColumns, sort)
        .slice(page * pageRows, (page + 1) * pageRows)
        .map(({ customer = '' }) => customer),
    [customers.data, sort, page],
  );
  const trends = useTrends(shown);
  const columns: Column<MarginRow>[] = [
    ...figureColumns,
    {
      id: 'trend',
      title: 'Margin over time',
      show: ({ customer = '' }) => (
        <Sparkline values={trends.get(customer) ?? []} label={`Margin of ${toName(customer)} over time`} />
      ),
    },
  ];
  const unprofitable =
    customers.data?.filter(({ customer, risk_status }) => customer !== '' && risk_status === 'unprofitable').length ??
    0;
  return (
    <Card>
      <CardHead
        title={
          <span className="flex items-center gap-2">
            Margin by customer
            {unprofitable > 0 && (
              <Badge tone="bad">
                {unprofitable} {unprofitable === 1 ? 'customer' : 'customers'} unprofitable
              </Badge>
            )}
          </span>
        }
      >
        <CsvButton
          name={`farthing-customers-${question.days.from}-${question.days.to}`}
          columns={figureColumns}
          rows={customers.data}
        />
      </CardHead>
      <DataTable
        name="Margin by customer"
        columns={columns}
        rows={customers.data}
        problem={customers.error}
        retry={() => void customers.refetch()}
        idOf={({ customer = '' }) => customer}
        sort={sort}
        onSort={(next) => {
          setPage(0);
          change({ sort: next });
        }}
        page={page}
        onPage={setPage}
        pageRows={pageRows}
        empty={
          <Empty title="No customer on these days">
            Calls that carry a <code>customer</code> tag, and revenue entries, appear here.
          </Empty>
        }
      />
    </Card>
  );
}

/** The margin of the customers on view over time: theirs alone is asked for. */
function useTrends(names: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const question = useQuestion();
  const { customers: _replaced, ...body } = useMarginBody();
  // A cell is too narrow for more points than these.
  const isLong = countDays(question.days.from, question.days.to) > mostTrendDays;
  const aggregate = question.granularity === 'day' && isLong ? 'week' : question.granularity;
  const rows = useAllRows<MarginRow>(
    '/api/margin/',
    { ...body, customers: names, aggregate, group_by: 'customer' },
    { enabled: names.length > 0 },
  );
  return useMemo(() => {
    const trends = new Map<string, number[]>();
    for (const { customer = '', margin } of rows.data ?? []) {
      const values = trends.get(customer);
      if (values) values.push(margin);
      else trends.set(customer, [margin]);
    }
    return trends;
  }, [rows.data]);
}

const CustomerLink = ({ name }: { readonly name: string }) =>
  name === '' ? (
    <span className="text-mute italic">{toName(name)}</span>
  ) : (
    <Link
      to="/customers/$name"
      params={{ name }}
      search={(search) => ({ ...search, sort: undefined })}
      className="font-medium hover:underline"
    >
      {name}
    </Link>
  );
