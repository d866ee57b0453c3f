import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { Reprice, RepriceDetail } from '../api/types.ts';
import { toDayRange, toProseDollars } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Bar, Button, Card, CardHead, Empty, ErrorNote, FailureNote, Toolbar } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateField } from '../ui/date-field.tsx';
import { useTableView } from '../ui/table-view.tsx';

const pollMs = 700;
const isUnderWay = ({ state }: Reprice) => state === 'queued' || state === 'running';

/** Reprices past days by current prices: first previews the difference, then puts it in force on request. */
export function RepriceCard() {
  const { canWrite } = useAccess();
  const { search } = useQuestion();
  const log = useApi<{ reprices: readonly Reprice[] }>('/api/prices/reprices/');
  const reprices = log.data?.reprices.filter(({ what_if: isQuestion }) => !isQuestion);
  const { table, tools } = useTableView('reprices', logColumns, reprices);
  return (
    <>
      {canWrite && (
        <Card aria-label="Reprice" className={search.asked === undefined ? 'print:hidden' : ''}>
          <CardHead title="Reprice past days" />
          <RepriceForm />
        </Card>
      )}
      <Card aria-label="Log of reprices">
        <CardHead title="Log of reprices">{tools}</CardHead>
        <DataTable
          name="Log of reprices, table"
          answer={log}
          idOf={({ id }) => id}
          empty={<Empty title="No reprices yet" />}
          {...table}
        />
      </Card>
    </>
  );
}

type BeforeAfter = Readonly<Record<'before' | 'after', number | null>>;

const toAmount = <Row extends BeforeAfter>(id: keyof BeforeAfter, title: string): Column<Row> => ({
  ...{ id, title, isNumber: true, unit: 'USD', value: (row) => row[id] },
});

const logColumns: readonly Column<Reprice>[] = [
  { id: 'when', title: 'Requested', as: 'time', value: ({ created_at: at }) => at },
  {
    ...{ id: 'who', title: 'By', value: ({ requested_by }) => requested_by },
    show: ({ requested_by }) => <code className="text-xs">{requested_by}</code>,
  },
  {
    ...{ id: 'days', title: 'Days', value: ({ date_from, date_to }) => `${date_from} – ${date_to}` },
    show: ({ date_from, date_to }) => toDayRange({ from: date_from, to: date_to }),
  },
  {
    id: 'state',
    title: 'State',
    value: toState,
    show: (reprice) => <Badge tone={toTone(reprice)}>{toState(reprice)}</Badge>,
  },
  toAmount('before', 'Before'),
  toAmount('after', 'After'),
];

/** What has become of it, in the words of the page. */
function toState({ state, dry_run: isDryRun }: Reprice): string {
  return state !== 'done' ? state : isDryRun ? 'preview' : 'in force';
}

const toTone = ({ state, dry_run: isDryRun }: Reprice) =>
  state === 'failed' ? 'bad' : state === 'done' && !isDryRun ? 'good' : 'plain';

function RepriceForm() {
  const { days, search } = useQuestion();
  const change = useChangeSearch();
  const ask = useAsk();
  const refresh = useRefresh();
  const [range, setRange] = useState(days);
  const { asked } = search;
  const start = useMutation({
    mutationFn: (isDryRun: boolean) =>
      ask<{ id: string }>('/api/prices/reprice/', {
        method: 'POST',
        body: { date_from: range.from, date_to: range.to, dry_run: isDryRun },
      }),
    onSuccess: async ({ id }) => {
      change({ asked: id });
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate(true);
  };
  return (
    <div className="space-y-4 border-t border-line p-4">
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2 print:hidden">
        <DateField
          label="First day"
          required
          value={range.from}
          onChange={({ target }) => setRange({ ...range, from: target.value })}
        />
        <DateField
          label="Last day"
          required
          value={range.to}
          onChange={({ target }) => setRange({ ...range, to: target.value })}
        />
        <Button type="submit" disabled={start.isPending}>
          Preview the difference
        </Button>
      </form>
      {start.error && <ErrorNote problem={start.error} />}
      {asked !== undefined && (
        <Preview key={asked} id={asked} isStarting={start.isPending} onApply={() => start.mutate(false)} />
      )}
    </div>
  );
}

interface PreviewProps {
  readonly id: string;
  readonly isStarting: boolean;
  readonly onApply: () => void;
}

function Preview({ id, isStarting, onApply }: PreviewProps) {
  const reprice = useApi<RepriceDetail>(`/api/prices/reprices/${id}/`, undefined, {
    every: (found) => (found === undefined || isUnderWay(found) ? pollMs : false),
  });
  const refresh = useRefresh();
  const detail = reprice.data;
  const isDone = detail !== undefined && !isUnderWay(detail);
  // Refetch the log and the repriced numbers.
  useEffect(() => {
    if (isDone) void refresh();
  }, [isDone, refresh]);
  if (reprice.error) return <FailureNote answer={reprice} />;
  if (!detail || isUnderWay(detail)) {
    return (
      <p role="status">
        Pricing the calls… <Bar share={detail?.progress ?? 0} className="ml-2 inline-block w-40 fill-accent" />
      </p>
    );
  }
  if (detail.state === 'failed') return <p className="text-bad">It failed: {detail.failure}. Nothing has changed.</p>;
  const [before, after] = [detail.before ?? 0, detail.after ?? 0];
  const dollars = toProseDollars(before, after);
  return (
    <div className="rounded-lg border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 p-4">
        <p role="status">
          {detail.dry_run ? 'These days would cost ' : 'In force: these days cost '}
          <strong>{dollars(after)}</strong> instead of {dollars(before)}.
        </p>
        {detail.dry_run && (
          <Button kind="main" disabled={isStarting || before === after} onClick={onApply}>
            Put in force
          </Button>
        )}
      </div>
      <Differences rows={detail.by_customer} />
    </div>
  );
}

type CustomerRow = RepriceDetail['by_customer'][number];

const differenceColumns: readonly Column<CustomerRow>[] = [
  { id: 'customer', title: 'Customer', as: 'name', value: ({ customer }) => customer },
  toAmount('before', 'Before'),
  toAmount('after', 'After'),
  {
    ...{ id: 'difference', title: 'Difference', isNumber: true, unit: 'USD', value: (row) => row.after - row.before },
  },
];

/** The customers whose cost a reprice changes. */
function Differences({ rows }: { readonly rows: readonly CustomerRow[] }) {
  const changed = rows.filter(({ before, after }) => before !== after);
  const { table, tools } = useTableView('reprice-customers', differenceColumns, changed);
  return (
    <>
      <Toolbar>{tools}</Toolbar>
      <DataTable
        name="Difference by customer"
        idOf={({ customer }) => customer}
        empty={<p className="border-t border-line p-4 text-mute">No customer's cost changes.</p>}
        {...table}
      />
    </>
  );
}
