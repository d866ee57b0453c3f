import { useMutation, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApiOptions, useAsk, useRefreshWithout } from '../api/queries.ts';
import type { Close, DriftPage } from '../api/types.ts';
import { toDay, toMinute, toSigned } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, buttonLook, Card, CardHead, ErrorNote, Skeleton } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { ShowMore, useTableView } from '../ui/table-view.tsx';
import { withShared } from './drift.ts';

/** How many more closes are shown at a time: each asks for its drift. */
const step = 12;

interface ClosesCardProps {
  /** Newest first. */
  readonly closes: readonly Close[];
  /** The close whose drift is shown below. */
  readonly shown: Close | undefined;
}

/** The closes, with what has changed since each of them. */
export function ClosesCard({ closes, shown }: ClosesCardProps) {
  const { canWrite, project } = useAccess();
  const ask = useAsk();
  const { search } = useQuestion();
  const change = useChangeSearch();
  const refreshWithout = useRefreshWithout();
  const [most, setMost] = useState(step);
  const listed = closes.slice(0, most);
  const optionsOf = useApiOptions<DriftPage>();
  const drifts = useQueries({
    queries: listed.map(({ id }) =>
      optionsOf(`/api/closes/${id}/drift/`, { limit: 1, ...(search.shared && { include_shared: true }) }),
    ),
  });
  const driftOf = (close: Close) => drifts[listed.indexOf(close)];
  const removing = useMutation({
    mutationFn: ({ id }: Close) => ask(`/api/closes/${id}/`, { method: 'DELETE' }),
    onSuccess: async (_answer, { id }) => {
      change({ close: undefined });
      await refreshWithout(`/api/closes/${id}/`);
    },
  });
  const [latest] = closes;
  const toDrift = (of: 'cost' | 'revenue', title: string): Column<Close> => ({
    ...{ id: of, title, isNumber: true, unit: 'USD' },
    value: (close) => {
      const answer = driftOf(close)?.data;
      return answer ? (withShared(answer.totals)[of] ?? null) : null;
    },
    show: (close) => <Drift answer={driftOf(close)} of={of} />,
  });
  const columns: Column<Close>[] = [
    {
      id: 'through',
      title: 'Through',
      as: 'day',
      value: ({ through }) => through,
      show: (close) => (
        <>
          {toDay(close.through)} {close.id === shown?.id && <Badge>shown</Badge>}
          {close.timezone !== project.timezone && <span className="font-normal text-mute"> {close.timezone}</span>}
        </>
      ),
    },
    { id: 'note', title: 'Note', value: ({ note }) => note },
    {
      ...{ id: 'made', title: 'Made', value: ({ created_at }) => created_at },
      show: ({ created_at }) => toMinute(created_at, project.timezone),
    },
    { id: 'days', title: 'Days', isNumber: true, value: ({ days }) => days },
    toDrift('cost', 'Cost since'),
    ...(project.type === 'revenue' ? [toDrift('revenue', 'Revenue since')] : []),
  ];
  const { table, tools } = useTableView('closes', columns, listed);
  const action: Column<Close> = {
    id: 'action',
    title: '',
    isNumber: true,
    show: (close) => (
      <span className="flex justify-end gap-1.5">
        {close.id !== shown?.id && (
          <Button
            aria-label={`What changed since the close of ${toDay(close.through)}`}
            onClick={() => change({ close: close.id })}
          >
            What changed
          </Button>
        )}
        <AsOfLink close={close} />
        {canWrite && close.id === latest?.id && (
          <ConfirmButton
            aria-label={`Delete the close of ${toDay(close.through)}`}
            disabled={removing.isPending}
            onConfirm={() => removing.mutate(close)}
          >
            Delete
          </ConfirmButton>
        )}
      </span>
    ),
  };
  return (
    <Card aria-label="Closes">
      <CardHead title="Closes">{tools}</CardHead>
      {removing.error && <ErrorNote problem={removing.error} className="m-4 mt-0" />}
      <DataTable name="Closes, table" idOf={({ id }) => id} {...table} columns={[...table.columns, action]} />
      {closes.length > listed.length && <ShowMore count={listed.length} onMore={() => setMost(most + step)} />}
    </Card>
  );
}

interface DriftProps {
  readonly answer: { readonly data?: DriftPage | undefined; readonly isError: boolean } | undefined;
  readonly of: 'cost' | 'revenue';
}

/** What has changed since a close. */
function Drift({ answer, of }: DriftProps) {
  if (answer?.isError) return <Badge tone="bad">failed to load</Badge>;
  if (!answer?.data) return <Skeleton className="ml-auto h-4 w-16" />;
  const amount = withShared(answer.data.totals)[of];
  return amount === 0 ? <span className="text-mute">no change</span> : toSigned(amount);
}

/** Leads to the costs as they were, in the last month of the close. */
const AsOfLink = ({ close }: { readonly close: Close }) => (
  <Link
    to="/"
    search={({ project }) => ({ project, as_of: close.id, from: `${close.through.slice(0, 8)}01`, to: close.through })}
    aria-label={`As of then: the close of ${toDay(close.through)}`}
    className={buttonLook}
  >
    As of then
  </Link>
);
