import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useApi, useApiOptions } from '../api/queries.ts';
import type { Call, Page, Run } from '../api/types.ts';
import { toCount, toDollars, toDuration, toName, toTime } from '../lib/format.ts';
import { toCostBody } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
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
  const { project } = useAccess();
  const toOptions = useApiOptions<Run>();
  const found = useQueries({
    queries: (runs ?? []).map((run) => toOptions(`/api/runs/${encodeURIComponent(run)}/?limit=1`)),
  });
  const isPending = runs === undefined || found.some((one) => one.isPending);
  const rows = isPending ? undefined : found.flatMap(({ data }) => data ?? []);
  const { table, tools } = useTableView('runs', toColumns(project.timezone), rows);
  return (
    <Card aria-label="Newest runs">
      <CardHead title="Newest runs">{tools}</CardHead>
      <DataTable
        name="Newest runs"
        problem={calls.error ?? found.find(({ error }) => error)?.error}
        retry={() => void calls.refetch()}
        idOf={({ run }) => run}
        empty={<NoneOnDays what="No runs" />}
        {...table}
      />
    </Card>
  );
}

function toColumns(timezone: string): Column<Run>[] {
  const number = (
    id: string,
    title: string,
    value: (run: Run) => number | null,
    show: (value: number) => string,
  ): Column<Run> => ({
    ...{ id, title, isNumber: true, value },
    show: (run) => {
      const amount = value(run);
      return amount === null ? '–' : show(amount);
    },
    door: ({ run }: Run): DoorTo => ({ to: '/runs/$run', params: { run } }),
  });
  return [
    { id: 'run', title: 'Run', value: ({ run }) => run, show: ({ run }) => <RunLink run={run} /> },
    { id: 'features', title: 'Features', value: ({ features }) => features.map(toName).join(', ') },
    {
      ...{ id: 'last', title: 'Last call', value: ({ last_time }) => last_time },
      show: ({ last_time }) => toTime(last_time, timezone),
    },
    number('calls', 'Calls', ({ calls }) => calls, toCount),
    number('failed', 'Failed', ({ failed_calls: failed }) => failed, toCount),
    number('lasted', 'First to last call', toSpan, toDuration),
    {
      ...number('cost', 'Cost', ({ cost }) => cost, toDollars),
      unit: 'USD',
      show: ({ cost }, dollars) => dollars(cost),
    },
  ];
}

const toSpan = ({ calls, first_time, last_time }: Run): number | null =>
  calls === 1 ? null : Date.parse(last_time) - Date.parse(first_time);

const RunLink = ({ run }: { readonly run: string }) => (
  <Link to="/runs/$run" params={{ run }} search={true} className="font-medium hover:underline">
    <Name name={run} />
  </Link>
);
