import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { ApiKey } from '../api/types.ts';
import { toTime } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Button, Card, CardHead, Empty, ErrorNote, Field, Select } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { ShownOnce, type ShownSecret } from './shown-once.tsx';

export function KeysCard() {
  const { project } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const [isMaking, setMaking] = useState(false);
  const [shown, setShown] = useState<ShownSecret>();
  const base = `/admin/projects/${project.id}/api-keys/`;
  const keys = useApi<{ api_keys: readonly ApiKey[] }>(base);
  const revoke = useMutation({
    mutationFn: (id: string) => ask(`${base}${id}/`, { method: 'DELETE' }),
    onSuccess: refresh,
  });
  return (
    <Card aria-label="API keys">
      <CardHead title="API keys">
        <Button onClick={() => setMaking(true)}>New key</Button>
      </CardHead>
      {revoke.error && <ErrorNote problem={revoke.error} className="m-4" />}
      <DataTable
        name="API keys"
        rows={keys.data?.api_keys}
        problem={keys.error}
        retry={() => void keys.refetch()}
        idOf={({ id }) => id}
        empty={<Empty title="No key yet">A key reads costs from the API and signs in to this page.</Empty>}
        columns={[
          {
            id: 'name',
            title: 'Name',
            value: ({ name, id }) => name ?? id,
            show: ({ name, id }) => <span className="font-medium">{name ?? id}</span>,
          },
          { id: 'scopes', title: 'Scopes', value: ({ scopes }) => scopes.join(' and ') },
          {
            id: 'used',
            title: 'Last used',
            value: ({ last_used_at }) => last_used_at,
            show: ({ last_used_at }) => (last_used_at === null ? 'never' : toTime(last_used_at, project.timezone)),
          },
          {
            id: 'revoke',
            title: '',
            isNumber: true,
            show: ({ id, name, revoked_at }) =>
              revoked_at === null ? (
                <ConfirmButton
                  aria-label={`Revoke the key ${name ?? id}`}
                  disabled={revoke.isPending}
                  onConfirm={() => revoke.mutate(id)}
                >
                  Revoke
                </ConfirmButton>
              ) : (
                <Badge tone="bad">revoked</Badge>
              ),
          },
        ]}
      />
      {isMaking && (
        <NewKey
          path={base}
          onClose={() => setMaking(false)}
          onMade={(secret) => {
            setShown({ kind: 'key', secret });
            void refresh();
          }}
        />
      )}
      {shown && <ShownOnce shown={shown} onClose={() => setShown(undefined)} />}
    </Card>
  );
}

interface NewKeyProps {
  readonly path: string;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

const scopeOptions = { read: 'read', 'read,write': 'read and write' };

function NewKey({ path, onClose, onMade }: NewKeyProps) {
  const ask = useAsk();
  const save = async ({ scopes = '', ...named }: Fields) => {
    const body = { scopes: scopes.split(','), ...named };
    onMade((await ask<{ api_key: string }>(path, { method: 'POST', body })).api_key);
  };
  return (
    <FormDialog title="New key" action="Make the key" save={save} onClose={onClose}>
      <Field label="Name" name="name" placeholder="dashboard" />
      <Select label="Scopes" name="scopes" options={scopeOptions} />
    </FormDialog>
  );
}
