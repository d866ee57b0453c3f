import { useApi, useSend } from '../api/queries.ts';
import type { StripePair } from '../api/types.ts';
import { Empty, Field } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { RecordsCard } from '../ui/records-card.tsx';

const columns: readonly Column<StripePair>[] = [
  {
    id: 'stripe',
    title: 'Stripe customer',
    value: ({ stripe_customer }) => stripe_customer,
    show: ({ stripe_customer: id }) => <code className="text-xs">{id}</code>,
  },
  { id: 'customer', title: 'Customer', as: 'name', value: ({ customer }) => customer },
];

export const usePairs = () => useApi<{ customers: readonly StripePair[] }>('/api/stripe/customers/?limit=1000');

/** Which customer here each customer of Stripe is. */
export function PairsCard() {
  const pairs = usePairs();
  return (
    <RecordsCard
      table="stripe-customers"
      title="Stripe customers"
      rows={pairs.data?.customers}
      answer={pairs}
      columns={columns}
      idOf={({ stripe_customer }) => stripe_customer}
      empty={
        <Empty title="No pair yet">
          Without a metadata key or a pair, revenue counts for the customer’s id in Stripe. A pair also moves what has
          already come.
        </Empty>
      }
      add={{ label: 'Add a pair', form: (close) => <AddPair onClose={close} /> }}
      remove={{
        verb: 'Remove',
        label: ({ stripe_customer: id }) => `Remove the pair of ${id}`,
        path: ({ stripe_customer: id }) => `/api/stripe/customers/${encodeURIComponent(id)}/`,
      }}
    />
  );
}

interface AddPairProps {
  readonly onClose: () => void;
  /** The Stripe customer to name, if known. */
  readonly stripeCustomer?: string;
}

export function AddPair({ onClose, stripeCustomer }: AddPairProps) {
  const send = useSend();
  const save = async (pair: Fields) => {
    await send('/api/stripe/customers/', { method: 'PUT', body: { customers: [pair] } });
  };
  return (
    <FormDialog title="Match a Stripe customer" action="Save it" save={save} onClose={onClose}>
      <Field
        label="Stripe customer"
        name="stripe_customer"
        required
        defaultValue={stripeCustomer}
        placeholder="cus_PzX1aB"
      />
      <Field label="Customer here" name="customer" required placeholder="acme" hint="As its calls are tagged" />
    </FormDialog>
  );
}
