import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useApi } from '../api/queries.ts';
import type { Call, Page, Run } from '../api/types.ts';
import { toCount, toDollars, toDuration, toName, toTime } from '../lib/format.ts';
import { toCostBody } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardHead, Empty, Skeleton } from '../ui/basics.tsx';
import { DataTable } from '../ui/data-table.tsx';

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
  return (
    <Card>
      <CardHead title="Newest runs" />
      <DataTable
        name="Newest runs"
        rows={runs}
        problem={calls.error}
        retry={() => void calls.refetch()}
        idOf={(run) => run}
        empty={<Empty title="No runs on these days">Choose other days, or remove a filter.</Empty>}
        columns={[
          { id: 'run', title: 'Run', show: (run) => <RunLink run={run} /> },
          { id: 'features', title: 'Features', show: (run) => <Of run={run} show={toFeatures} /> },
          { id: 'last', title: 'Last call', show: (run) => <LastTime run={run} /> },
          {
            id: 'calls',
            title: 'Calls',
            isNumber: true,
            show: (run) => <Of run={run} show={({ calls: count }) => toCount(count)} />,
          },
          {
            id: 'failed',
            title: 'Failed',
            isNumber: true,
            show: (run) => <Of run={run} show={({ failed_calls }) => toCount(failed_calls)} />,
          },
          { id: 'lasted', title: 'First to last call', isNumber: true, show: (run) => <Of run={run} show={toSpan} /> },
          {
            id: 'cost',
            title: 'Cost',
            isNumber: true,
            show: (run) => <Of run={run} show={({ cost }) => toDollars(cost)} />,
          },
        ]}
      />
    </Card>
  );
}

const toFeatures = ({ features }: Run): string => features.map(toName).join(', ');
const toSpan = ({ first_time, last_time }: Run): string => toDuration(Date.parse(last_time) - Date.parse(first_time));

const RunLink = ({ run }: { readonly run: string }) => (
  <Link to="/runs/$run" params={{ run }} search={true} className="block max-w-60 truncate font-medium hover:underline">
    {run}
  </Link>
);

interface OfProps {
  readonly run: string;
  readonly show: (run: Run) => string;
}

/** One cell of a run. All cells of a run share one request. */
function Of({ run, show }: OfProps) {
  const found = useApi<Run>(`/api/runs/${encodeURIComponent(run)}/?limit=1`);
  if (found.isPending) return <Skeleton className="ml-auto h-4 w-12" />;
  return <>{found.data ? show(found.data) : '–'}</>;
}

function LastTime({ run }: { readonly run: string }) {
  const { project } = useAccess();
  return <Of run={run} show={({ last_time }) => toTime(last_time, project.timezone)} />;
}
