import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useAsk, useAskAll } from '../api/queries.ts';
import type { Call, Page } from '../api/types.ts';
import { toDollars, toDuration, toName, toTime, toWords } from '../lib/format.ts';
import { toCostBody } from '../state/costs.ts';
import { useChangeSearch, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, Choice, Empty } from '../ui/basics.tsx';
import { type Column, CsvButton, DataTable } from '../ui/data-table.tsx';
import { toWasteBody } from '../waste/causes.ts';

const pageRows = 50;
const orders = { newest: 'Newest first', oldest: 'Oldest first' };

interface CallsTableProps {
  readonly title: string;
  readonly fixed?: Readonly<Record<string, unknown>>;
}

/** The calls that the URL selects, in order of time. More pages load on demand. */
export function CallsTable({ title, fixed }: CallsTableProps) {
  const question = useQuestion();
  const change = useChangeSearch();
  const { project } = useAccess();
  const ask = useAsk();
  const askAll = useAskAll();
  const order = question.search.order ?? 'newest';
  const body = { ...toCostBody(question, question.days, fixed), ...toWasteBody(question.search), order };
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
  const rows = useMemo(() => calls.data?.pages.flatMap((page) => page.rows), [calls.data]);
  const columns = toCallColumns(project.timezone);
  return (
    <Card>
      <CardHead title={title}>
        <Choice
          label="Order"
          options={orders}
          value={order}
          onChoose={(next) => change({ order: next === 'oldest' ? next : undefined })}
        />
        <CsvButton
          name={`farthing-calls-${question.days.from}-${question.days.to}`}
          columns={fileColumns}
          rows={rows?.length === 0 ? rows : (options) => askAll<Call>('/api/calls/', body, options)}
        />
      </CardHead>
      <DataTable
        name={title}
        columns={columns}
        rows={rows}
        problem={calls.error}
        retry={() => void calls.refetch()}
        idOf={({ event_id, ordinal }) => `${event_id}/${ordinal}`}
        empty={<Empty title="No calls on these days">Choose other days, or remove a filter.</Empty>}
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

/** The cost of a call, after credits if they were requested. */
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
      id: 'run',
      title: 'Run',
      show: ({ run }) => (
        <Link
          to="/runs/$run"
          params={{ run }}
          search={(search) => ({ ...search, sort: undefined })}
          className="block max-w-36 truncate text-xs text-mute hover:underline"
        >
          {run}
        </Link>
      ),
    },
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
      value: ({ failed, cost_source, partly_priced }) =>
        failed ? 'failed' : partly_priced.length > 0 ? 'partly priced' : cost_source,
      show: (call) => <Outcome call={call} />,
    },
  ];
}

const field = (title: string, value: Column<Call>['value'], unit?: Column<Call>['unit']): Column<Call> => ({
  id: title,
  title,
  ...(value && { value }),
  ...(unit && { unit }),
});

/** The columns of the CSV file: more than the page has room for. */
const fileColumns: readonly Column<Call>[] = [
  field('Call', ({ event_id }) => event_id),
  field('Ordinal', ({ ordinal }) => ordinal),
  field('Time', ({ time }) => time),
  field('Day', ({ day }) => day),
  field('Customer', ({ customer }) => customer),
  field('User', ({ user }) => user),
  field('Feature', ({ feature }) => feature),
  field('Run', ({ run }) => run),
  field('Model', ({ model }) => model),
  field('Provider', ({ provider }) => provider),
  field('Duration', ({ elapsed_ms }) => elapsed_ms, 'ms'),
  field('Tokens', ({ tokens }) => Object.values(tokens).reduce((sum, count) => sum + count, 0)),
  field('Units', ({ units }) => listPairs(units)),
  field('Terms', ({ terms }) => listPairs(terms)),
  field('Cost', costOf, 'USD'),
  field('Outcome', ({ failed }) => (failed ? 'failed' : 'ok')),
  field('Cost source', ({ cost_source }) => cost_source),
  field('Without a price', ({ partly_priced }) => partly_priced.join('; ')),
];

const listPairs = (pairs: Readonly<Record<string, number | string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');

interface OutcomeProps {
  readonly call: Pick<Call, 'failed' | 'cost_source' | 'partly_priced'>;
}

/** Whether a call failed, and what of it has no price. */
export function Outcome({ call: { failed, cost_source, partly_priced } }: OutcomeProps) {
  if (partly_priced.length > 0) {
    return (
      <span className="inline-flex items-center gap-1">
        {failed && <Badge tone="bad">failed</Badge>}
        <Badge tone="warn">partly priced</Badge>
        <span className="max-w-36 truncate text-xs text-mute">{partly_priced.map(toWords).join(', ')}</span>
      </span>
    );
  }
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
