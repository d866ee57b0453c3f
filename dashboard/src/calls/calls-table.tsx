import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { keepAnswer, useAsk, useAskAll, useTotal } from '../api/queries.ts';
import type { Call, CostRow, Page, UsageRow } from '../api/types.ts';
import { countTokens } from '../breakdown/columns.tsx';
import { toCompactCount, toCount, toDuration, toTime, toWords } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { type Fixed, toCostBody, useCostsBy, useUsageBy } from '../state/costs.ts';
import { nameGroup, valueOfGroup } from '../state/group.ts';
import { toDates, useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, NoPriceBadge } from '../ui/basics.tsx';
import { type Column, CsvButton, DataTable } from '../ui/data-table.tsx';
import { type DoorTo, MaybeDoor } from '../ui/door.tsx';
import { Dollars } from '../ui/figure.tsx';
import { Name } from '../ui/name.tsx';
import { NoneOnDays } from '../ui/none-on-days.tsx';
import { ShowMore, useTableView } from '../ui/table-view.tsx';
import { useIsNarrow } from '../ui/use-is-narrow.ts';
import { toWasteBody, toWastedWords } from '../waste/causes.ts';
import { useWaste } from '../waste/use-waste.ts';
import { readTagOfCalls, type TagOfCalls } from './tag-of-calls.ts';

const pageRows = 50;
/** The orders that the API has, by the column whose head chooses them; a minus is for descending order. */
const orderOf: Readonly<Record<string, NonNullable<Search['order']> | undefined>> = {
  time: 'oldest',
  '-cost': 'dearest',
  '-tokens': 'most_tokens',
  '-elapsed_ms': 'slowest',
};
const sortOf = (order: Search['order']): string =>
  Object.entries(orderOf).find(([, name]) => name !== undefined && name === order)?.[0] ?? '-time';

interface CallsTableProps {
  readonly title: string;
  readonly fixed?: Fixed;
}

/** The calls that the URL selects, by time, cost, tokens or duration. More pages load on demand. */
export function CallsTable({ title, fixed }: CallsTableProps) {
  const question = useQuestion();
  const change = useChangeSearch();
  const { project } = useAccess();
  const ask = useAsk();
  const askAll = useAskAll();
  const isNarrow = useIsNarrow();
  const { order } = question.search;
  const asked = toCostBody(question, question.days, fixed);
  const wasted = toWasteBody(question.search);
  const ofTag = readTagOfCalls(question.search);
  const row = ofTag && { row: { ...toDates(question.days), group_by: ofTag.group, tag: ofTag.value } };
  const body = { ...asked, ...wasted, ...row, order: order ?? 'newest' };
  const isWasted = wasted.waste !== undefined;
  const ofAll = isWasted || ofTag ? undefined : asked;
  const usage = useTotal<UsageRow>('/api/usage/', ofAll);
  const costs = useTotal<CostRow>('/api/costs/', ofAll);
  const { total = usage.row, cost = costs.row } = useTotalOfTag(isWasted ? undefined : ofTag, fixed);
  const { data: waste } = useWaste({ fixed, isAsked: isWasted && !ofTag });
  const calls = keepAnswer(
    useInfiniteQuery({
      queryKey: [project.id, '/api/calls/', body],
      queryFn: ({ pageParam, signal }) =>
        ask<Page<Call>>('/api/calls/', {
          method: 'POST',
          body: { ...body, limit: pageRows, ...(pageParam !== null && { cursor: pageParam }) },
          signal,
        }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next_cursor, has_more }) => (has_more ? next_cursor : undefined),
    }),
  );
  const rows = useMemo(() => calls.data?.pages.flatMap((page) => page.rows), [calls.data]);
  // A page of one customer, or of one user, needs no column that repeats it.
  const hasCustomers =
    !fixed?.customers && (project.type === 'revenue' || !!rows?.some(({ customer }) => customer !== ''));
  const users = new Set(rows?.map(({ user }) => user));
  const hasUsers = fixed?.run_tags ? users.size > 1 : [...users].some((user) => user !== '');
  const all = useMemo(
    () => toCallColumns(project.timezone, { isNarrow, hasCustomers, hasUsers }),
    [project.timezone, isNarrow, hasCustomers, hasUsers],
  );
  const { table, isChosen, picker, filter, has } = useTableView('calls', all, rows);
  return (
    <Card>
      <CardHead
        title={
          <span className="flex items-center gap-2">
            {title} {total && <Badge>{toCount(total.calls)}</Badge>}
            {cost && (
              // The overview knows no customer or user of a page.
              <MaybeDoor door={fixed || ofTag ? undefined : { to: '/' }}>
                <Badge>
                  <Dollars value={cost.cost} />
                </Badge>
              </MaybeDoor>
            )}
            {total && total.unpriced_calls > 0 && (
              <Link to="/prices" search={true} className="hover:underline">
                <Badge tone="warn">{toCount(total.unpriced_calls)} without a price</Badge>
              </Link>
            )}
            {waste?.rows
              .filter(({ cause }) => wasted.waste?.includes(cause))
              .map((one) => (
                <Badge key={one.cause}>
                  {toCount(one.calls)} · {toWastedWords(one)}
                </Badge>
              ))}
            {ofTag && (
              <Button aria-label="Show calls with other tags too" onClick={() => change({ of: undefined })}>
                {nameGroup(ofTag.group)}: <Name name={ofTag.value} /> ×
              </Button>
            )}
          </span>
        }
      >
        {filter}
        {picker}
        <CsvButton
          about={calls.hasNextPage ? 'All calls of these days and filters, not only those that are shown' : undefined}
          name={`farthing-calls-${question.days.from}-${question.days.to}`}
          columns={isChosen ? table.columns : fileColumns}
          rows={
            rows?.length === 0
              ? rows
              : async (options) => (await askAll<Call>('/api/calls/', body, options)).filter(has)
          }
        />
      </CardHead>
      <DataTable
        name={title}
        empty={<NoneOnDays what="No calls" />}
        {...table}
        answer={calls}
        idOf={({ event_id, ordinal }) => `${event_id}/${ordinal}`}
        sort={sortOf(order)}
        isSorted
        onSort={(sort) => change({ order: orderOf[sort] })}
      />
      {calls.hasNextPage && rows && (
        <ShowMore
          count={rows.length}
          of="Filter"
          isAsking={calls.isFetchingNextPage}
          onMore={() => void calls.fetchNextPage()}
        />
      )}
    </Card>
  );
}

/** Of the calls with a tag, which no filter leaves alone: its row among those by the tag. */
function useTotalOfTag(
  ofTag: TagOfCalls | undefined,
  fixed?: Fixed,
): { readonly total?: UsageRow; readonly cost?: CostRow } {
  const question = useQuestion();
  // The sum of these calls has no share of what is no call.
  const ofCalls = { ...question, search: { ...question.search, shared: undefined } };
  const group = ofTag?.group ?? 'model';
  const days = ofTag && question.days;
  const usage = useUsageBy(ofCalls, group, days, fixed);
  const costs = useCostsBy(ofCalls, group, days, fixed);
  if (!ofTag) return {};
  const isOfTag = (row: UsageRow | CostRow) => valueOfGroup(row, group) === ofTag.value;
  const [total, cost] = [usage.data?.find(isOfTag), costs.data?.find(isOfTag)];
  return { ...(total && { total }), ...(cost && { cost }) };
}

/** The cost of a call, after credits if they were requested. */
const costOf = ({ cost, net_cost }: Call): number => net_cost ?? cost;

const tokensOf = ({ tokens }: Call): number => Object.values(tokens).reduce((sum, count) => sum + count, 0);

/** The page that explains its cost. */
const toCall = ({ event_id: id, ordinal }: Call): DoorTo => ({
  to: '/calls/$id',
  params: { id },
  search: ordinal > 0 ? { q: String(ordinal) } : {},
});

interface CallColumnsOptions {
  readonly isNarrow: boolean;
  readonly hasCustomers: boolean;
  readonly hasUsers: boolean;
}

/** The cost stands beside the time, where every window has room for it. */
function toCallColumns(timezone: string, { isNarrow, hasCustomers, hasUsers }: CallColumnsOptions): Column<Call>[] {
  const time: Column<Call> = {
    id: 'time',
    title: 'Time',
    value: ({ time: at }) => at,
    show: ({ event_id, ordinal, time: at }) => (
      <Link
        to="/calls/$id"
        params={{ id: event_id }}
        search={(search) => ({ ...search, q: ordinal > 0 ? String(ordinal) : undefined })}
        className="font-medium whitespace-nowrap hover:underline"
      >
        {isNarrow ? toTime(at, timezone).replace(/ \d{4},/, ',') : toTime(at, timezone)}
      </Link>
    ),
  };
  const cost: Column<Call> = {
    id: 'cost',
    title: 'Cost',
    unit: 'USD',
    isNumber: true,
    value: costOf,
    isUnpriced: ({ cost_source: source }) => source === 'unpriced',
    door: toCall,
  };
  return [
    time,
    cost,
    { ...text('customer', 'Customer', ({ customer }) => customer), isExtra: !hasCustomers },
    { ...text('user', 'User', ({ user }) => user), isExtra: !hasUsers },
    text('feature', 'Feature', ({ feature }) => feature),
    text('model', 'Model', ({ model }) => model),
    { ...text('provider', 'Provider', ({ provider }) => provider), isExtra: true },
    {
      id: 'tokens',
      title: 'Tokens',
      isNumber: true,
      value: tokensOf,
      show: (call) => toCompactCount(tokensOf(call)),
      door: toCall,
    },
    tokensColumn('input', 'Tokens in'),
    tokensColumn('cached', 'Cached'),
    tokensColumn('output', 'Tokens out'),
    { ...text('units', 'Units', ({ units }) => listPairs(units)), isExtra: true },
    { ...text('terms', 'Terms', ({ terms }) => listPairs(terms)), isExtra: true },
    {
      id: 'elapsed_ms',
      title: 'Duration',
      unit: 'ms',
      isNumber: true,
      value: ({ elapsed_ms }) => elapsed_ms,
      show: ({ elapsed_ms }) => (elapsed_ms === null ? '–' : toDuration(elapsed_ms)),
    },
    {
      id: 'outcome',
      title: 'Outcome',
      isUnsorted: true,
      value: ({ failed }) => (failed ? 'failed' : 'ok'),
      show: (call) => <Outcome call={call} />,
    },
    { ...text('source', 'Price from', ({ cost_source: source }) => toWords(source)), isExtra: true },
    { ...text('call', 'Call', ({ event_id }) => event_id), isExtra: true },
    {
      id: 'run',
      title: 'Run',
      isUnsorted: true,
      value: ({ run }) => run,
      show: ({ run }) => (
        <Link to="/runs/$run" params={{ run }} search={true} className="text-xs text-mute hover:underline">
          <Name name={run} most={20} />
        </Link>
      ),
    },
  ];
}

const tokensColumn = (kind: 'input' | 'cached' | 'output', title: string): Column<Call> => ({
  id: kind,
  title,
  isNumber: true,
  isUnsorted: true,
  isExtra: true,
  value: ({ tokens }) => countTokens(tokens, kind),
  show: ({ tokens }) => toCompactCount(countTokens(tokens, kind)),
  door: toCall,
});

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
  field('Tokens', tokensOf),
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
  if (cost_source === 'unpriced') return <NoPriceBadge />;
  return <Badge tone="good">ok</Badge>;
}

/** The names of a column that can't be sorted by: only the order of the API holds for all pages. */
const text = (id: string, title: string, nameOf: (call: Call) => string): Column<Call> => ({
  id,
  title,
  isUnsorted: true,
  value: nameOf,
  show: (call) => (nameOf(call) === '' ? <span className="text-mute">–</span> : <Name name={nameOf(call)} />),
});
