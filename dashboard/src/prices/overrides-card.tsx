import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { PriceOverride } from '../api/types.ts';
import { toDay, toDollars } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, Empty, ErrorNote, Field } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** The project's own prices, which come before the catalogue. */
export function OverridesCard() {
  const { canWrite } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const [isAdding, setAdding] = useState(false);
  const prices = useApi<{ prices: readonly PriceOverride[] }>('/api/prices/');
  const remove = useMutation({
    mutationFn: (id: string) => ask(`/api/prices/${id}/`, { method: 'DELETE' }),
    onSuccess: refresh,
  });
  const columns: Column<PriceOverride>[] = [
    {
      id: 'model',
      title: 'Model',
      show: ({ model, provider, service_tier }) => (
        <span className="font-medium">
          {model} <span className="font-normal text-mute">{[provider, service_tier].filter(Boolean).join(' · ')}</span>
        </span>
      ),
    },
    rate('input', 'Input', ({ input_per_mtok }) => input_per_mtok),
    rate('output', 'Output', ({ output_per_mtok }) => output_per_mtok),
    rate('cached', 'Cached input', ({ cache_read_per_mtok }) => cache_read_per_mtok),
    rate('request', 'A call', ({ per_request }) => per_request),
    { id: 'days', title: 'Holds', show: toDays },
    ...(canWrite
      ? [
          {
            id: 'delete',
            title: '',
            isNumber: true,
            show: ({ id, model }: PriceOverride) => (
              <ConfirmButton
                aria-label={`Take the price of ${model} out of force`}
                disabled={remove.isPending}
                onConfirm={() => remove.mutate(id)}
              >
                Remove
              </ConfirmButton>
            ),
          },
        ]
      : []),
  ];
  const failure = prices.error ?? remove.error;
  return (
    <Card>
      <CardHead title="Your own prices">
        {canWrite && <Button onClick={() => setAdding(true)}>Add a price</Button>}
      </CardHead>
      {failure && (
        <div className="p-4">
          <ErrorNote problem={failure} />
        </div>
      )}
      <DataTable
        name="Your own prices"
        columns={columns}
        rows={prices.data?.prices}
        idOf={({ id }) => id}
        empty={<Empty title="None yet">Every model has the list price of the catalogue.</Empty>}
      />
      {isAdding && <AddPrice onClose={() => setAdding(false)} />}
    </Card>
  );
}

function toDays({ effective_from: from, effective_to: to }: PriceOverride): string {
  if (from === null && to === null) return 'always';
  return [from && `from ${toDay(from)}`, to && `to ${toDay(to)}`].filter(Boolean).join(' ');
}

const rate = (id: string, title: string, value: (row: PriceOverride) => number | null): Column<PriceOverride> => ({
  id,
  title,
  isNumber: true,
  show: (row) => {
    const amount = value(row);
    return amount === null ? '–' : toDollars(amount);
  },
});

const rateFields = {
  input_per_mtok: 'Input, USD a million tokens',
  output_per_mtok: 'Output, USD a million tokens',
  cache_read_per_mtok: 'Cached input (default: input)',
  per_request: 'USD a call (default: none)',
} as const;

/** Amounts go as the text that was typed: no float comes between. */
function AddPrice({ onClose }: { readonly onClose: () => void }) {
  const ask = useAsk();
  const refresh = useRefresh();
  const save = useMutation({
    mutationFn: (body: Record<string, string>) => ask('/api/prices/', { method: 'POST', body }),
    onSuccess: async () => {
      onClose();
      await refresh();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget)].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
    );
    save.mutate(Object.fromEntries(fields));
  };
  return (
    <Dialog title="Add a price" onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Model" name="model" required placeholder="house-llm*" hint="* at the end means: begins with" />
          <Field label="Provider (default: every one)" name="provider" />
          {Object.entries(rateFields).map(([name, label]) => (
            <Field key={name} label={label} name={name} inputMode="decimal" required={name.endsWith('put_per_mtok')} />
          ))}
          <Field label="First day (default: always)" name="effective_from" type="date" />
          <Field label="Last day (default: always)" name="effective_to" type="date" />
        </div>
        <p className="text-xs text-mute">It prices calls from now on. What is past changes only when you reprice it.</p>
        {save.error && <ErrorNote problem={save.error} />}
        <Button type="submit" kind="main" disabled={save.isPending}>
          Add it
        </Button>
      </form>
    </Dialog>
  );
}
