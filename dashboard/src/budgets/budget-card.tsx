import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAsk, useRefreshWithout } from '../api/queries.ts';
import type { Budget, BudgetStanding } from '../api/types.ts';
import { toDayRange, toMinute, toSpentDollars } from '../lib/format.ts';
import { useAccess } from '../state/session.tsx';
import { type Answer, Badge, Button, Card, ErrorNote, FailureNote, Skeleton } from '../ui/basics.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Door } from '../ui/door.tsx';
import { Name } from '../ui/name.tsx';
import { BudgetBar } from './budget-bar.tsx';
import { BudgetForm } from './budget-form.tsx';
import { EachSpentTable } from './each-spent.tsx';
import { Left } from './left.tsx';
import { toAmountWords, toCallsDoor, toScopeWords } from './scope.ts';
import { toTone } from './tone.ts';

interface BudgetCardProps {
  readonly budget: Budget;
  /** Undefined while it is loading. */
  readonly standing: BudgetStanding | undefined;
  readonly answer: Answer;
}

/** One budget: what is spent of it, and by whom. */
export function BudgetCard({ budget, standing, answer }: BudgetCardProps) {
  const { canWrite } = useAccess();
  const ask = useAsk();
  const refreshWithout = useRefreshWithout();
  const [isChanging, setChanging] = useState(false);
  const path = `/api/budgets/${encodeURIComponent(budget.name)}/`;
  const removing = useMutation({
    mutationFn: () => ask(path, { method: 'DELETE' }),
    onSuccess: () => refreshWithout(path),
  });
  return (
    <Card aria-label={budget.name}>
      <header className="flex flex-wrap items-start justify-between gap-2 px-4 pt-3 pb-2">
        <div className="min-w-0">
          <h2 className="flex flex-wrap items-center gap-2 text-[15px] font-semibold">
            <span className="min-w-0">
              <Name name={budget.name} most={60} />
            </span>
            {standing && <StateBadge standing={standing} />}
          </h2>
          <p className="mt-0.5 text-[13px] break-words text-mute">
            {toAmountWords(budget)} · {toScopeWords(budget.scope)}
            {budget.apply_credits && ' · after free AI credits'}
          </p>
        </div>
        {canWrite && (
          <div className="flex gap-1.5">
            <Button aria-label={`Change the budget ${budget.name}`} onClick={() => setChanging(true)}>
              Change
            </Button>
            <ConfirmButton
              aria-label={`Remove the budget ${budget.name}`}
              disabled={removing.isPending}
              onConfirm={() => removing.mutate()}
            >
              Remove
            </ConfirmButton>
          </div>
        )}
      </header>
      {removing.error && <ErrorNote problem={removing.error} className="mx-4 mb-3" />}
      <FailureNote answer={answer} className="m-4 mt-2" />
      {standing && <Standing standing={standing} />}
      {!standing && !answer?.error && (
        <div className="p-4 pt-2">
          <Skeleton className="h-24" />
        </div>
      )}
      {isChanging && <BudgetForm budget={budget} onClose={() => setChanging(false)} />}
    </Card>
  );
}

function StateBadge({
  standing: { amount, forecast, spent_pct: pct, thresholds_passed: passed, each_spent: each, each: of },
}: {
  readonly standing: BudgetStanding;
}) {
  if (of !== null) {
    const over = each?.filter(({ spent_pct }) => spent_pct !== null && spent_pct >= 100).length ?? 0;
    return over > 0 ? <Badge tone="bad">{over} over</Badge> : null;
  }
  if (pct === null) return null;
  const tone = toTone(pct, passed);
  if (tone === 'over') return <Badge tone="bad">{pct > 100 ? 'over' : 'used up'}</Badge>;
  if (forecast !== null && forecast > amount) return <Badge tone="warn">forecast over</Badge>;
  return tone === 'warned' ? <Badge tone="warn">{passed.at(-1)}% passed</Badge> : <Badge tone="good">on track</Badge>;
}

function Standing({ standing }: { readonly standing: BudgetStanding }) {
  const { project } = useAccess();
  const { amount, spent, remaining, spent_pct: pct, forecast, thresholds, thresholds_passed: passed, each } = standing;
  const isMore = forecast !== null && each === null && forecast > amount;
  return (
    <>
      <div className="px-4 pb-3">
        <dl className="grid grid-cols-2 gap-x-6 gap-y-2 sm:flex sm:flex-wrap sm:gap-x-10">
          <Figure label={each === null ? 'Spent' : 'Spent, all together'}>
            <Door {...toCallsDoor(standing)}>{toSpentDollars(spent)}</Door>
          </Figure>
          {remaining !== null && (
            <Figure label="Left">
              <Left remaining={remaining} />
            </Figure>
          )}
          {forecast !== null && (
            <Figure label="Forecast">
              <span className={isMore ? 'text-bad' : ''}>{toSpentDollars(forecast)}</span>
            </Figure>
          )}
          <Figure label={standing.window === null ? 'This period' : 'The window'}>
            {toDayRange({ from: standing.period_from, to: standing.period_to })}
          </Figure>
          {standing.resets_at !== null && (
            <Figure label="Resets">{toMinute(standing.resets_at, project.timezone)}</Figure>
          )}
        </dl>
        {pct !== null && (
          <BudgetBar
            className="mt-3"
            amount={amount}
            spent={spent}
            spentPct={pct}
            forecast={forecast}
            thresholds={thresholds}
            thresholdsPassed={passed}
          />
        )}
      </div>
      {each !== null && <EachSpentTable budget={standing} each={each} />}
    </>
  );
}

const Figure = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs font-medium text-mute">{label}</dt>
    <dd className="mt-0.5 text-[15px] font-medium">{children}</dd>
  </div>
);
