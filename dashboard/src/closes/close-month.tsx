import { useAsk, useRefresh } from '../api/queries.ts';
import { addDays, todayIn } from '../lib/days.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useAccess } from '../state/session.tsx';
import { Field } from '../ui/basics.tsx';
import { DateField } from '../ui/date-field.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';

interface CloseMonthProps {
  /** The last day of the latest close. */
  readonly latest: string | undefined;
  readonly onClose: () => void;
}

/** Closes all days up to one. */
export function CloseMonth({ latest, onClose }: CloseMonthProps) {
  const { project } = useAccess();
  const ask = useAsk();
  const refresh = useRefresh();
  const change = useChangeSearch();
  const today = todayIn(project.timezone);
  const save = async (fields: Fields) => {
    const { id } = await ask<{ id: string }>('/api/closes/', { method: 'POST', body: fields });
    change({ close: id });
    void refresh();
  };
  return (
    <FormDialog title="Close a month" action="Close these days" save={save} onClose={onClose}>
      <DateField
        label={`Last day, in ${project.timezone}`}
        name="through"
        required
        min={latest && addDays(latest, 1)}
        max={addDays(today, -1)}
        defaultValue={lastDueDay(today, latest)}
        hint={
          latest === undefined
            ? 'All days up to it are closed'
            : 'All days up to it are closed, also those closed before'
        }
      />
      <Field label="Note" name="note" maxLength={1_000} placeholder="October 2026, invoices in" />
      <ul className="list-disc space-y-1 pl-5 text-[13px] text-mute">
        <li>The close keeps its figures to the last digit, even after late events, reprices and other changes.</li>
        <li>Everything else goes on: events are taken, and the present figures of these days stay current.</li>
        <li>What changes after it is its drift, listed here by day, customer and cause.</li>
        <li>An erased customer is erased from it too.</li>
      </ul>
    </FormDialog>
  );
}

/** The last day of the month before; yesterday where that is closed already. */
function lastDueDay(today: string, latest: string | undefined): string {
  const ended = addDays(`${today.slice(0, 8)}01`, -1);
  return latest !== undefined && ended <= latest ? addDays(today, -1) : ended;
}
