import { useAllRows } from '../api/queries.ts';
import type { MarginRow } from '../api/types.ts';
import { toMarginPct, toMarginValue } from '../lib/format.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { Card, CardHead, Empty } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import type { DoorTo } from '../ui/door.tsx';
import { NameLink } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';

/** What customers cost with their shares, the largest shares first. */
export function MarginsCard() {
  const { days, search } = useQuestion();
  const margins = useAllRows<MarginRow>('/api/margin/', {
    ...{ ...toDates(days), aggregate: 'all', group_by: 'customer', include_shared: true },
    ...(search.credits && { apply_credits: true }),
  });
  const nameOf = ({ customer = '' }: MarginRow) => customer;
  const { table, tools } = useTableView('shared-costs', all, margins.data, { nameOf, usual: '-shared_cost' });
  return (
    <Card aria-label="Margins with shared costs">
      <CardHead title="Margins with shared costs, by customer">{tools}</CardHead>
      <DataTable
        name="Margins with shared costs, table"
        answer={margins}
        idOf={nameOf}
        empty={<Empty title="No customer on these days">Their margins with shared costs appear here.</Empty>}
        {...table}
      />
    </Card>
  );
}

const money = (id: string, title: string, value: (row: MarginRow) => number): Column<MarginRow> => ({
  ...{ id, title, value, isNumber: true, unit: 'USD', isLoss: true, door: toDoor(id) },
});

/** Calls and the customer's own page have no shared costs: the list of customers has the same row. */
const toDoor =
  (id: string) =>
  ({ customer = '' }: MarginRow): DoorTo =>
    id === 'revenue' && customer !== ''
      ? { to: '/customers/$name', params: { name: customer }, hash: 'revenue-entries' }
      : { to: '/customers', search: { customers: [customer], shared: true } };

const all: readonly Column<MarginRow>[] = [
  {
    id: 'customer',
    title: 'Customer',
    value: ({ customer = '' }) => customer,
    show: ({ customer = '' }) => <NameLink of="customer" name={customer} />,
  },
  money('revenue', 'Revenue', ({ revenue }) => revenue),
  money('shared_cost', 'Shared costs', ({ shared_cost: shared = 0 }) => shared),
  money('cost', 'Cost with them', ({ cost }) => cost),
  money('margin', 'Margin', ({ margin }) => margin),
  {
    ...{ id: 'margin_pct', title: 'Margin %', isNumber: true },
    value: toMarginValue,
    show: (row) => toMarginPct(row),
    door: toDoor('margin_pct'),
  },
];
