import { useState } from 'react';
import { useAsk, useRefresh, useSend } from '../api/queries.ts';
import type { AlertKind, NotificationEndpoint } from '../api/types.ts';
import { Field, Select } from '../ui/basics.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { DigestChoice, type DigestPlan, toDigestFields } from './digest-choice.tsx';
import { endpointKinds, targetOf } from './endpoint-kinds.ts';
import { KindsChoice } from './kinds-choice.tsx';

type Kind = NotificationEndpoint['kind'];

const base = '/api/notification-endpoints/';

interface AddEndpointProps {
  readonly onClose: () => void;
  /** Called with the secret of a new webhook. */
  readonly onMade: (secret: string) => void;
}

export function AddEndpoint({ onClose, onMade }: AddEndpointProps) {
  const ask = useAsk();
  const refresh = useRefresh();
  const [kind, setKind] = useState<Kind>('webhook');
  const [alerts, setAlerts] = useState<readonly AlertKind[] | null>(null);
  const [plan, setPlan] = useState<DigestPlan>({ digest: null, digest_day: null, digest_hour: null });
  const save = async (fields: Fields) => {
    const body = { ...fields, kind, alerts, ...toDigestFields(plan) };
    const made = await ask<{ secret?: string | null }>(base, { method: 'POST', body });
    if (typeof made.secret === 'string') onMade(made.secret);
    void refresh();
  };
  return (
    <FormDialog title="Add an endpoint" action="Add it" save={save} onClose={onClose}>
      <Select
        label="Kind"
        options={endpointKinds}
        value={kind}
        onChange={({ target }) => setKind(target.value as Kind)}
      />
      {kind === 'email' ? (
        <Field label="Address" name="address" type="email" required placeholder="ops@example.com" />
      ) : (
        <Field
          key={kind}
          label="URL"
          name="url"
          type="url"
          required
          placeholder={kind === 'slack' ? 'https://hooks.slack.com/services/…' : 'https://example.com/farthing'}
          hint={
            kind === 'slack'
              ? 'The address of a Slack webhook. It is a secret, and is not shown again'
              : 'Gets a POST, signed as Standard Webhooks says'
          }
        />
      )}
      <KindsChoice chosen={alerts} change={setAlerts} />
      <DigestChoice plan={plan} change={setPlan} />
    </FormDialog>
  );
}

interface ChangeEndpointProps {
  readonly endpoint: NotificationEndpoint;
  readonly onClose: () => void;
}

/** Changes which alerts and digests an endpoint gets. */
export function ChangeEndpoint({ endpoint, onClose }: ChangeEndpointProps) {
  const send = useSend();
  const [alerts, setAlerts] = useState(endpoint.alerts);
  const [plan, setPlan] = useState<DigestPlan>(endpoint);
  const save = async () => {
    await send(`${base}${endpoint.id}/`, { method: 'PATCH', body: { alerts, ...toDigestFields(plan) } });
  };
  return (
    <FormDialog title={`Alerts to ${targetOf(endpoint)}`} action="Save it" save={save} onClose={onClose}>
      <KindsChoice chosen={alerts} change={setAlerts} />
      <DigestChoice plan={plan} change={setPlan} />
    </FormDialog>
  );
}
