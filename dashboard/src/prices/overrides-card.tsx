import { useApi, useSend } from '../api/queries.ts';
import type { ListAge, PriceOverride } from '../api/types.ts';
import { toDay } from '../lib/format.ts';
import { Empty } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { DateField } from '../ui/date-field.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { NameWith } from '../ui/name.tsx';
import { RecordsCard } from '../ui/records-card.tsx';
import { PriceFields } from './price-fields.tsx';

const columns: readonly Column<PriceOverride>[] = [
  {
    id: 'model',
    title: 'Model',
    value: ({ model, provider, service_tier }) => [model, provider, service_tier].filter(Boolean).join(' · '),
    show: ({ model, provider, service_tier }) => (
      <NameWith name={model} beside={[provider, service_tier].filter(Boolean).join(' · ')} />
    ),
  },
  rate('input', 'Input', ({ input_per_mtok }) => input_per_mtok),
  rate('output', 'Output', ({ output_per_mtok }) => output_per_mtok),
  rate('cached', 'Cached input', ({ cache_read_per_mtok }) => cache_read_per_mtok),
  rate('request', 'Per call', ({ per_request }) => per_request),
  { id: 'days', title: 'Valid', value: toDays, rank: ({ effective_from: from }) => Date.parse(from ?? '0001-01-01') },
];

export const useOverrides = () =>
  useApi<{ prices: readonly PriceOverride[]; lists: readonly ListAge[] }>('/api/prices/');

/** The project's own prices, which take precedence over the catalogue. */
export function OverridesCard() {
  const prices = useOverrides();
  return (
    <RecordsCard
      table="own-prices"
      title="Your own prices"
      rows={prices.data?.prices}
      answer={prices}
      columns={columns}
      idOf={({ id }) => id}
      empty={<Empty title="None yet">Prices are those of the catalogue.</Empty>}
      add={{ label: 'Add a price', form: (close) => <AddPrice onClose={close} /> }}
      remove={{
        verb: 'Remove',
        label: ({ model }) => `Remove the price of ${model}`,
        path: ({ id }) => `/api/prices/${id}/`,
      }}
    />
  );
}

function toDays({ effective_from: from, effective_to: to }: PriceOverride): string {
  if (from === null && to === null) return 'always';
  return [from && `from ${toDay(from)}`, to && `to ${toDay(to)}`].filter(Boolean).join(' ');
}

function rate(id: string, title: string, value: (row: PriceOverride) => number | null): Column<PriceOverride> {
  return { id, title, value, isNumber: true, unit: 'USD', isExact: true };
}

interface AddPriceProps {
  readonly onClose: () => void;
  /** The model to set a price for, if known. */
  readonly model?: string;
}

export function AddPrice({ onClose, model }: AddPriceProps) {
  const send = useSend();
  const save = async (body: Fields) => {
    await send('/api/prices/', { method: 'POST', body });
  };
  return (
    <FormDialog title="Add a price" action="Add it" save={save} onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
        <PriceFields propsOf={(name) => ({ name, ...(name === 'model' && { defaultValue: model }) })} />
        <DateField label="First day (default: always)" name="effective_from" />
        <DateField label="Last day (default: always)" name="effective_to" />
      </div>
      <p className="text-xs text-mute">It prices new calls. Past calls change only when you reprice their days.</p>
    </FormDialog>
  );
}
