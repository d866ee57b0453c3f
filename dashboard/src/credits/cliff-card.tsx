import { useMemo } from 'react';
import { useApi } from '../api/queries.ts';
import type { CliffCustomer, CreditCliff } from '../api/types.ts';
import { toCount, toDay, toDayRange, toDollars, toMarginPct, toMarginValue } from '../lib/format.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { isCostUnknown, useUnpriced } from '../state/unpriced.ts';
import { Badge, Card, CardHead, Empty } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { NameLink } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { remarkOnCliff } from './cliff-words.ts';

export function useCliff() {
  const { project } = useAccess();
  const { days } = useQuestion();
  return useApi<CreditCliff>(`/api/credit-cliff/?${new URLSearchParams(toDates(days))}`, undefined, {
    enabled: project.type === 'revenue',
  });
}

/** Margins of customers with the free credits beside those without, and the day on which each turns unprofitable. */
export function CliffCard() {
  const cliff = useCliff();
  const { data } = cliff;
  const nameOf = ({ customer }: CliffCustomer) => customer;
  const unpriced = useUnpriced('customer');
  const all = useMemo(() => toColumns(unpriced), [unpriced]);
  const { table, tools } = useTableView('credit-cliff', all, data?.customers, { nameOf });
  return (
    <Card aria-label="When the credits end">
      <CardHead title="When the credits end, by customer" about={(data && remarkOnCliff(data)) ?? ''}>
        {tools}
      </CardHead>
      <DataTable
        name="When the credits end, table"
        answer={cliff}
        idOf={nameOf}
        empty={
          <Empty title="No customer had calls on these days">Their margins with and without credits appear here.</Empty>
        }
        {...table}
      />
      <p className="min-h-8 border-t border-line px-4 py-2 text-xs text-mute">
        {data
          ? [
              toDayRange({ from: data.date_from, to: data.date_to }),
              `${toDollars(data.credits_left)} of credits left`,
              ...(data.others.count > 0 ? [`${toCount(data.others.count)} other customers are not listed`] : []),
            ].join(' · ')
          : ''}
      </p>
    </Card>
  );
}

/** Whether a customer costs more than it pays while credits still help. Calls without a customer are none. */
const isLosing = ({ customer, now }: CliffCustomer): boolean => customer !== '' && now.margin < 0;

const columns: readonly Column<CliffCustomer>[] = [
  {
    id: 'customer',
    title: 'Customer',
    value: ({ customer }) => customer,
    show: ({ customer }) => <NameLink of="customer" name={customer} />,
  },
  { ...money('revenue', 'Revenue', ({ now }) => now.revenue), door: toCustomer({ hash: 'revenue-entries' }) },
  { ...money('now', 'Margin now', ({ now }) => now.margin), door: toCustomer({ search: { credits: true } }) },
  { ...percent('now_pct', 'Margin now, %', ({ now }) => now), door: toCustomer({ search: { credits: true } }) },
  {
    ...money('after', 'Margin after', ({ after }) => after.margin),
    door: toCustomer({ search: { credits: undefined } }),
  },
  {
    ...percent('after_pct', 'Margin after, %', ({ after }) => after),
    door: toCustomer({ search: { credits: undefined } }),
  },
  {
    id: 'turns',
    title: 'Turns unprofitable',
    value: (row) => (isLosing(row) ? 'already' : row.turns ? (row.turns_on ?? 'yes') : row.customer && 'no'),
    show: (row) =>
      isLosing(row) ? (
        <Badge tone="bad">already</Badge>
      ) : row.turns ? (
        <Badge tone="bad">{row.turns_on === null ? 'when they end' : toDay(row.turns_on)}</Badge>
      ) : (
        <span className="text-mute">{row.customer === '' ? '–' : 'no'}</span>
      ),
  },
];

/** Of a customer whose calls have no price nothing is known but what it pays. */
const toColumns = (unpriced: ReadonlySet<string> | undefined): readonly Column<CliffCustomer>[] =>
  columns.map((column) =>
    ['customer', 'revenue'].includes(column.id)
      ? column
      : {
          ...column,
          isUnpriced: ({ customer, after }) => isCostUnknown(after, customer, unpriced) && after.cost === 0,
        },
  );

/** The page of a customer, with or without the credits. */
function toCustomer(more: Partial<DoorTo>) {
  return ({ customer }: CliffCustomer): DoorTo | undefined =>
    customer === '' ? undefined : { to: '/customers/$name', params: { name: customer }, ...more };
}

function money(id: string, title: string, value: (row: CliffCustomer) => number): Column<CliffCustomer> {
  return { id, title, unit: 'USD', isNumber: true, isLoss: true, value };
}

function percent(id: string, title: string, of: (row: CliffCustomer) => CliffCustomer['now']): Column<CliffCustomer> {
  return {
    id,
    title,
    isNumber: true,
    value: (row) => toMarginValue(of(row)),
    show: (row) => toMarginPct(of(row)),
  };
}
