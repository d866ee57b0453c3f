import { useSend } from '../api/queries.ts';
import type { StripeHook } from '../api/types.ts';
import { Field } from '../ui/basics.tsx';
import { Snippet } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';

/** The events that become revenue (D17.1). */
const events = [
  'invoice.paid',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'credit_note.created',
  'credit_note.updated',
  'credit_note.voided',
  'charge.refunded',
];

const KeyField = ({ value }: { readonly value?: string | undefined }) => (
  <Field
    label="Metadata key of the customer (default: none)"
    name="customer_key"
    placeholder="customer"
    defaultValue={value}
    hint="Where the metadata in Stripe holds the name that your calls are tagged with"
  />
);

interface AddHookProps {
  readonly onClose: () => void;
  readonly onMade: (hook: StripeHook) => void;
}

/** Sets up a webhook endpoint of Stripe. */
export function AddHook({ onClose, onMade }: AddHookProps) {
  const send = useSend();
  const save = async (body: Fields) => {
    onMade(await send<StripeHook>('/api/stripe/', { method: 'POST', body }));
  };
  return (
    <FormDialog title="Connect Stripe" action="Connect it" save={save} onClose={onClose}>
      <ol className="list-decimal space-y-1.5 pl-5">
        <li>In Stripe, add a webhook endpoint with any address and these events.</li>
        <li>Enter its signing secret here.</li>
        <li>Give it the address that you get here.</li>
      </ol>
      <Snippet label="Events" text={events.join('\n')} />
      <Field
        label="Signing secret"
        name="signing_secret"
        type="password"
        required
        autoComplete="off"
        placeholder="whsec_…"
        hint="Stored encrypted, and not shown again"
      />
      <KeyField />
    </FormDialog>
  );
}

/** The address of a new hook. */
export const HookAddress = ({ hook, onClose }: { readonly hook: StripeHook; readonly onClose: () => void }) => (
  <Dialog title="The address for Stripe" onClose={onClose}>
    <div className="space-y-3">
      <p>Set it as the address of the webhook endpoint in Stripe. Its events then become revenue within seconds.</p>
      <Snippet text={`${location.origin}${hook.url_path}`} />
    </div>
  </Dialog>
);

interface ChangeHookProps {
  readonly hook: StripeHook;
  readonly onClose: () => void;
}

/** Changes the metadata key, or takes a new signing secret. */
export function ChangeHook({ hook, onClose }: ChangeHookProps) {
  const send = useSend();
  const save = async ({ customer_key: key, signing_secret: secret }: Fields) => {
    await send(`/api/stripe/${hook.id}/`, {
      method: 'PATCH',
      body: { customer_key: key ?? null, ...(secret !== undefined && { signing_secret: secret }) },
    });
  };
  return (
    <FormDialog title="Change the Stripe webhook" action="Save it" save={save} onClose={onClose}>
      <KeyField value={hook.customer_key ?? undefined} />
      <Field
        label="New signing secret (default: as it is)"
        name="signing_secret"
        type="password"
        autoComplete="off"
        placeholder="whsec_…"
        hint="The old one stays valid until the next change"
      />
    </FormDialog>
  );
}
