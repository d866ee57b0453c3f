import { useSend } from '../api/queries.ts';
import type { ProviderAccount } from '../api/types.ts';
import { Field, Select } from '../ui/basics.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { kindNames, kindOfKey } from './kind-of-key.ts';

const modeNames = {
  meter: 'Invoices and calls: my code reports none of them',
  reconcile: 'Invoices alone: my code reports the calls',
};

const KeyField = ({ label, isRequired }: { readonly label: string; readonly isRequired: boolean }) => (
  <Field
    label={label}
    name="key"
    type="password"
    required={isRequired}
    autoComplete="off"
    placeholder="sk-admin-…"
    hint="Stored encrypted, used only to read, and not shown again"
  />
);

const ModeField = ({ mode }: { readonly mode: ProviderAccount['mode'] }) => (
  <Select label="What its reports become" name="mode" options={modeNames} defaultValue={mode} />
);

interface AddAccountProps {
  /** Whether no call is reported otherwise. */
  readonly isFirst: boolean;
  readonly onClose: () => void;
}

/** Sets up an account: the key alone must be typed. */
export function AddAccount({ isFirst, onClose }: AddAccountProps) {
  const send = useSend();
  const save = async ({ key = '', kind = '', mode }: Fields) => {
    const body = { kind: kind === 'by key' ? kindOfKey(key) : kind, key, mode };
    await send('/api/provider-accounts/', { method: 'POST', body });
  };
  return (
    <FormDialog title="Connect an account" action="Connect it" save={save} onClose={onClose}>
      <p>
        An admin key of OpenAI or Anthropic, or a management key of OpenRouter. The last 30 days are read at once, then
        what is new every hour.
      </p>
      <KeyField label="The key" isRequired />
      <Select label="Provider" name="kind" options={{ 'by key': 'By the key', ...kindNames }} defaultValue="by key" />
      <ModeField mode={isFirst ? 'meter' : 'reconcile'} />
    </FormDialog>
  );
}

interface ChangeAccountProps {
  readonly account: ProviderAccount;
  readonly onClose: () => void;
}

/** Changes the mode, or takes a new key. */
export function ChangeAccount({ account: { id, mode }, onClose }: ChangeAccountProps) {
  const send = useSend();
  const save = async (body: Fields) => {
    await send(`/api/provider-accounts/${id}/`, { method: 'PATCH', body });
  };
  return (
    <FormDialog title="Change the account" action="Save it" save={save} onClose={onClose}>
      <ModeField mode={mode} />
      <KeyField label="New key (default: as it is)" isRequired={false} />
    </FormDialog>
  );
}
