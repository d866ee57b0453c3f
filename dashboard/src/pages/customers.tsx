import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useAllRows, useAllRowsOptions } from '../api/queries.ts';
import type { MarginRow, RiskStatus } from '../api/types.ts';
import { MarginChart } from '../charts/margin-chart.tsx';
import { Sparkline } from '../charts/sparkline.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { GroupChoice } from '../filters/group-choice.tsx';
import { countDays } from '../lib/days.ts';
import { toCount, toMarginPct, toMarginValue, toName, toShare, toTitle } from '../lib/format.ts';
import { addUp } from '../report/shares.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { filtersOf, keepTag, nameGroup, type TagGroup } from '../state/group.ts';
import { countUnprofitable, hasRevenue, useMarginBody, useMarginBy } from '../state/margins.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { isCostUnknown, useUnpriced } from '../state/unpriced.ts';
import { After } from '../ui/after.tsx';
import { Badge, Card, CardHead, Empty, hasFigures, PageHead, RiskBadge } from '../ui/basics.tsx';
import { ChangeHead, Compared } from '../ui/compared.tsx';
import { type Column, DataTable, type View } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { useIsNarrow } from '../ui/use-is-narrow.ts';

/** The most customers in one request for margin over time. */
const trendBlockRows = 25;
/** How long scrolling must stop before the trends of the visible rows are requested, in milliseconds. */
const restMs = 120;
const mostTrendDays = 45;
const worstFirst: Readonly<Record<RiskStatus | 'no price', number>> = {
  unprofitable: 0,
  at_risk: 1,
  'no price': 2,
  healthy: 3,
};

type MarginGroup = TagGroup | 'customer';

/** The customer or the tag of a row. */
const nameOf = ({ customer, tag }: MarginRow): string => tag ?? customer ?? '';

interface FigureOptions {
  readonly group: MarginGroup;
  /** Whether revenue is known at all. */
  readonly isKnown: boolean;
  /** USD, the cost of all rows. */
  readonly total: number;
  /** Those of which no call has a price; undefined while that is asked. */
  readonly unpriced: ReadonlySet<string> | undefined;
}

function toFigureColumns({ group, isKnown, total, unpriced }: FigureOptions): readonly Column<MarginRow>[] {
  const isUnpriced = (row: MarginRow) => isCostUnknown(row, nameOf(row), unpriced);
  // Of an amount that only its shared costs make, too.
  const ofCost = { isUnpriced: (row: MarginRow) => isUnpriced(row) && row.cost === 0 };
  const isJudged = (row: MarginRow) => isKnown && unpriced !== undefined && nameOf(row) !== '';
  return [
    {
      id: 'customer',
      title: group === 'customer' ? 'Customer' : toTitle(nameGroup(group)),
      value: nameOf,
      show: (row) =>
        group === 'customer' ? <NameLink of="customer" name={nameOf(row)} /> : <Name name={nameOf(row)} />,
    },
    {
      ...money('revenue', 'Revenue', ({ revenue }) => revenue),
      door: (row) => toCustomer(group, row, { hash: 'revenue-entries' }),
    },
    { ...money('cost', 'AI cost', ({ cost }) => cost), ...ofCost, door: (row) => toItsCalls(group, row) },
    {
      id: 'share',
      title: 'Share of AI cost',
      unit: 'share',
      isNumber: true,
      value: ({ cost }) => (total === 0 ? 0 : cost / total),
      show: ({ cost }) => toShare(total === 0 ? 0 : cost / total, 1),
      ...ofCost,
      isExtra: true,
    },
    {
      ...money('margin', 'Margin', ({ margin }) => margin),
      ...ofCost,
      door: (row) => toCustomer(group, row) ?? toItsCalls(group, row),
    },
    {
      id: 'margin_pct',
      title: 'Margin %',
      isNumber: true,
      value: toMarginValue,
      show: toMarginPct,
      ...ofCost,
      door: (row) => toCustomer(group, row),
    },
    {
      id: 'risk',
      title: 'Status',
      value: (row) => (isUnpriced(row) ? 'no price' : isJudged(row) && hasFigures(row) ? row.risk_status : null),
      rank: (row) => worstFirst[isUnpriced(row) ? 'no price' : row.risk_status],
      show: (row) => (
        <RiskBadge row={row} isKnown={isJudged(row)} isUnpriced={isUnpriced(row)} isPending={unpriced === undefined} />
      ),
    },
  ];
}

/** The page of a row's customer, which explains its figures; a tag has none. */
const toCustomer = (group: MarginGroup, row: MarginRow, more: Partial<DoorTo> = {}): DoorTo | undefined =>
  group === 'customer' && nameOf(row) !== ''
    ? { to: '/customers/$name', params: { name: nameOf(row) }, ...more }
    : undefined;

/** The calls of a row, the dearest first. */
function toItsCalls(group: MarginGroup, row: MarginRow): DoorTo | undefined {
  const filters = filtersOf(group, nameOf(row));
  return filters && { to: '/calls', search: { ...filters, order: 'dearest' } };
}

function money(id: string, title: string, value: (row: MarginRow) => number): Column<MarginRow> {
  return { id, title, unit: 'USD', isNumber: true, isLoss: true, value };
}

export function Customers() {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const group = keepTag(search.by, ['customer_tag']) ?? 'customer';
  const { isPending } = useMarginBy(group);
  return (
    <>
      <PageHead title="Customers" about={<DaysLine isCompared />}>
        <GroupChoice
          label="Rows"
          options={{ customer: 'Customers' }}
          tags={['customer_tag']}
          value={group}
          onChoose={(by) => change({ by: by === 'customer' ? undefined : by })}
        />
      </PageHead>
      <FilterBar by={['customers', 'features']} hasShared />
      <MarginTable group={group} />
      <After isPending={isPending}>
        <MarginChart />
      </After>
    </>
  );
}

function MarginTable({ group }: { readonly group: MarginGroup }) {
  const { canJudge, comparison, days, firstDay } = useQuestion();
  const body = useMarginBody();
  const customers = useMarginBy(group);
  const unpriced = useUnpriced(group);
  const before = useAllRows<MarginRow>(
    '/api/margin/',
    comparison && { ...body, aggregate: 'all', group_by: group, ...toDates(comparison.before) },
  );
  const compared = useAllRows<MarginRow>(
    '/api/margin/',
    comparison && { ...body, aggregate: 'all', group_by: group, ...toDates(comparison.days) },
  );
  const [view, setView] = useState<View<MarginRow>>();
  const trends = useTrends(group === 'customer' ? view : undefined);
  const range = useMemo(() => calcRange([...trends.values()].flat()), [trends]);
  const isCompared = comparison !== undefined;
  const isNarrow = useIsNarrow();
  const isKnown = canJudge && customers.data !== undefined && hasRevenue(customers.data);
  const all = useMemo(() => {
    const total = addUp(customers.data ?? [], ({ cost }) => cost);
    const usual = toFigureColumns({ group, isKnown, total, unpriced });
    // A phone has room for the cost and the margin beside the name; the revenue comes after them.
    const isLate = ({ id }: Column<MarginRow>) => isNarrow && !['customer', 'cost', 'margin'].includes(id);
    const figures = [...usual.filter((one) => !isLate(one)), ...usual.filter(isLate)];
    const others = isCompared ? [...figures, ...toBeforeColumns(group, compared.data, before.data, unpriced)] : figures;
    const [now, then] = [compared.data, before.data].map(
      (some = []) => new Map(some.map((row) => [nameOf(row), row.margin])),
    );
    const trend: Column<MarginRow> = {
      id: 'trend',
      title: 'Margin over time',
      isUnpriced: (row) => isCostUnknown(row, nameOf(row), unpriced),
      ...(isCompared && { rank: (row) => (now?.get(nameOf(row)) ?? 0) - (then?.get(nameOf(row)) ?? 0) }),
      show: ({ customer = '' }) => (
        <Sparkline
          values={trends.get(customer) ?? []}
          range={range}
          label={`Margin of ${toName(customer)} over time`}
        />
      ),
    };
    // No filter leaves the customers of a tag alone whose margins over time are asked for.
    return group === 'customer' ? [...others, trend] : others;
  }, [group, isKnown, unpriced, isCompared, isNarrow, customers.data, compared.data, before.data, trends, range]);
  const { table, tools } = useTableView('customers', all, customers.data, {
    ...{ nameOf, usual: '-cost', isMain: true, file: `customers-${days.from}-${days.to}` },
    isComplete: !isCompared || !!(before.data && compared.data),
  });
  const unprofitable = group === 'customer' && canJudge ? countUnprofitable(customers.data ?? [], unpriced) : 0;
  const failed = [customers, compared, before].find(({ error }) => error !== null);
  return (
    <Card>
      <CardHead
        title={
          // A narrow window shows the second line from the start, so that nothing below it moves.
          <span className="flex gap-2 max-lg:flex-col max-lg:gap-0.5 lg:items-center">
            <span className="flex items-center gap-2">
              Margin by {group === 'customer' ? 'customer' : nameGroup(group)}
              {customers.data && <Badge>{toCount(customers.data.length)}</Badge>}
            </span>
            <span className="max-lg:min-h-6">
              {customers.data &&
                customers.data.length > 0 &&
                !isKnown &&
                (firstDay === undefined || !hasRevenue(customers.data)) && (
                  <Link
                    to={firstDay === undefined ? '/connect' : '/revenue'}
                    search={true}
                    className="text-[13px] font-normal text-accent underline"
                  >
                    {firstDay === undefined
                      ? 'No call has come yet: send the first to see margins'
                      : 'No revenue on these days: add it to see margins'}
                  </Link>
                )}
              {unprofitable > 0 && (
                <Badge tone="bad">
                  {toCount(unprofitable)} {unprofitable === 1 ? 'customer' : 'customers'} unprofitable
                </Badge>
              )}
            </span>
          </span>
        }
      >
        {tools}
      </CardHead>
      <DataTable
        name={`Margin by ${group === 'customer' ? 'customer' : nameGroup(group)}`}
        answer={failed}
        idOf={nameOf}
        onView={setView}
        empty={
          <Empty title="No customer on these days">
            Customers with revenue or with calls that have a <code>customer</code> tag appear here.
          </Empty>
        }
        {...table}
      />
    </Card>
  );
}

/** The margin of the days before, for customers that had calls or revenue then; and what made it. */
function toBeforeColumns(
  group: MarginGroup,
  now: readonly MarginRow[] | undefined,
  rows: readonly MarginRow[] | undefined,
  unpriced: ReadonlySet<string> | undefined,
): Column<MarginRow>[] {
  const byNameOf = (some: readonly MarginRow[] = []) => new Map(some.map((row) => [nameOf(row), row]));
  const [rowsNow, rowsBefore] = [byNameOf(now), byNameOf(rows)];
  const toColumn = (
    of: 'revenue' | 'cost' | 'margin',
    title: string,
    more: Partial<Column<MarginRow>> = {},
  ): Column<MarginRow> => ({
    id: of === 'margin' ? 'before' : `${of}_before`,
    title,
    beside: <ChangeHead />,
    unit: 'USD',
    isNumber: true,
    value: (row) => rowsBefore.get(nameOf(row))?.[of] ?? null,
    show: (row, dollars) => {
      const before = rowsBefore.get(nameOf(row));
      if (now && before !== undefined) {
        return (
          <Compared
            now={rowsNow.get(nameOf(row))?.[of] ?? 0}
            before={before[of]}
            format={dollars}
            isGoodUp={of !== 'cost'}
          />
        );
      }
      return rows && <span className="text-mute">–</span>;
    },
    door: (row) => toCustomer(group, row),
    isUnpriced: (row) =>
      of !== 'revenue' && isCostUnknown(row, nameOf(row), unpriced) && !rowsBefore.get(nameOf(row))?.cost,
    ...more,
  });
  return [
    toColumn('margin', 'Margin before'),
    toColumn('revenue', 'Revenue before', { isExtra: true }),
    toColumn('cost', 'AI cost before', { isExtra: true }),
  ];
}

/** The margin over time of the visible customers, requested only when scrolling stops. */
function useTrends(view: View<MarginRow> | undefined): ReadonlyMap<string, readonly number[]> {
  const question = useQuestion();
  const body = useMarginBody();
  const toOptions = useAllRowsOptions<MarginRow>();
  const [rested, setRested] = useState(view);
  useEffect(() => {
    const timer = setTimeout(() => setRested(view), restMs);
    return () => clearTimeout(timer);
  }, [view]);
  // A cell is too narrow for more points.
  const isLong = countDays(question.days.from, question.days.to) > mostTrendDays;
  const aggregate = question.granularity === 'day' && isLong ? 'week' : question.granularity;
  return useQueries({
    queries: toBlocks(rested).map((customers) =>
      toOptions('/api/margin/', { ...body, customers, aggregate, group_by: 'customer' }),
    ),
    combine: collectTrends,
  });
}

/** The visible names, in blocks that scrolling does not change, so that no block is requested twice. */
function toBlocks(view: View<MarginRow> | undefined): string[][] {
  if (!view) return [];
  const blocks: string[][] = [];
  for (let at = view.first - (view.first % trendBlockRows); at < view.last; at += trendBlockRows) {
    blocks.push(view.sorted.slice(at, at + trendBlockRows).map(({ customer = '' }) => customer));
  }
  return blocks;
}

const calcRange = (values: readonly number[]): readonly [number, number] =>
  values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [0, 0]);

function collectTrends(answers: readonly { readonly data: MarginRow[] | undefined }[]): Map<string, number[]> {
  const trends = new Map<string, number[]>();
  for (const { customer = '', margin } of answers.flatMap(({ data = [] }) => data)) {
    const values = trends.get(customer);
    if (values) values.push(margin);
    else trends.set(customer, [margin]);
  }
  return trends;
}
