import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { keepAnswer, useApi, useApiOptions } from '../api/queries.ts';
import type { Call, Page, Run } from '../api/types.ts';
import { toName } from '../lib/format.ts';
import { toCostBody } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import { Card, CardHead } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { Name } from '../ui/name.tsx';
import { NoneOnDays } from '../ui/none-on-days.tsx';
import { useTableView } from '../ui/table-view.tsx';

/** The runs are taken from the newest `mostCalls` calls; at most `mostRuns` are shown. */
const [mostCalls, mostRuns] = [200, 5];

interface RunsCardProps {
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** The newest runs that the URL selects. Their figures include all calls of a run. */
export function RunsCard({ fixed }: RunsCardProps) {
  const question = useQuestion();
  const calls = useApi<Page<Call>>('/api/calls/', {
    ...toCostBody(question, question.days, fixed),
    order: 'newest',
    limit: mostCalls,
  });
  const runs = useMemo(
    () => calls.data && [...new Set(calls.data.rows.map(({ run }) => run))].slice(0, mostRuns),
    [calls.data],
  );
  const toOptions = useApiOptions<Run>();
  const found = useQueries({
    queries: (runs ?? []).map((run) => toOptions(`/api/runs/${encodeURIComponent(run)}/?limit=1`)),
  }).map(keepAnswer);
  const isPending = runs === undefined || found.some((one) => one.isPending);
  const rows = isPending ? undefined : found.flatMap(({ data }) => data ?? []);
  const { table, tools } = useTableView('runs', columns, rows);
  return (
    <Card aria-label="Newest runs">
      <CardHead title="Newest runs">{tools}</CardHead>
      <DataTable
        name="Newest runs, table"
        answer={calls.error ? calls : found.find(({ error }) => error)}
        idOf={({ run }) => run}
        empty={<NoneOnDays what="No runs" />}
        {...table}
      />
    </Card>
  );
}

const number = (id: string, title: string, value: (run: Run) => number | null): Column<Run> => ({
  ...{ id, title, isNumber: true, value },
  door: ({ run }): DoorTo => ({ to: '/runs/$run', params: { run } }),
});

const columns: readonly Column<Run>[] = [
  { id: 'run', title: 'Run', value: ({ run }) => run, show: ({ run }) => <RunLink run={run} /> },
  { id: 'features', title: 'Features', value: ({ features }) => features.map(toName).join(', ') },
  { id: 'last', title: 'Last call', as: 'time', value: ({ last_time: at }) => at },
  number('calls', 'Calls', ({ calls }) => calls),
  number('failed', 'Failed', ({ failed_calls: failed }) => failed),
  { ...number('lasted', 'First to last call', toSpan), unit: 'ms' },
  { ...number('cost', 'Cost', ({ cost }) => cost), unit: 'USD' },
];

function toSpan({ calls, first_time, last_time }: Run): number | null {
  return calls === 1 ? null : Date.parse(last_time) - Date.parse(first_time);
}

const RunLink = ({ run }: { readonly run: string }) => (
  <Link to="/runs/$run" params={{ run }} search={true} className="hover:underline">
    <Name name={run} />
  </Link>
);
