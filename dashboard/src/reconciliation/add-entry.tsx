import { useSend } from '../api/queries.ts';
import type { InvoiceKind } from '../api/types.ts';
import { daysOfMonth } from '../lib/days.ts';
import { newUuid } from '../lib/uuid.ts';
import { Field, Select } from '../ui/basics.tsx';
import { DateField } from '../ui/date-field.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';

const kinds: Readonly<Record<InvoiceKind, string>> = {
  usage: 'Usage',
  discount: 'Discount',
  credit: 'Credit',
  tax: 'Tax',
  other: 'Other',
};

/** Enters a line of an invoice by hand. */
export function AddEntry({ month, onClose }: { readonly month: string; readonly onClose: () => void }) {
  const send = useSend();
  const days = daysOfMonth(`${month}-01`);
  const save = async (fields: Fields) => {
    await send('/api/invoices/', { method: 'POST', body: { entries: [{ external_id: newUuid(), ...fields }] } });
  };
  return (
    <FormDialog title="Add an invoice entry" action="Add it" save={save} onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Provider" name="provider" required placeholder="openai" />
        <Field label="Model (default: none named)" name="model" placeholder="gpt-4o-2024-08-06" />
        <DateField label="First day" name="date_from" required defaultValue={days[0]} />
        <DateField label="Last day" name="date_to" required defaultValue={days.at(-1)} />
        <Field
          label="Amount, USD"
          name="amount"
          required
          inputMode="decimal"
          placeholder="1234.50"
          hint="Negative for a discount or credit"
        />
        <Select label="Kind" name="kind" options={kinds} />
        <Field label="Description" name="description" placeholder="Invoice 2026-10" />
        <Field
          label="Your id (default: a new one)"
          name="external_id"
          placeholder="openai-2026-10"
          hint="An existing id replaces its entry"
        />
      </div>
    </FormDialog>
  );
}
