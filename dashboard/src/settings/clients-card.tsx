import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { Client } from '../api/types.ts';
import { toTime } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, Empty, ErrorNote, Skeleton } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ShownOnce, type ShownSecret } from './shown-once.tsx';

const toClientsPath = (projectId: string) => `/admin/projects/${projectId}/clients/`;

export const useClients = () => useApi<{ clients: readonly Client[] }>(toClientsPath(useAccess().project.id));

/** The clients that post events. To rotate a secret, add a new one and revoke the old one when it is no longer used. */
export function ClientsCard() {
  const { project } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const [shown, setShown] = useState<ShownSecret>();
  const base = toClientsPath(project.id);
  const clients = useClients();
  const make = useMutation({
    mutationFn: () => ask<{ client_id: string; secret: string }>(base, { method: 'POST', body: {} }),
    onSuccess: async ({ client_id, secret }) => {
      setShown({ kind: 'secret', clientId: client_id, secret });
      await refresh();
    },
  });
  const addSecret = useMutation({
    mutationFn: (clientId: string) =>
      ask<{ secret: string }>(`${base}${clientId}/secrets/`, { method: 'POST', body: {} }),
    onSuccess: async ({ secret }, clientId) => {
      setShown({ kind: 'secret', clientId, secret });
      await refresh();
    },
  });
  const revoke = useMutation({
    mutationFn: (path: string) => ask(`${base}${path}`, { method: 'DELETE' }),
    onSuccess: refresh,
  });
  const failure = clients.error ?? make.error ?? addSecret.error ?? revoke.error;
  const live = clients.data?.clients.filter(({ revoked_at }) => revoked_at === null);
  return (
    <Card aria-label="Clients">
      <CardHead title="Clients and their secrets">
        <Button disabled={make.isPending} onClick={() => make.mutate()}>
          New client
        </Button>
      </CardHead>
      {failure && <ErrorNote problem={failure} className="m-4" />}
      {!live && !failure && <Skeleton className="m-4 h-16" />}
      {live?.length === 0 && <Empty title="No client yet">A client posts events with its secret.</Empty>}
      {live?.map(({ client_id, name, secrets }) => (
        <div key={client_id} className="border-t border-line p-4">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="min-w-0">
              <span className="font-medium">{name ?? 'client'}</span>{' '}
              <code className="text-xs break-all text-mute">{client_id}</code>
            </p>
            <span className="flex gap-1.5">
              <Button disabled={addSecret.isPending} onClick={() => addSecret.mutate(client_id)}>
                New secret
              </Button>
              <ConfirmButton disabled={revoke.isPending} onConfirm={() => revoke.mutate(`${client_id}/`)}>
                Revoke client
              </ConfirmButton>
            </span>
          </div>
          <ul className="mt-3 space-y-2">
            {secrets.map(({ id, last_used_at, revoked_at }) => (
              <li key={id} className="flex flex-wrap items-center justify-between gap-2 text-[13px] text-mute">
                <span>
                  <code className="text-xs">{id}</code> ·{' '}
                  {last_used_at === null ? 'never used' : `last used ${toTime(last_used_at, project.timezone)}`}
                </span>
                {revoked_at === null ? (
                  <ConfirmButton
                    aria-label={`Revoke the secret ${id}`}
                    disabled={revoke.isPending}
                    onConfirm={() => revoke.mutate(`${client_id}/secrets/${id}/`)}
                  >
                    Revoke
                  </ConfirmButton>
                ) : (
                  <Badge tone="bad">revoked</Badge>
                )}
              </li>
            ))}
          </ul>
        </div>
      ))}
      {shown && <ShownOnce shown={shown} onClose={() => setShown(undefined)} />}
    </Card>
  );
}
