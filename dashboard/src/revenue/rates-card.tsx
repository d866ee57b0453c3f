import { useApi, useSend } from '../api/queries.ts';
import type { ExchangeRate } from '../api/types.ts';
import { todayIn } from '../lib/days.ts';
import { toDay } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { Empty, Field } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { DateField } from '../ui/date-field.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { RecordsCard } from '../ui/records-card.tsx';

const columns: readonly Column<ExchangeRate>[] = [
  { id: 'currency', title: 'Currency', value: ({ currency }) => currency },
  { id: 'day', title: 'From', as: 'day', value: ({ day }) => day },
  { id: 'usd', title: 'In USD', isNumber: true, unit: 'USD', isExact: true, value: ({ usd }) => usd },
];

export const useRates = () => useApi<{ rates: readonly ExchangeRate[] }>('/api/exchange-rates/?limit=1000');

/** What other currencies are worth in USD. */
export function RatesCard() {
  const rates = useRates();
  return (
    <RecordsCard
      table="exchange-rates"
      title="Exchange rates"
      rows={rates.data?.rates}
      answer={rates}
      columns={columns}
      idOf={({ currency, day }) => `${currency} ${day}`}
      empty={
        <Empty title="No rate yet">
          Revenue in another currency counts once there is a rate: the last one on or before its day.
        </Empty>
      }
      add={{ label: 'Add a rate', form: (close) => <AddRate onClose={close} /> }}
      remove={{
        verb: 'Remove',
        label: ({ currency, day }) => `Remove the rate of ${currency} from ${toDay(day)}`,
        path: ({ currency, day }) => `/api/exchange-rates/${currency}/${day}/`,
      }}
    />
  );
}

interface AddRateProps {
  readonly onClose: () => void;
  /** The currency that has no rate, if known. */
  readonly currency?: string;
}

export function AddRate({ onClose, currency }: AddRateProps) {
  const { project } = useAccess();
  const send = useSend();
  const save = async (rate: Fields) => {
    await send('/api/exchange-rates/', { method: 'PUT', body: { rates: [rate] } });
  };
  return (
    <FormDialog title="Add an exchange rate" action="Add it" save={save} onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-3">
        <Field
          label="Currency"
          name="currency"
          required
          pattern="[A-Za-z]{3}"
          maxLength={3}
          placeholder="EUR"
          defaultValue={currency}
        />
        <DateField label="From day" name="day" required defaultValue={todayIn(project.timezone)} />
        <Field label="Value of one, USD" name="usd" required inputMode="decimal" placeholder="1.0845" />
      </div>
      <p className="text-xs text-mute">
        It holds until the next rate of the currency, also for revenue that has already come.
      </p>
    </FormDialog>
  );
}
