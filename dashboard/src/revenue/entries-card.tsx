import { useApi, useSend, useTotal } from '../api/queries.ts';
import type { MarginRow, Page, RevenueEntry } from '../api/types.ts';
import { todayIn } from '../lib/days.ts';
import { toCount, toCurrency, toDollars } from '../lib/format.ts';
import { newUuid } from '../lib/uuid.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Empty, Field } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { DateField } from '../ui/date-field.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { NameLink, NameWith } from '../ui/name.tsx';
import { RecordsCard } from '../ui/records-card.tsx';

const mostEntries = 1_000;

const entry: Column<RevenueEntry> = {
  id: 'id',
  title: 'Entry',
  value: ({ external_id }) => external_id,
  show: ({ external_id, source }) => (
    <NameWith name={external_id} beside={source === 'stripe' && <Badge>Stripe</Badge>} />
  ),
};

const amount: Column<RevenueEntry> = {
  id: 'amount',
  title: 'Amount',
  isNumber: true,
  unit: 'USD',
  value: ({ amount }) => amount,
  show: (entry, dollars) => <Amount entry={entry} dollars={dollars} />,
  // Its customer on its days.
  door: ({ customer: name, date_from: from, date_to: to }) =>
    name ? { to: '/customers/$name', params: { name }, search: { range: undefined, from, to } } : undefined,
};

const others: readonly Column<RevenueEntry>[] = [
  { id: 'from', title: 'From', as: 'day', value: ({ date_from }) => date_from },
  { id: 'to', title: 'To', as: 'day', value: ({ date_to }) => date_to },
  { id: 'currency', title: 'Currency', isExtra: true, value: ({ currency }) => currency },
  { id: 'source', title: 'Source', isExtra: true, value: ({ source }) => source },
];

interface AmountProps {
  readonly entry: RevenueEntry;
  readonly dollars: (amount: number) => string;
}

/** The amount that counts, beside that of the invoice in another currency. */
const Amount = ({ entry: { amount, currency, original_amount: original }, dollars }: AmountProps) => (
  <>
    {currency !== 'USD' && <span className="mr-2 text-mute">{toCurrency(original, currency)}</span>}
    {amount === null ? <Badge tone="warn">no rate</Badge> : dollars(amount)}
  </>
);

const customer: Column<RevenueEntry> = {
  id: 'customer',
  title: 'Customer',
  value: (entry) => entry.customer,
  show: (entry) => <NameLink of="customer" name={entry.customer} />,
};

/** The revenue entries that overlap the days shown: those of a customer, or all. */
export function useRevenueEntries(of: { readonly customer?: string } = {}) {
  const { days } = useQuestion();
  const query = new URLSearchParams({ ...of, ...toDates(days), limit: String(mostEntries) });
  return useApi<Page<RevenueEntry>>(`/api/revenue/?${query}`);
}

/** The revenue of the days shown, of all customers. */
export function useRevenueTotal(isAsked = true) {
  const { days } = useQuestion();
  return useTotal<MarginRow>('/api/margin/', isAsked ? toDates(days) : undefined);
}

export function RevenueCard({ name }: { readonly name?: string }) {
  const of = name === undefined ? {} : { customer: name };
  const entries = useRevenueEntries(of);
  const total = useRevenueTotal(name === undefined);
  return (
    <RecordsCard
      table="revenue"
      title={entries.data?.has_more ? `The first ${mostEntries} revenue entries` : 'Revenue entries'}
      about={
        total.row &&
        entries.data &&
        `${toCount(entries.data.rows.length)}${entries.data.has_more ? ' of the' : ''} ${entries.data.rows.length === 1 ? 'entry' : 'entries'} · ${toDollars(total.row.revenue)} on these days`
      }
      rows={entries.data?.rows}
      answer={entries}
      columns={name === undefined ? [customer, amount, entry, ...others] : [entry, amount, ...others]}
      usual="-from"
      idOf={({ external_id }) => external_id}
      empty={<Empty title="No revenue on these days">An amount is earned evenly over the days of its entry.</Empty>}
      add={{ label: 'Add revenue', form: (close) => <AddRevenue of={of} onClose={close} /> }}
      remove={{
        verb: 'Delete',
        label: ({ external_id }) => `Delete the revenue entry ${external_id}`,
        path: ({ external_id }) => `/api/revenue/${encodeURIComponent(external_id)}/`,
        // An entry of Stripe is made again from its invoice.
        has: ({ source }) => source === 'api',
      }}
    />
  );
}

interface AddRevenueProps {
  /** Whose it is; else the form asks for that. */
  readonly of: { readonly customer?: string };
  readonly onClose: () => void;
}

function AddRevenue({ of, onClose }: AddRevenueProps) {
  const send = useSend();
  const { project } = useAccess();
  const save = async (fields: Fields) => {
    const entry = { external_id: newUuid(), ...fields, ...of };
    await send('/api/revenue/', { method: 'POST', body: { entries: [entry] } });
  };
  return (
    <FormDialog
      title={of.customer === undefined ? 'Add revenue' : `Add revenue of ${of.customer}`}
      action="Add it"
      save={save}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {of.customer === undefined && <Field label="Customer" name="customer" required className="sm:col-span-2" />}
        <Field
          label="Amount, USD"
          name="amount"
          required
          inputMode="decimal"
          placeholder="31.00"
          hint="Negative for a refund"
        />
        <Field
          label="Your id (default: a new one)"
          name="external_id"
          placeholder="invoice-7"
          hint="An existing id replaces its entry"
        />
        <DateField label="First day" name="date_from" required defaultValue={todayIn(project.timezone)} />
        <DateField label="Last day (default: the first)" name="date_to" />
      </div>
    </FormDialog>
  );
}
