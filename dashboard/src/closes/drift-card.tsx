import { useMemo } from 'react';
import { useAllRows } from '../api/queries.ts';
import type { Close, DriftRow } from '../api/types.ts';
import { ChartCard } from '../charts/chart-card.tsx';
import { toColumnSigned, toDay, toSigned } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import type { DriftBy } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardHead, Choice, Empty } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { causeLabels, type DriftGroup, groupDrift, remarkOnDrift, sizeOf, toDriftChart, withShared } from './drift.ts';

const labels: Readonly<Record<DriftBy, string>> = { day: 'Days', customer: 'Customers', cause: 'Causes' };
const titles: Readonly<Record<DriftBy, string>> = { day: 'Day', customer: 'Customer', cause: 'Cause' };

/** What has changed since a close: over time, and by day, customer or cause. */
export function DriftCards({ close }: { readonly close: Close }) {
  const { search } = useQuestion();
  const drift = useAllRows<DriftRow>(`/api/closes/${close.id}/drift/`, search.shared ? { include_shared: true } : {});
  const { project } = useAccess();
  const rows = useMemo(() => drift.data?.map(withShared), [drift.data]);
  // The cost, if it has changed; otherwise the revenue.
  const of = rows?.some(({ cost = 0 }) => cost !== 0) || project.type === 'internal' ? 'cost' : 'revenue';
  const data = useMemo(() => rows && toDriftChart(rows, of), [rows, of]);
  const file = `drift-${close.through}`;
  if (rows?.length === 0) {
    return (
      <Card aria-label="Drift">
        <CardHead title={`Since the close of ${toDay(close.through)}`} />
        <Empty title="Nothing has changed">
          The present figures equal those of the close. What arrives late or is repriced appears here.
        </Empty>
      </Card>
    );
  }
  return (
    <>
      <ChartCard
        title={`Change of ${of} since the close of ${toDay(close.through)}, by cause`}
        remark={rows && remarkOnDrift(rows, of)}
        file={`farthing-${file}-by-day`}
        kind="bars"
        data={data}
        answer={drift}
        format={toColumnSigned}
      />
      {drift.error === null && rows && <DriftTable rows={rows} file={file} />}
    </>
  );
}

interface DriftTableProps {
  readonly rows: readonly DriftRow[];
  readonly file: string;
}

function DriftTable({ rows, file }: DriftTableProps) {
  const { search } = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const by = search.drift ?? 'cause';
  const groups = useMemo(() => groupDrift(rows, by), [rows, by]);
  const columns: Column<DriftGroup>[] = [
    { id: by, title: titles[by], value: ({ name }) => name, show: ({ label }) => label },
    amount('cost', 'Cost', false),
    ...(project.type === 'revenue' ? [amount('revenue', 'Revenue', true)] : []),
    amount('credits', 'Credits', true),
    ...(by === 'cause'
      ? []
      : [
          {
            id: 'causes',
            title: 'By',
            value: ({ causes }: DriftGroup) => toCauses(causes),
            show: ({ causes }: DriftGroup) => <span className="text-mute">{toCauses(causes)}</span>,
          },
        ]),
  ];
  const { table, tools } = useTableView(`drift-by-${by}`, columns, groups, {
    ...{ usual: by === 'day' ? 'day' : '-cost', file: `${file}-by-${by}` },
  });
  return (
    <Card aria-label="Drift">
      <CardHead title="What has changed">
        <Choice
          label="Of"
          options={labels}
          value={by}
          onChoose={(next) => change({ drift: next === 'cause' ? undefined : next })}
        />
        {tools}
      </CardHead>
      <DataTable name="Drift, table" idOf={({ name }) => name} {...table} />
    </Card>
  );
}

const toCauses = (causes: DriftGroup['causes']): string => causes.map((cause) => causeLabels[cause]).join(', ');

const amount = (id: 'cost' | 'revenue' | 'credits', title: string, isGoodUp: boolean): Column<DriftGroup> => ({
  id,
  title,
  unit: 'USD',
  isNumber: true,
  value: (group) => group[id],
  rank: (group) => (id === 'cost' ? sizeOf(group) : Math.abs(group[id])),
  show: ({ [id]: change }) =>
    change === 0 ? (
      <span className="text-mute">–</span>
    ) : (
      <span className={change > 0 === isGoodUp ? 'text-good' : 'text-bad'}>{toSigned(change)}</span>
    ),
});
