import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useAllRows, useApi } from '../api/queries.ts';
import type { Granularity, KeyMetric, PerformanceRow } from '../api/types.ts';
import { ChartCard } from '../charts/chart-card.tsx';
import { palette } from '../charts/colors.ts';
import { remarkOnUnitCost } from '../charts/remarks.ts';
import type { ChartData } from '../charts/series.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { toAxisDollars, toCount, toDollars, toName } from '../lib/format.ts';
import { alignBefore } from '../state/costs.ts';
import { toDates, useChangeSearch, useQuestion } from '../state/question.ts';
import { type DayRange, hasCounterparts } from '../state/search.ts';
import { After } from '../ui/after.tsx';
import { Card, CardHead, Choice, Empty, PageHead } from '../ui/basics.tsx';
import { Compared } from '../ui/compared.tsx';
import { type Column, CsvButton, DataTable } from '../ui/data-table.tsx';
import { toPerformanceBody } from '../users/body.ts';
import { MetricsCard } from '../users/metrics-card.tsx';

/** The cost and the key metrics of the days, grouped; and those of the days before and of the days that they stand beside. */
function usePerformance(
  grouping: Readonly<Record<string, string>>,
  daysBefore: DayRange | undefined,
  daysNow?: DayRange,
) {
  const question = useQuestion();
  const body = { ...toPerformanceBody(question), ...grouping };
  const now = useAllRows<PerformanceRow>('/api/performance/', body);
  const before = useAllRows<PerformanceRow>('/api/performance/', daysBefore && { ...body, ...toDates(daysBefore) });
  const compared = useAllRows<PerformanceRow>('/api/performance/', daysNow && { ...body, ...toDates(daysNow) });
  return { now, compared, before, failed: [now, compared, before].find(({ error }) => error !== null) };
}

type Performance = ReturnType<typeof usePerformance>;

/** Users and key metrics of an internal project: the cost of a unit of work, over time and by user. */
export function Users() {
  const question = useQuestion();
  const metrics = useApi<{ key_metrics: readonly KeyMetric[] }>('/api/key-metrics/');
  const names = metrics.data?.key_metrics.map(({ name }) => name) ?? [];
  const { granularity, weeksBefore, comparison } = question;
  const overTime = usePerformance({ aggregate: granularity }, hasCounterparts(granularity) ? weeksBefore : undefined);
  const byUser = usePerformance({ aggregate: 'all', group_by: 'user' }, comparison?.before, comparison?.days);
  const change = useChangeSearch();
  const chosen = question.search.metric;
  const metric = chosen !== undefined && names.includes(chosen) ? chosen : names[0];
  return (
    <>
      <PageHead title="Users and metrics" about={<DaysLine isCompared />}>
        {names.length > 1 && metric !== undefined && (
          <Choice
            label="Key metric"
            options={Object.fromEntries(names.map((name) => [name, name]))}
            value={metric}
            onChoose={(next) => change({ metric: next })}
          />
        )}
      </PageHead>
      {/* On a narrow page the choice of the metric is a line of its own, above all this. */}
      <After isPending={metrics.isPending}>
        <FilterBar by={['users', 'features', 'utags']} />
        {metric !== undefined && <UnitCostChart metric={metric} granularity={granularity} overTime={overTime} />}
        <UsersTable metrics={names} byUser={byUser} />
        {question.asOf === undefined && (
          <MetricsCard
            metrics={metrics.data?.key_metrics}
            problem={metrics.error}
            retry={() => void metrics.refetch()}
          />
        )}
      </After>
    </>
  );
}

interface UnitCostChartProps {
  readonly metric: string;
  readonly granularity: Granularity;
  readonly overTime: Performance;
}

function UnitCostChart({ metric, granularity, overTime: { now, before, failed } }: UnitCostChartProps) {
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

interface UsersTableProps {
  readonly metrics: readonly string[];
  readonly byUser: Performance;
}

function UsersTable({ metrics, byUser: { now, compared, before, failed } }: UsersTableProps) {
  const question = useQuestion();
  const change = useChangeSearch();
  const columns: Column<PerformanceRow>[] = [
    {
      id: 'user',
      title: 'User',
      value: ({ user }) => user ?? '',
      show: ({ user = '' }) => <UserLink name={user} />,
    },
    {
      id: 'cost',
      title: 'AI cost',
      unit: 'USD',
      isNumber: true,
      value: ({ cost }) => cost,
      show: ({ cost }) => toDollars(cost),
    },
    ...(question.comparison ? [toBeforeColumn(compared.data, before.data)] : []),
    ...metrics.flatMap((name): Column<PerformanceRow>[] => [
      {
        id: `value:${name}`,
        title: name,
        isNumber: true,
        value: ({ key_metrics }) => key_metrics[name]?.value ?? null,
        show: ({ key_metrics }) => (key_metrics[name] ? toCount(key_metrics[name].value) : '–'),
      },
      {
        id: `unit:${name}`,
        title: `Cost of one: ${name}`,
        unit: 'USD',
        isNumber: true,
        value: ({ key_metrics }) => key_metrics[name]?.cost_per_unit ?? null,
        show: ({ key_metrics }) => (key_metrics[name] ? toDollars(key_metrics[name].cost_per_unit) : '–'),
      },
    ]),
  ];
  return (
    <Card>
      <CardHead title="By user">
        <CsvButton
          name={`farthing-users-${question.days.from}-${question.days.to}`}
          columns={columns}
          rows={question.comparison && !(before.data && compared.data) ? undefined : now.data}
        />
      </CardHead>
      <DataTable
        name="By user"
        columns={columns}
        rows={now.data}
        problem={failed?.error}
        retry={() => void failed?.refetch()}
        idOf={({ user = '' }) => user}
        sort={question.search.sort ?? '-cost'}
        onSort={(sort) => change({ sort })}
        empty={
          <Empty title="No user on these days">
            Users of calls with a <code>user</code> tag appear here.
          </Empty>
        }
      />
    </Card>
  );
}

/** The cost of the days before, for users that had calls then. */
function toBeforeColumn(
  now: readonly PerformanceRow[] | undefined,
  rows: readonly PerformanceRow[] | undefined,
): Column<PerformanceRow> {
  const toCosts = (some: readonly PerformanceRow[] = []) => new Map(some.map(({ user = '', cost }) => [user, cost]));
  const [costsNow, costs] = [toCosts(now), toCosts(rows)];
  return {
    id: 'before',
    title: 'Before',
    unit: 'USD',
    isNumber: true,
    value: ({ user = '' }) => costs.get(user) ?? null,
    show: ({ user = '' }) => {
      const before = costs.get(user);
      if (now && before !== undefined) {
        return <Compared now={costsNow.get(user) ?? 0} before={before} isGoodUp={false} />;
      }
      return rows && <span className="text-mute">–</span>;
    },
  };
}

const UserLink = ({ name }: { readonly name: string }) =>
  name === '' ? (
    <span className="text-mute italic">{toName(name)}</span>
  ) : (
    <Link
      to="/users/$name"
      params={{ name }}
      search={(search) => ({ ...search, sort: undefined })}
      className="font-medium hover:underline"
    >
      {name}
    </Link>
  );
