import { Link } from '@tanstack/react-router';
import { useApi } from '../api/queries.ts';
import type { CliffCustomer, CreditCliff } from '../api/types.ts';
import { toCount, toDay, toDayRange, toDollars, toName, toPercent } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Card, CardHead, Empty } from '../ui/basics.tsx';
import { type Column, CsvButton, DataTable } from '../ui/data-table.tsx';
import { remarkOnCliff } from './cliff-words.ts';

export function useCliff() {
  const { project } = useAccess();
  return useApi<CreditCliff>('/api/credit-cliff/', undefined, { enabled: project.type === 'revenue' });
}

/** Margins of customers with the free credits beside those without, and the day on which each turns unprofitable. */
export function CliffCard() {
  const cliff = useCliff();
  const { data } = cliff;
  return (
    <Card aria-label="When the credits end">
      <CardHead title="When the credits end, by customer" about={(data && remarkOnCliff(data)) ?? ''}>
        <CsvButton name="farthing-credit-cliff" columns={columns} rows={data?.customers} />
      </CardHead>
      <DataTable
        name="When the credits end"
        columns={columns}
        rows={data?.customers}
        problem={cliff.error}
        retry={() => void cliff.refetch()}
        idOf={({ customer }) => customer}
        empty={
          <Empty title="No customer had calls in the last four weeks">
            Their margins with and without credits appear here.
          </Empty>
        }
      />
      <p className="border-t border-line px-4 py-2 text-xs text-mute">
        {data
          ? [
              `${toDayRange({ from: data.date_from, to: data.date_to })}, the last full days`,
              `${toDollars(data.credits_left)} of credits left`,
              ...(data.others.count > 0 ? [`${toCount(data.others.count)} other customers are not listed`] : []),
            ].join(' · ')
          : 'The last 28 full days'}
      </p>
    </Card>
  );
}

const columns: readonly Column<CliffCustomer>[] = [
  {
    id: 'customer',
    title: 'Customer',
    value: ({ customer }) => customer,
    show: ({ customer }) =>
      customer === '' ? (
        <span className="text-mute italic">{toName(customer)}</span>
      ) : (
        <Link to="/customers/$name" params={{ name: customer }} search={true} className="font-medium hover:underline">
          {customer}
        </Link>
      ),
  },
  money('revenue', 'Revenue', ({ now }) => now.revenue),
  money('now', 'Margin now', ({ now }) => now.margin),
  percent('now_pct', 'Margin now, %', ({ now }) => now.margin_pct),
  money('after', 'Margin after', ({ after }) => after.margin),
  percent('after_pct', 'Margin after, %', ({ after }) => after.margin_pct),
  {
    id: 'turns',
    title: 'Turns unprofitable',
    value: ({ turns, turns_on: day }) => (turns ? (day ?? 'yes') : ''),
    show: ({ turns, turns_on: day }) =>
      turns ? (
        <Badge tone="bad">{day === null ? 'when they end' : toDay(day)}</Badge>
      ) : (
        <span className="text-mute">no</span>
      ),
  },
];

function money(id: string, title: string, value: (row: CliffCustomer) => number): Column<CliffCustomer> {
  return {
    id,
    title,
    unit: 'USD',
    isNumber: true,
    value,
    show: (row) => <span className={value(row) < 0 ? 'text-bad' : ''}>{toDollars(value(row))}</span>,
  };
}

function percent(id: string, title: string, value: (row: CliffCustomer) => number): Column<CliffCustomer> {
  return { id, title, unit: '%', isNumber: true, value, show: (row) => toPercent(value(row)) };
}
