import type { InvoiceEntry, Page } from '../api/types.ts';
import { toCount, toDayRange } from '../lib/format.ts';
import { type Answer, Badge, Empty } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Name } from '../ui/name.tsx';
import { RecordsCard } from '../ui/records-card.tsx';
import { AddEntry } from './add-entry.tsx';

const columns: readonly Column<InvoiceEntry>[] = [
  {
    id: 'what',
    title: 'Entry',
    value: ({ external_id: id, description }) => description ?? id,
    show: ({ external_id: id, description }) => (
      <span title={id}>
        <Name name={description ?? id} />
      </span>
    ),
  },
  { id: 'amount', title: 'Amount', isNumber: true, unit: 'USD', value: ({ amount }) => amount },
  { id: 'provider', title: 'Provider', as: 'name', value: ({ provider }) => provider },
  { id: 'model', title: 'Model', as: 'name', value: ({ model }) => model },
  {
    ...{ id: 'days', title: 'Days', value: ({ date_from: from, date_to: to }) => `${from} – ${to}` },
    show: ({ date_from: from, date_to: to }) => toDayRange({ from, to }),
  },
  {
    id: 'kind',
    title: 'Kind',
    value: ({ kind }) => kind,
    show: ({ kind }) => (kind === 'usage' ? kind : <Badge>{kind}</Badge>),
  },
];

interface EntriesCardProps {
  readonly month: string;
  readonly page: Page<InvoiceEntry> | undefined;
  readonly answer: Answer;
}

/** The invoice entries with a day in the month. */
export const EntriesCard = ({ month, page, answer }: EntriesCardProps) => (
  <RecordsCard
    table="invoice-entries"
    title={page?.has_more ? `The first ${toCount(page.rows.length)} invoice entries` : 'Invoice entries'}
    rows={page?.rows}
    answer={answer}
    columns={columns}
    idOf={({ external_id }) => external_id}
    empty={<Empty title="No entry in this month" />}
    add={{ label: 'Add an entry', form: (close) => <AddEntry month={month} onClose={close} /> }}
    remove={{
      verb: 'Delete',
      label: ({ external_id, description }) => `Delete the entry ${description ?? external_id}`,
      path: ({ external_id }) => `/api/invoices/${encodeURIComponent(external_id)}/`,
    }}
  />
);
