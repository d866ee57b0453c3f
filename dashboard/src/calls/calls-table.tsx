import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAsk } from '../api/queries.ts';
import type { Call, Page } from '../api/types.ts';
import { toDollars, toDuration, toName, toTime } from '../lib/format.ts';
import { toCostBody } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, Empty } from '../ui/basics.tsx';
import { type Column, CsvButton, DataTable } from '../ui/data-table.tsx';

const pageRows = 50;

interface CallsTableProps {
  readonly title: string;
  readonly fixed?: Readonly<Record<string, unknown>>;
}

/** The calls that the address asks for, in the order of time; further ones are asked for on demand. */
export function CallsTable({ title, fixed }: CallsTableProps) {
  const question = useQuestion();
  const { project } = useAccess();
  const ask = useAsk();
  const body = toCostBody(question, question.days, fixed);
  const calls = useInfiniteQuery({
    queryKey: [project.id, '/api/calls/', body],
    queryFn: ({ pageParam, signal }) =>
      ask<Page<Call>>('/api/calls/', {
        method: 'POST',
        body: { ...body, limit: pageRows, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor, has_more }) => (has_more ? next_cursor : undefined),
  });
  const rows = calls.data?.pages.flatMap((page) => page.rows);
  const columns = toCallColumns(project.timezone);
  return (
    <Card>
      <CardHead title={title}>
        <CsvButton name={`farthing-calls-${question.days.from}-${question.days.to}`} columns={columns} rows={rows} />
      </CardHead>
      <DataTable
        name={title}
        columns={columns}
        rows={rows}
        problem={calls.error}
        retry={() => void calls.refetch()}
        idOf={({ event_id, ordinal }) => `${event_id}/${ordinal}`}
        pageRows={Number.POSITIVE_INFINITY}
        empty={<Empty title="No calls on these days">Choose other days, or take a filter away.</Empty>}
      />
      {calls.hasNextPage && (
        <div className="border-t border-line p-3 text-center">
          <Button disabled={calls.isFetchingNextPage} onClick={() => void calls.fetchNextPage()}>
            {calls.isFetchingNextPage ? 'Loading…' : `Show ${pageRows} more`}
          </Button>
        </div>
      )}
    </Card>
  );
}

/** After credits, when the question was about that. */
const costOf = ({ cost, net_cost }: Call): number => net_cost ?? cost;

function toCallColumns(timezone: string): Column<Call>[] {
  return [
    {
      id: 'time',
      title: 'Time',
      value: ({ time }) => time,
      show: ({ event_id, ordinal, time }) => (
        <Link
          to="/calls/$id"
          params={{ id: event_id }}
          search={(search) => ({ ...search, q: ordinal > 0 ? String(ordinal) : undefined, sort: undefined })}
          className="font-medium whitespace-nowrap hover:underline"
        >
          {toTime(time, timezone)}
        </Link>
      ),
    },
    text('customer', 'Customer', ({ customer }) => customer),
    text('feature', 'Feature', ({ feature }) => feature),
    text('model', 'Model', ({ model }) => model),
    {
      id: 'elapsed_ms',
      title: 'Duration',
      isNumber: true,
      value: ({ elapsed_ms }) => elapsed_ms,
      show: ({ elapsed_ms }) => (elapsed_ms === null ? '–' : toDuration(elapsed_ms)),
    },
    {
      id: 'cost',
      title: 'Cost',
      isNumber: true,
      value: costOf,
      show: (call) => toDollars(costOf(call)),
    },
    {
      id: 'outcome',
      title: 'Outcome',
      value: ({ failed, cost_source }) => (failed ? 'failed' : cost_source),
      show: (call) => <Outcome call={call} />,
    },
  ];
}

export function Outcome({ call: { failed, cost_source } }: { readonly call: Pick<Call, 'failed' | 'cost_source'> }) {
  if (failed) return <Badge tone="bad">failed</Badge>;
  if (cost_source === 'unpriced') return <Badge tone="warn">no price</Badge>;
  return <Badge tone="good">ok</Badge>;
}

const text = (id: string, title: string, value: (call: Call) => string): Column<Call> => ({
  id,
  title,
  value,
  show: (call) => <span className={value(call) === '' ? 'text-mute italic' : ''}>{toName(value(call))}</span>,
});
