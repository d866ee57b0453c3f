import { Link } from '@tanstack/react-router';
import { useApi, useAsk, useRefresh } from '../api/queries.ts';
import type { AskedPlan } from '../api/types.ts';
import { useQuestion } from '../state/question.ts';
import { Empty, Field } from '../ui/basics.tsx';
import type { Column } from '../ui/data-table.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Name } from '../ui/name.tsx';
import { RecordsCard } from '../ui/records-card.tsx';
import { toPlansBody } from './sheet.ts';

interface Saved {
  readonly name: string;
  readonly updated_at: string;
}

/** The path of a saved simulation in the API. */
export const toSavedPath = (name: string): string => `/api/plans/simulations/${encodeURIComponent(name)}/`;

interface SavedCardProps {
  /** What is on the sheet; undefined where nothing is tried. */
  readonly plans: readonly AskedPlan[] | undefined;
  readonly target: number;
  /** The name that it was opened with. */
  readonly saved: string | undefined;
}

/** The saved simulations, each with its link, and a form that saves what is on the sheet. */
export function SavedCard({ plans, target, saved }: SavedCardProps) {
  const list = useApi<{ simulations: readonly Saved[] }>('/api/plans/simulations/');
  const columns: readonly Column<Saved>[] = [
    {
      id: 'name',
      title: 'Name',
      value: ({ name }) => name,
      show: ({ name }) => (
        <Link
          to="/plans"
          search={({ sort: _sort, ...search }) => ({ ...search, sheet: { saved: name } })}
          className="font-medium text-accent underline underline-offset-2"
        >
          <Name name={name} />
        </Link>
      ),
    },
    { id: 'saved', title: 'Saved', as: 'time', value: ({ updated_at: at }) => at },
  ];
  return (
    <RecordsCard
      table="plan-simulations"
      title="Saved simulations"
      rows={list.data?.simulations}
      answer={list}
      columns={columns}
      idOf={({ name }) => name}
      empty={<Empty title="None yet">Try the prices of a plan, and save them under a name.</Empty>}
      add={{
        label: 'Save this simulation',
        form: (close) => <SaveForm plans={plans} target={target} saved={saved} onClose={close} />,
      }}
      remove={{
        verb: 'Delete',
        label: ({ name }) => `Delete the simulation ${name}`,
        path: ({ name }) => toSavedPath(name),
      }}
    />
  );
}

function SaveForm({ plans, target, saved, onClose }: SavedCardProps & { readonly onClose: () => void }) {
  const question = useQuestion();
  const ask = useAsk();
  const refresh = useRefresh();
  const save = async ({ name = '' }: Readonly<Record<string, string>>) => {
    if (!plans) throw new Error('Nothing to save yet: choose “Try prices” on a plan.');
    const body = { ...toPlansBody(question), target_margin_pct: target, plans };
    await ask(toSavedPath(name), { method: 'PUT', body });
    await refresh();
  };
  return (
    <FormDialog title="Save this simulation" action="Save" save={save} onClose={onClose}>
      <Field name="name" label="Name" required maxLength={128} defaultValue={saved} />
    </FormDialog>
  );
}
