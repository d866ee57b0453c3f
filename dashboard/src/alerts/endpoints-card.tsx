import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useAsk, useRefresh, useRefreshWithout } from '../api/queries.ts';
import type { NotificationEndpoint } from '../api/types.ts';
import { toTime } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import {
  Badge,
  Button,
  Card,
  CardHead,
  CardSkeleton,
  Empty,
  ErrorNote,
  FailureNote,
  SwitchMark,
} from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { SecretText } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { AttemptsTable } from './attempts-table.tsx';
import { digestWords } from './digest-choice.tsx';
import { AddEndpoint, ChangeEndpoint } from './endpoint-form.tsx';
import { endpointKinds, targetOf } from './endpoint-kinds.ts';
import { kindLabels } from './kinds.ts';

export const useEndpoints = () =>
  useApi<{ endpoints: readonly NotificationEndpoint[] }>('/api/notification-endpoints/');

/** Where alerts are sent to. */
export function EndpointsCard() {
  const { canWrite } = useAccess();
  const endpoints = useEndpoints();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const all = endpoints.data?.endpoints;
  return (
    <Card aria-label="Where alerts are sent">
      <CardHead title="Where alerts are sent">
        {canWrite && <Button onClick={() => setAdding(true)}>Add an endpoint</Button>}
      </CardHead>
      <FailureNote answer={endpoints} className="m-4 mt-0" />
      {endpoints.isPending && <CardSkeleton className="h-24" />}
      {all?.length === 0 && (
        <Empty title="Nowhere yet">
          Add a webhook, a Slack channel or an e-mail address: it gets every alert when it fires and when it ends.
        </Empty>
      )}
      <ul>
        {all?.map((endpoint) => (
          <EndpointRow key={endpoint.id} endpoint={endpoint} onSecret={setSecret} />
        ))}
      </ul>
      {isAdding && <AddEndpoint onClose={() => setAdding(false)} onMade={setSecret} />}
      {secret !== undefined && <EndpointSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </Card>
  );
}

const EndpointSecret = ({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) => (
  <Dialog title="The secret of the webhook" onClose={onClose}>
    <div className="space-y-4">
      <SecretText secret={secret} />
      <p className="text-mute">
        With it a receiver checks the header <code>webhook-signature</code> of every request, as{' '}
        <a href="https://www.standardwebhooks.com" rel="noreferrer" target="_blank" className="text-accent underline">
          Standard Webhooks
        </a>{' '}
        says. After a rotation the old secret signs too, for 24 hours.
      </p>
    </div>
  </Dialog>
);

interface EndpointRowProps {
  readonly endpoint: NotificationEndpoint;
  readonly onSecret: (secret: string) => void;
}

function EndpointRow({ endpoint, onSecret }: EndpointRowProps) {
  const { id, kind, alerts, enabled, waiting, disabled_reason, old_secret_until } = endpoint;
  const { canWrite, project } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const refreshWithout = useRefreshWithout();
  const [isLogOpen, setLogOpen] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const path = `/api/notification-endpoints/${id}/`;
  const name = targetOf(endpoint);
  const turning = useMutation({
    mutationFn: () => ask(path, { method: 'PATCH', body: { enabled: !enabled } }),
    onSuccess: refresh,
  });
  const testing = useMutation({
    mutationFn: () => ask(`${path}test/`, { method: 'POST' }),
    onSuccess: () => setLogOpen(true),
  });
  const rotating = useMutation({
    mutationFn: () => ask<{ secret: string }>(`${path}rotate-secret/`, { method: 'POST' }),
    onSuccess: ({ secret }) => {
      onSecret(secret);
      void refresh();
    },
  });
  const removing = useMutation({
    mutationFn: () => ask(path, { method: 'DELETE' }),
    onSuccess: () => refreshWithout(path),
  });
  const failed = [turning, testing, rotating, removing].find(({ error }) => error !== null);
  return (
    <li className="border-t border-line">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            <span className="min-w-0 break-all">{name}</span>
            <Badge>{endpointKinds[kind]}</Badge>
            {waiting > 0 && <Badge tone="warn">{waiting} waiting</Badge>}
            {disabled_reason === 'gone' && <Badge tone="bad">turned off: it answered 410 Gone</Badge>}
          </p>
          <p className="text-[13px] text-mute">
            {alerts === null ? 'All alerts' : alerts.map((one) => kindLabels[one]).join(', ')}
            {endpoint.digest !== null && ` · ${digestWords(endpoint)}`}
            {old_secret_until !== null && ` · the old secret signs until ${toTime(old_secret_until, project.timezone)}`}
          </p>
        </div>
        <div className="flex flex-wrap gap-1.5">
          <Button aria-expanded={isLogOpen} aria-label={`Attempts to ${name}`} onClick={() => setLogOpen(!isLogOpen)}>
            Attempts
          </Button>
          {canWrite && (
            <>
              <Button aria-label={`Test ${name}`} disabled={testing.isPending} onClick={() => testing.mutate()}>
                Test
              </Button>
              <Button aria-label={`Change the alerts to ${name}`} onClick={() => setChanging(true)}>
                Change
              </Button>
              {kind === 'webhook' && (
                <ConfirmButton
                  aria-label={`Rotate the secret of ${name}`}
                  disabled={rotating.isPending}
                  onConfirm={() => rotating.mutate()}
                >
                  Rotate the secret
                </ConfirmButton>
              )}
              <ConfirmButton
                aria-label={`Remove ${name}`}
                disabled={removing.isPending}
                onConfirm={() => removing.mutate()}
              >
                Remove
              </ConfirmButton>
            </>
          )}
          <Button
            role="switch"
            aria-checked={enabled}
            aria-label={`Send to ${name}`}
            disabled={!canWrite || turning.isPending}
            onClick={() => turning.mutate()}
          >
            <SwitchMark isOn={enabled} />
            <span className="w-5 text-left">{enabled ? 'On' : 'Off'}</span>
          </Button>
        </div>
      </div>
      {failed && <ErrorNote problem={failed.error} className="mx-4 mb-3" />}
      {isLogOpen && <AttemptsTable id={id} name={name} />}
      {isChanging && <ChangeEndpoint endpoint={endpoint} onClose={() => setChanging(false)} />}
    </li>
  );
}
