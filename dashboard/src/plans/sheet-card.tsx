import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/queries.ts';
import type { AskedPlan, SimulatedPlan, Simulation } from '../api/types.ts';
import { toCount, toDayRange, toExactCount, toPercent, toProseDollars, toShortName, toSigned } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { Button, Card, CardHead, FailureNote, Skeleton } from '../ui/basics.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { NameLink } from '../ui/name.tsx';
import { useTableView } from '../ui/table-view.tsx';
import { PlanFields } from './plan-fields.tsx';
import { nameUnit, type Sheet, toCents, toDearer, toIncluded, toNeed, toPlansBody } from './sheet.ts';

/** The most customers of each plan that are listed. */
const mostCustomers = 1_000;

/** How long a slider rests before its value is asked and written to the URL, in milliseconds. */
const restMs = 150;

interface SheetCardProps {
  readonly sheet: Sheet;
  readonly plans: readonly AskedPlan[];
  readonly target: number;
}

/** Moves the prices of plans, and says at once what they would have earned and who would pay what. */
export function SheetCard({ sheet, plans, target }: SheetCardProps) {
  const question = useQuestion();
  const change = useChangeSearch();
  const top = useRef<HTMLDivElement>(null);
  // It returns a promise in newer browsers, which an effect must not.
  useEffect(() => void top.current?.scrollIntoView({ block: 'start' }), []);
  const written = JSON.stringify(plans);
  /** What is moved and not in the URL yet, whose state it was moved from. */
  const [moved, setMoved] = useState<{ readonly from: string; readonly plans: readonly AskedPlan[] }>();
  const shown = moved?.from === written ? moved.plans : plans;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const replace = (next: AskedPlan) => {
    const all = shown.map((plan) => (plan.name === next.name ? next : plan));
    setMoved({ from: written, plans: all });
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change({ sheet: { ...sheet, plans: all } }), restMs);
  };
  const answer = useApi<Simulation>(
    '/api/plans/simulate/',
    {
      ...toPlansBody(question),
      target_margin_pct: target,
      plans,
      limit: mostCustomers,
    },
    { keep: true },
  );
  return (
    <div ref={top} className="scroll-mt-4 space-y-4">
      <Card aria-label="What should it cost?">
        <CardHead
          title="What should it cost?"
          about={`What these prices would have earned: ${toDayRange(question.toKnown(question.days))}. Only this page changes.`}
        >
          <Button kind="quiet" onClick={() => change({ sheet: { ...sheet, plans: undefined, saved: undefined } })}>
            Close
          </Button>
        </CardHead>
        <FailureNote answer={answer} className="m-4" />
        {shown.map((plan) => (
          <div
            key={plan.name}
            className="grid gap-4 border-t border-line p-4 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)]"
          >
            <PlanFields
              plan={plan}
              mostBase={toMostBase(
                answer.data?.plans.find(({ name }) => name === plan.name),
                plan,
              )}
              onChange={replace}
            />
            <PlanResult
              result={answer.data?.plans.find(({ name }) => name === plan.name)}
              isPending={!answer.error}
              target={target}
              onUse={(fields) => replace({ ...plan, ...fields })}
            />
          </div>
        ))}
      </Card>
      <CustomersCard simulation={answer.data} />
    </div>
  );
}

/** The end of the slider: well above what is paid for each month, and above what would reach the target. */
function toMostBase(result: SimulatedPlan | undefined, { base_per_month: base }: AskedPlan): number {
  const months = result && base > 0 ? result.simulated_base / base : 0;
  const paid = result && months > 0 ? result.revenue / months : base;
  const most = 2 * Math.max(paid, result?.target_base.base_per_month ?? 0, 5);
  // Rounded, so that the slider does not stretch under the hand.
  const step = 10 ** Math.floor(Math.log10(most));
  return Math.ceil(most / step) * step;
}

interface PlanResultProps {
  readonly result: SimulatedPlan | undefined;
  /** Whether an answer is on its way. */
  readonly isPending: boolean;
  readonly target: number;
  readonly onUse: (fields: Partial<AskedPlan>) => void;
}

function PlanResult({ result, isPending, target, onUse }: PlanResultProps) {
  if (!result) return isPending ? <Skeleton className="h-48" /> : null;
  const { target_base: base, target_included: included } = result;
  const dollars = toProseDollars(result.simulated_revenue, result.revenue);
  return (
    <div className="space-y-3">
      <div className="grid grid-cols-2 gap-3 xl:grid-cols-4">
        <FigureCard
          icon="trend"
          label="Would have earned"
          value={<Dollars value={result.simulated_revenue} />}
          about={`${toSigned(toDifference(result), dollars)} against ${dollars(result.revenue)}`}
        />
        <FigureCard
          icon="percent"
          label="New margin"
          value={result.simulated_revenue === 0 ? '–' : toPercent(result.simulated_margin_pct)}
          about={`${result.revenue === 0 ? '–' : toPercent(result.margin_pct)} as it was`}
          tone={result.simulated_margin < 0 ? 'bad' : undefined}
        />
        <FigureCard icon="customers" label="Would pay more" value={toCount(result.pay_more)} about={toDearer(result)} />
        <FigureCard
          icon="alert"
          label="Below zero"
          value={toCount(result.simulated_below_zero)}
          about={`of ${toCount(result.customers)}; ${toCount(result.below_zero)} as it was`}
        />
      </div>
      <p className="flex flex-wrap items-center gap-2" role="status">
        <strong data-needed className="font-semibold">
          {`${toShortName(result.name)} ${toNeed(result, target)}`}
        </strong>
        {base.base_per_month !== null && (
          <Button onClick={() => onUse({ base_per_month: toCents(base.base_per_month ?? 0) })}>Use this base</Button>
        )}
      </p>
      {included.amount !== null && included.unit !== null && (
        <UseIncluded unit={included.unit} amount={toIncluded(included.amount, included.unit)} onUse={onUse} />
      )}
    </div>
  );
}

interface UseIncludedProps extends Pick<PlanResultProps, 'onUse'> {
  readonly unit: string;
  readonly amount: number;
}

const UseIncluded = ({ unit, amount, onUse }: UseIncludedProps) => (
  <p className="flex flex-wrap items-center gap-2">
    <span>
      Or at this base with {toExactCount(amount)} {nameUnit(unit)} included
    </span>
    <Button onClick={() => onUse({ included: { unit, amount } })}>Use this amount</Button>
  </p>
);

type Row = SimulatedPlan['rows'][number] & { readonly plan: string };

const amount = (id: string, title: string, value: (row: Row) => number): Column<Row> => ({
  ...{ id, title, value, isNumber: true, unit: 'USD' },
});

const columns: readonly Column<Row>[] = [
  {
    id: 'customer',
    title: 'Customer',
    value: ({ customer }) => customer,
    show: ({ customer }) => <NameLink of="customer" name={customer} />,
  },
  { id: 'plan', title: 'Plan', as: 'name', value: ({ plan }) => plan },
  amount('revenue', 'Paid', ({ revenue }) => revenue),
  amount('simulated', 'Would have paid', ({ simulated_revenue: revenue }) => revenue),
  {
    ...amount('difference', 'Difference', toDifference),
    show: (row) => toSigned(toDifference(row)),
  },
  amount('cost', 'AI cost', ({ cost }) => cost),
  {
    ...amount('margin', 'New margin', ({ simulated_margin: margin }) => margin),
    show: ({ simulated_margin: margin }, dollars) => (
      <span className={margin < 0 ? 'text-bad' : ''}>{dollars(margin)}</span>
    ),
  },
];

function toDifference({ revenue, simulated_revenue: simulated }: Pick<Row, 'revenue' | 'simulated_revenue'>): number {
  // The difference of two doubles, without the digits that neither has.
  return Number((simulated - revenue).toFixed(9));
}

function CustomersCard({ simulation }: { readonly simulation: Simulation | undefined }) {
  const rows = simulation?.plans.flatMap(({ name, rows: ofPlan }) => ofPlan.map((row) => ({ ...row, plan: name })));
  const left = (simulation?.plans ?? []).reduce((sum, { other_customers: others }) => sum + others, 0);
  const { table, tools } = useTableView('plan-customers', columns, rows, { usual: '-difference' });
  return (
    <Card aria-label="Who would pay what">
      <CardHead
        title="Who would pay what"
        about={left > 0 ? `${toCount(left)} more customers change less.` : 'Each customer of these plans.'}
      >
        {tools}
      </CardHead>
      <DataTable
        name="Who would pay what, table"
        idOf={({ plan, customer }) => `${plan}\n${customer}`}
        empty={<p className="border-t border-line p-4 text-mute">These plans had no customers on these days.</p>}
        {...table}
      />
    </Card>
  );
}
