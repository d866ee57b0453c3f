import { useState } from 'react';
import { useSend } from '../api/queries.ts';
import type { KeyMetric } from '../api/types.ts';
import { type Answer, Empty, Field, Select } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { RecordsCard } from '../ui/records-card.tsx';

const aggregations = { count: 'Count the events', sum: 'Sum up a number', unique: 'Count distinct values' };

const toPath = (name: string) => `/api/key-metrics/${encodeURIComponent(name)}/`;

const columns: readonly Column<KeyMetric>[] = [
  { id: 'name', title: 'Key metric', as: 'name', value: ({ name }) => name },
  {
    id: 'type',
    title: 'Event type',
    value: ({ event_type }) => event_type,
    show: ({ event_type }) => <code className="text-xs">{event_type}</code>,
  },
  {
    id: 'how',
    title: 'How',
    value: ({ aggregation, field }) => `${aggregations[aggregation]}${field === null ? '' : ` at ${field}`}`,
  },
  { id: 'unit', title: 'Unit', value: ({ unit }) => unit },
];

interface MetricsCardProps {
  readonly metrics: readonly KeyMetric[] | undefined;
  readonly answer: Answer;
}

/** The definitions of the key metrics. */
export const MetricsCard = ({ metrics, answer }: MetricsCardProps) => (
  <RecordsCard
    table="key-metrics"
    title="Key metrics"
    rows={metrics}
    answer={answer}
    columns={columns}
    idOf={({ name }) => name}
    empty={
      <Empty title="No key metric yet">
        A key metric counts your users' work from custom events, and gives the cost of one unit of it.
      </Empty>
    }
    add={{ label: 'Add a key metric', form: (close) => <AddMetric onClose={close} /> }}
    remove={{
      verb: 'Delete',
      label: ({ name }) => `Delete the key metric ${name}`,
      path: ({ name }) => toPath(name),
    }}
  />
);

function AddMetric({ onClose }: { readonly onClose: () => void }) {
  const send = useSend();
  const [aggregation, setAggregation] = useState('count');
  const save = async ({ name = '', ...body }: Fields) => {
    await send(toPath(name), { method: 'PUT', body });
  };
  return (
    <FormDialog title="Add a key metric" action="Add it" save={save} onClose={onClose}>
      <Field label="Name" name="name" required placeholder="tickets solved" />
      <Field label="Event type" name="event_type" required placeholder="ticket.resolved" />
      <Select
        label="How"
        name="aggregation"
        options={aggregations}
        value={aggregation}
        onChange={({ target }) => setAggregation(target.value)}
      />
      {aggregation !== 'count' && (
        <Field label="Field of the event" name="field" required placeholder="/data/minutes" hint="A JSON Pointer" />
      )}
      <Field label="Unit" name="unit" placeholder="ticket" />
    </FormDialog>
  );
}
