import type { KeyMetric, PerformanceRow } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { GroupChoice } from '../filters/group-choice.tsx';
import { toTitle } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { keepTag, nameGroup, type TagGroup } from '../state/group.ts';
import { useQuestion } from '../state/question.ts';
import { After } from '../ui/after.tsx';
import { Card, CardHead, Choice, Empty, PageHead } from '../ui/basics.tsx';
import { ChangeHead, Compared } from '../ui/compared.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { MetricsCard } from '../users/metrics-card.tsx';
import { type Performance, usePerformance } from '../users/performance.ts';
import { UnitCostChart } from '../users/unit-cost-chart.tsx';
import { toUnitLabel, useKeyMetrics } from '../users/units.ts';
import { useIsUnpriced } from '../users/unpriced-users.ts';

/** Users and key metrics of an internal project: the cost of a unit of work, over time and by user. */
export function Users() {
  const question = useQuestion();
  const metrics = useKeyMetrics();
  const all = metrics.data?.key_metrics ?? [];
  const names = all.map(({ name }) => name);
  const { comparison } = question;
  const group = keepTag(question.search.by, ['user_tag']) ?? 'user';
  const byUser = usePerformance({ aggregate: 'all', group_by: group }, comparison?.before, comparison?.days);
  const change = useChangeSearch();
  const chosen = question.search.metric;
  const metric = all.find(({ name }) => name === chosen) ?? all[0];
  return (
    <>
      <PageHead title="Users and metrics" about={<DaysLine isCompared />}>
        <GroupChoice
          label="Rows"
          options={{ user: 'Users' }}
          tags={['user_tag']}
          value={group}
          onChoose={(by) => change({ by: by === 'user' ? undefined : by })}
        />
        {names.length > 1 && metric !== undefined && (
          <Choice
            label="Key metric"
            options={Object.fromEntries(names.map((name) => [name, name]))}
            value={metric.name}
            onChoose={(next) => change({ metric: next })}
          />
        )}
      </PageHead>
      {/* On a narrow page the choice of the metric is a line of its own, above all this. */}
      <After isFirst isPending={metrics.isPending}>
        <FilterBar by={['users', 'features', 'utags']} />
        {metric !== undefined && <UnitCostChart metric={metric} />}
        <UsersTable group={group} metrics={all} byUser={byUser} />
        {question.asOf === undefined && <MetricsCard metrics={metrics.data?.key_metrics} answer={metrics} />}
      </After>
    </>
  );
}

/** The user or the tag of a row. */
const nameOf = ({ user, tag }: PerformanceRow): string => tag ?? user ?? '';

interface UsersTableProps {
  readonly group: TagGroup | 'user';
  readonly metrics: readonly KeyMetric[];
  readonly byUser: Performance;
}

function UsersTable({ group, metrics, byUser: { now, compared, before, failed } }: UsersTableProps) {
  const { days, comparison } = useQuestion();
  const isUnpricedUser = useIsUnpriced(group === 'user');
  const isUnpriced = (row: PerformanceRow) => isUnpricedUser(nameOf(row), row);
  const toUser = (row: PerformanceRow): DoorTo | undefined =>
    group === 'user' && nameOf(row) !== '' ? { to: '/users/$name', params: { name: nameOf(row) } } : undefined;
  const all: Column<PerformanceRow>[] = [
    {
      id: 'user',
      title: group === 'user' ? 'User' : toTitle(nameGroup(group)),
      value: nameOf,
      show: (row) => (group === 'user' ? <NameLink of="user" name={nameOf(row)} /> : <Name name={nameOf(row)} />),
    },
    { id: 'cost', title: 'AI cost', unit: 'USD', isNumber: true, value: ({ cost }) => cost, isUnpriced, door: toUser },
    ...(comparison ? [{ ...toBeforeColumn(compared.data, before.data), door: toUser }] : []),
    ...metrics.flatMap(({ name, unit }): Column<PerformanceRow>[] => [
      {
        id: `value:${name}`,
        title: name,
        isNumber: true,
        value: ({ key_metrics }) => key_metrics[name]?.value ?? null,
        door: toUser,
      },
      {
        id: `unit:${name}`,
        title: toUnitLabel({ name, unit }),
        unit: 'USD',
        isNumber: true,
        value: ({ key_metrics }) => key_metrics[name]?.cost_per_unit ?? null,
        isUnpriced,
        door: toUser,
      },
    ]),
  ];
  const { table, tools } = useTableView('users', all, now.data, {
    ...{ nameOf, usual: '-cost', isMain: true, file: `users-${days.from}-${days.to}` },
    isComplete: !comparison || !!(before.data && compared.data),
  });
  return (
    <Card>
      <CardHead title={`By ${group === 'user' ? 'user' : nameGroup(group)}`}>{tools}</CardHead>
      <DataTable
        name="By user"
        answer={failed}
        idOf={nameOf}
        empty={
          <Empty title="No user on these days">
            Users of calls with a <code>user</code> tag appear here.
          </Empty>
        }
        {...table}
      />
    </Card>
  );
}

/** The cost of the days before, for users that had calls then. */
function toBeforeColumn(
  now: readonly PerformanceRow[] | undefined,
  rows: readonly PerformanceRow[] | undefined,
): Column<PerformanceRow> {
  const toCosts = (some: readonly PerformanceRow[] = []) => new Map(some.map((row) => [nameOf(row), row.cost]));
  const [costsNow, costs] = [toCosts(now), toCosts(rows)];
  return {
    id: 'before',
    title: 'Before',
    beside: <ChangeHead />,
    unit: 'USD',
    isNumber: true,
    value: (row) => costs.get(nameOf(row)) ?? null,
    show: (row, dollars) => {
      const before = costs.get(nameOf(row));
      if (now && before !== undefined) {
        return <Compared now={costsNow.get(nameOf(row)) ?? 0} before={before} format={dollars} isGoodUp={false} />;
      }
      return rows && <span className="text-mute">–</span>;
    },
  };
}
