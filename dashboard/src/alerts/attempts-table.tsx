import { useState } from 'react';
import { useApi } from '../api/queries.ts';
import type { AttemptsPage, DeliveryAttempt } from '../api/types.ts';
import { toTime } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Empty, Toolbar } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { ShowMore, useTableView } from '../ui/table-view.tsx';
import { kindLabels } from './kinds.ts';

const everyMs = 2_000;
/** How many more attempts are shown at a time, and the most that the service lists at once. */
const [step, mostRows] = [20, 1_000];

/** The newest attempts of an endpoint, as they are made. */
export function AttemptsTable({ id, name }: { readonly id: string; readonly name: string }) {
  const { project } = useAccess();
  const [limit, setLimit] = useState(step);
  const attempts = useApi<AttemptsPage>(`/api/notification-endpoints/${id}/attempts/?limit=${limit}`, undefined, {
    every: everyMs,
    keep: true,
  });
  const { table, tools } = useTableView(`attempts-${id}`, toColumns(project.timezone), attempts.data?.attempts);
  return (
    <>
      <Toolbar>{tools}</Toolbar>
      <DataTable
        name={`Attempts to ${name}`}
        answer={attempts}
        idOf={({ id: attempt }) => attempt}
        empty={<Empty title="No attempt yet">Test it, or wait for the first alert.</Empty>}
        {...table}
      />
      {attempts.data?.has_more && limit < mostRows && (
        <ShowMore count={attempts.data.attempts.length} onMore={() => setLimit(limit + step)} />
      )}
    </>
  );
}

const toColumns = (timezone: string): Column<DeliveryAttempt>[] => [
  {
    id: 'notification',
    title: 'Notification',
    value: ({ notification }) => toContent(notification),
  },
  {
    id: 'result',
    title: 'Result',
    value: ({ status, error }) => `${error === null ? 'delivered' : 'failed'} ${status ?? ''} ${error ?? ''}`,
    show: ({ status, error }) => (
      <span className="inline-flex items-center gap-2" title={error ?? undefined}>
        <Badge tone={error === null ? 'good' : 'bad'}>{error === null ? 'delivered' : 'failed'}</Badge>
        {status !== null && <span>{status}</span>}
        {error !== null && <span className="text-mute">{error}</span>}
      </span>
    ),
  },
  { id: 'at', title: 'At', as: 'time', value: ({ at }) => at },
  { id: 'took', title: 'Took', isNumber: true, unit: 'ms', value: ({ duration_ms: took }) => took },
  {
    id: 'next',
    title: 'Next attempt',
    value: ({ next_attempt_at: next, state }) => (state === 'waiting' ? next : state),
    show: ({ next_attempt_at: next, state }) => (
      <span className="whitespace-nowrap">
        {next !== null && state === 'waiting' ? toTime(next, timezone) : state === 'given_up' ? 'given up' : '–'}
      </span>
    ),
  },
];

/** Whether it tells of a beginning or an end, or is a test. */
const toContent = ({ alert, event }: DeliveryAttempt['notification']): string =>
  alert === null ? 'Test' : `${kindLabels[alert]}, ${event}`;
