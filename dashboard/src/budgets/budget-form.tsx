import { useState } from 'react';
import { useAsk, useRefresh } from '../api/queries.ts';
import type { Budget } from '../api/types.ts';
import { ChosenFilters } from '../filters/chosen.tsx';
import { type Chosen, FilterPanel } from '../filters/picker.tsx';
import { toPlainDecimal } from '../lib/format.ts';
import { Button, Field, Select } from '../ui/basics.tsx';
import { type Fields, FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { scopeFilters, toChosen, toScope } from './scope.ts';

const periods = { month: 'Month', week: 'Week', day: 'Day', hour: 'Hour', quarter: 'Quarter', '': 'Window' };
const eachOptions = {
  '': 'all calls together',
  customer: 'each customer',
  user: 'each user',
  feature: 'each feature',
  run: 'each run',
};

interface BudgetFormProps {
  /** The budget to change; undefined to add one. */
  readonly budget?: Budget | undefined;
  readonly onClose: () => void;
}

/** Adds a budget, or replaces one. */
export function BudgetForm({ budget, onClose }: BudgetFormProps) {
  const ask = useAsk();
  const refresh = useRefresh();
  const [chosen, setChosen] = useState<Chosen>(() => toChosen(budget?.scope ?? {}));
  const [period, setPeriod] = useState<string>(budget ? (budget.period ?? '') : 'month');
  const save = async ({ name, thresholds, apply_credits: credits, ...fields }: Fields) => {
    const body = {
      ...fields,
      ...(thresholds !== undefined && { thresholds: toThresholds(thresholds) }),
      scope: toScope(chosen),
      apply_credits: credits !== undefined,
    };
    if (budget) await ask(`/api/budgets/${encodeURIComponent(budget.name)}/`, { method: 'PUT', body });
    else await ask('/api/budgets/', { method: 'POST', body: { name, ...body } });
    void refresh();
  };
  return (
    <FormDialog
      title={budget ? `Change the budget ${budget.name}` : 'Add a budget'}
      action={budget ? 'Save it' : 'Add it'}
      save={save}
      onClose={onClose}
      beside={<ScopeFields chosen={chosen} change={(change) => setChosen({ ...chosen, ...change })} />}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {!budget && (
          <Field label="Name" name="name" required maxLength={128} placeholder="Free plan" className="sm:col-span-2" />
        )}
        <Field
          label="Amount, USD"
          name="amount"
          required
          inputMode="decimal"
          placeholder="250"
          defaultValue={budget && toPlainDecimal(budget.amount)}
        />
        <Select
          label="Period"
          name="period"
          options={periods}
          value={period}
          onChange={({ target }) => setPeriod(target.value)}
        />
        {period === '' && (
          <Field
            label="Window"
            name="window"
            required
            placeholder="6h"
            defaultValue={budget?.window ?? undefined}
            hint="The last minutes, hours or days: 10m to 30d"
          />
        )}
        <Select label="One budget for" name="each" options={eachOptions} defaultValue={budget?.each ?? ''} />
        <Field
          label="Thresholds, percent"
          name="thresholds"
          placeholder="50, 80, 100"
          defaultValue={budget?.thresholds.join(', ')}
          hint="An alert fires at each of them"
        />
      </div>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          name="apply_credits"
          defaultChecked={budget?.apply_credits ?? false}
          className="accent-accent"
        />
        What free AI credits cover is not spent
      </label>
    </FormDialog>
  );
}

/** Whole numbers as numbers; other text as typed, so that the service names it in its refusal. */
const toThresholds = (typed: string): (number | string)[] =>
  typed
    .split(/[\s,;%]+/)
    .filter((text) => text !== '')
    .map((text) => (/^\d+$/.test(text) ? Number(text) : text));

interface ScopeFieldsProps {
  readonly chosen: Chosen;
  readonly change: (change: Chosen) => void;
}

/** Which calls count. */
function ScopeFields({ chosen, change }: ScopeFieldsProps) {
  const [isOpen, setOpen] = useState(false);
  const isAll = Object.keys(toScope(chosen)).length === 0;
  return (
    <fieldset className="rounded-lg border border-line p-3">
      <legend className="px-1 text-xs font-medium text-mute">Calls that count</legend>
      <div className="space-y-2">
        {isAll ? (
          <p className="text-mute">All calls of the project.</p>
        ) : (
          <ChosenFilters by={scopeFilters} chosen={chosen} change={change} />
        )}
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" />
          {isOpen ? 'Done' : 'Filter'}
        </Button>
        {isOpen && (
          <div>
            <FilterPanel by={scopeFilters} chosen={chosen} change={change} close={() => setOpen(false)} />
          </div>
        )}
      </div>
    </fieldset>
  );
}
