import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAsk, useRefresh } from '../api/queries.ts';
import type { KeyMetric } from '../api/types.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, CardHead, Empty, ErrorNote, Field, Select } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';

const aggregations = { count: 'Count the events', sum: 'Sum up a number', unique: 'Count different values' };

interface MetricsCardProps {
  readonly metrics: readonly KeyMetric[] | undefined;
  readonly problem: unknown;
}

/** The definitions of the key metrics. */
export function MetricsCard({ metrics, problem }: MetricsCardProps) {
  const { canWrite } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const [isAdding, setAdding] = useState(false);
  const remove = useMutation({
    mutationFn: (name: string) => ask(`/api/key-metrics/${encodeURIComponent(name)}/`, { method: 'DELETE' }),
    onSuccess: refresh,
  });
  const columns: Column<KeyMetric>[] = [
    { id: 'name', title: 'Key metric', show: ({ name }) => <span className="font-medium">{name}</span> },
    { id: 'type', title: 'Event type', show: ({ event_type }) => <code className="text-xs">{event_type}</code> },
    {
      id: 'how',
      title: 'How',
      show: ({ aggregation, field }) => `${aggregations[aggregation]}${field === null ? '' : ` at ${field}`}`,
    },
    { id: 'unit', title: 'Unit', show: ({ unit }) => unit ?? '–' },
    ...(canWrite
      ? [
          {
            id: 'delete',
            title: '',
            isNumber: true,
            show: ({ name }: KeyMetric) => (
              <ConfirmButton disabled={remove.isPending} onConfirm={() => remove.mutate(name)}>
                Delete
              </ConfirmButton>
            ),
          },
        ]
      : []),
  ];
  const failure = problem ?? remove.error;
  return (
    <Card>
      <CardHead title="Key metrics">
        {canWrite && <Button onClick={() => setAdding(true)}>Add a key metric</Button>}
      </CardHead>
      {failure !== null && failure !== undefined && (
        <div className="p-4">
          <ErrorNote problem={failure} />
        </div>
      )}
      <DataTable
        name="Key metrics"
        columns={columns}
        rows={metrics}
        idOf={({ name }) => name}
        empty={
          <Empty title="No key metric yet">
            A key metric counts what your users get done, from custom events, and says what one of it costs.
          </Empty>
        }
      />
      {isAdding && <AddMetric onClose={() => setAdding(false)} />}
    </Card>
  );
}

function AddMetric({ onClose }: { readonly onClose: () => void }) {
  const ask = useAsk();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [eventType, setEventType] = useState('');
  const [aggregation, setAggregation] = useState('count');
  const [field, setField] = useState('');
  const [unit, setUnit] = useState('');
  const save = useMutation({
    mutationFn: () =>
      ask(`/api/key-metrics/${encodeURIComponent(name)}/`, {
        method: 'PUT',
        body: {
          event_type: eventType,
          aggregation,
          ...(aggregation !== 'count' && { field }),
          ...(unit !== '' && { unit }),
        },
      }),
    onSuccess: async () => {
      onClose();
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog title="Add a key metric" onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <Field
          label="Name"
          required
          value={name}
          onChange={({ target }) => setName(target.value)}
          placeholder="tickets solved"
        />
        <Field
          label="Event type"
          required
          value={eventType}
          onChange={({ target }) => setEventType(target.value)}
          placeholder="ticket.resolved"
        />
        <Select
          label="How"
          options={aggregations}
          value={aggregation}
          onChange={({ target }) => setAggregation(target.value)}
        />
        {aggregation !== 'count' && (
          <Field
            label="Where in the event"
            required
            value={field}
            onChange={({ target }) => setField(target.value)}
            placeholder="/data/minutes"
            hint="A JSON Pointer"
          />
        )}
        <Field label="Unit" value={unit} onChange={({ target }) => setUnit(target.value)} placeholder="ticket" />
        {save.error && <ErrorNote problem={save.error} />}
        <Button type="submit" kind="main" disabled={save.isPending}>
          Add it
        </Button>
      </form>
    </Dialog>
  );
}
