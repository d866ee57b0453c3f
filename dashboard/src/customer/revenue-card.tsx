import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { Page, RevenueEntry } from '../api/types.ts';
import { todayIn } from '../lib/days.ts';
import { toCurrency, toDay, toDollars } from '../lib/format.ts';
import { newUuid } from '../lib/uuid.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Empty, Field } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { RecordsCard } from '../ui/records-card.tsx';

const mostEntries = 1_000;

const columns: readonly Column<RevenueEntry>[] = [
  {
    id: 'id',
    title: 'Entry',
    show: ({ external_id, source }) => (
      <span className="font-medium">
        {external_id} {source === 'stripe' && <Badge>Stripe</Badge>}
      </span>
    ),
  },
  { id: 'from', title: 'From', show: ({ date_from }) => toDay(date_from) },
  { id: 'to', title: 'To', show: ({ date_to }) => toDay(date_to) },
  { id: 'amount', title: 'Amount', isNumber: true, show: (entry) => <Amount entry={entry} /> },
];

/** The amount that counts, beside that of the invoice in another currency. */
const Amount = ({ entry: { amount, currency, original_amount: original } }: { readonly entry: RevenueEntry }) => (
  <>
    {currency !== 'USD' && <span className="mr-2 text-mute">{toCurrency(original, currency)}</span>}
    {amount === null ? <Badge tone="warn">no rate</Badge> : toDollars(amount)}
  </>
);

/** The revenue entries of a customer that overlap the days shown. */
export function RevenueCard({ name }: { readonly name: string }) {
  const { days } = useQuestion();
  const query = new URLSearchParams({ customer: name, ...toDates(days), limit: String(mostEntries) });
  const entries = useApi<Page<RevenueEntry>>(`/api/revenue/?${query}`);
  return (
    <RecordsCard
      title={entries.data?.has_more ? `The first ${mostEntries} revenue entries` : 'Revenue entries'}
      rows={entries.data?.rows}
      problem={entries.error}
      retry={() => void entries.refetch()}
      columns={columns}
      idOf={({ external_id }) => external_id}
      empty={<Empty title="No revenue on these days">An amount is earned evenly over the days of its entry.</Empty>}
      add={{ label: 'Add revenue', form: (close) => <AddRevenue customer={name} onClose={close} /> }}
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

function AddRevenue({ customer, onClose }: { readonly customer: string; readonly onClose: () => void }) {
  const ask = useAsk();
  const refresh = useRefresh();
  const { project } = useAccess();
  const save = async (fields: Fields) => {
    const entry = { external_id: newUuid(), ...fields, customer };
    await ask('/api/revenue/', { method: 'POST', body: { entries: [entry] } });
    void refresh();
  };
  return (
    <FormDialog title={`Add revenue of ${customer}`} action="Add it" save={save} onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
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
          hint="An id in use replaces its entry"
        />
        <Field label="First day" name="date_from" type="date" required defaultValue={todayIn(project.timezone)} />
        <Field label="Last day (default: the first)" name="date_to" type="date" />
      </div>
    </FormDialog>
  );
}
