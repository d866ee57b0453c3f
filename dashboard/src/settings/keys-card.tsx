import { useState } from 'react';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { ApiKey } from '../api/types.ts';
import { useAccess } from '../state/session.tsx';
import { Badge, Empty, Field, Select } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { NameWith } from '../ui/name.tsx';
import { RecordsCard } from '../ui/records-card.tsx';
import { ShownOnce, type ShownSecret } from './shown-once.tsx';

export function KeysCard() {
  const { project } = useAccess();
  const refresh = useRefresh();
  const [shown, setShown] = useState<ShownSecret>();
  const base = `/admin/projects/${project.id}/api-keys/`;
  const keys = useApi<{ api_keys: readonly ApiKey[] }>(base);
  const show = (secret: string) => {
    setShown({ kind: 'key', secret });
    void refresh();
  };
  return (
    <>
      <RecordsCard
        table="api-keys"
        title="API keys"
        rows={keys.data?.api_keys}
        answer={keys}
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="No key yet">A key reads costs from the API and signs in to this page.</Empty>}
        add={{ label: 'New key', form: (close) => <NewKey path={base} onClose={close} onMade={show} /> }}
        remove={{
          verb: 'Revoke',
          label: ({ name, id }) => `Revoke the key ${name ?? id}`,
          path: ({ id }) => `${base}${id}/`,
          has: ({ revoked_at }) => revoked_at === null,
        }}
      />
      {shown && <ShownOnce shown={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

const columns: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    title: 'Name',
    value: ({ name, id }) => name ?? id,
    show: ({ name, id, revoked_at }) => (
      <NameWith name={name ?? id} beside={revoked_at !== null && <Badge tone="bad">revoked</Badge>} />
    ),
  },
  { id: 'scopes', title: 'Scopes', value: ({ scopes }) => scopes.join(' and ') },
  { id: 'used', title: 'Last used', as: 'time', value: ({ last_used_at: at }) => at },
  { id: 'made', title: 'Made', as: 'time', isExtra: true, value: ({ created_at: at }) => at },
  { id: 'expires', title: 'Expires', as: 'time', isExtra: true, value: ({ expires_at: at }) => at },
];

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
