import type { AskedPlan } from '../api/types.ts';
import { Field, Select } from '../ui/basics.tsx';
import { useKeyMetrics } from '../users/units.ts';
import { metricPrefix, nameUnit } from './sheet.ts';

interface PlanFieldsProps {
  readonly plan: AskedPlan;
  /** The largest base of the slider, in USD. */
  readonly mostBase: number;
  readonly onChange: (plan: AskedPlan) => void;
}

/** The base, the included amount and the overage of a plan. */
export function PlanFields({ plan, mostBase, onChange }: PlanFieldsProps) {
  const metrics = useKeyMetrics();
  const { overage, included, markup_pct: markup } = plan;
  const unit = overage?.unit ?? '';
  const units = [
    'calls',
    'tokens',
    'cost',
    ...(metrics.data?.key_metrics ?? []).map(({ name }) => metricPrefix + name),
  ];
  const named = unit === '' || units.includes(unit) ? units : [...units, unit];
  const setUnit = (next: string) => {
    const { overage: _overage, included: _included, ...rest } = plan;
    onChange(
      next === ''
        ? rest
        : {
            ...rest,
            overage: { unit: next, price: next === 'cost' ? 1.2 : 0.01 },
            included: { unit: next, amount: 0 },
          },
    );
  };
  return (
    <fieldset className="space-y-3">
      <legend className="mb-2 font-medium">{plan.name}</legend>
      <Slid
        label="Base a month, USD"
        value={plan.base_per_month}
        most={mostBase}
        onChange={(base_per_month) => onChange({ ...plan, base_per_month })}
      />
      <Select
        label="Charge usage by"
        options={{ '': 'not charged', ...Object.fromEntries(named.map((one) => [one, nameUnit(one)])) }}
        value={unit}
        onChange={({ target }) => setUnit(target.value)}
      />
      {overage && (
        <div className="grid gap-3 sm:grid-cols-2">
          <Typed
            label={`Included a month, ${nameUnit(unit)}`}
            value={included?.amount ?? 0}
            onChange={(amount) => onChange({ ...plan, included: { unit, amount } })}
          />
          <Typed
            label="One more, USD"
            value={overage.price}
            onChange={(price) => onChange({ ...plan, overage: { unit, price } })}
          />
        </div>
      )}
      {markup !== undefined && (
        <Typed label="Cost plus, %" value={markup} onChange={(markup_pct) => onChange({ ...plan, markup_pct })} />
      )}
    </fieldset>
  );
}

interface AmountProps {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A number that is typed; while it is none, the last one counts. */
const Typed = ({ label, value, onChange }: AmountProps) => (
  <Field
    label={label}
    type="number"
    min={0}
    step="any"
    value={value}
    onChange={({ target }) => {
      if (target.valueAsNumber >= 0) onChange(target.valueAsNumber);
    }}
  />
);

/** A number that is moved or typed. */
const Slid = ({ most, ...amount }: AmountProps & { readonly most: number }) => (
  <div>
    <Typed {...amount} />
    <input
      type="range"
      aria-label={`${amount.label}: move`}
      min={0}
      max={most}
      step={most > 100 ? 1 : 0.5}
      value={Math.min(amount.value, most)}
      className="mt-2 w-full accent-accent"
      onChange={({ target }) => amount.onChange(target.valueAsNumber)}
    />
  </div>
);
