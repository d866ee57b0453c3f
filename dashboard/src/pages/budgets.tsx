import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { keepAnswer, useApi, useApiOptions } from '../api/queries.ts';
import type { Budget, BudgetStanding } from '../api/types.ts';
import { BudgetCard } from '../budgets/budget-card.tsx';
import { BudgetForm } from '../budgets/budget-form.tsx';
import { toCount } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Button, Card, Empty, FailureNote, PageHead, Skeleton } from '../ui/basics.tsx';

const everyMs = 30_000;
/** How many more budgets are shown at a time. */
const step = 20;

/** The limits to spend, and what is spent of them. */
export function Budgets() {
  const { project, canWrite } = useAccess();
  const [isAdding, setAdding] = useState(false);
  const budgets = useApi<{ budgets: readonly Budget[] }>('/api/budgets/');
  return (
    <>
      <PageHead title="Budgets" about={`What may be spent, and what is spent now · ${project.timezone}`}>
        {canWrite && (
          <Button kind="main" onClick={() => setAdding(true)}>
            Add a budget
          </Button>
        )}
      </PageHead>
      <FailureNote answer={budgets} />
      {budgets.isPending && <Skeleton className="h-44" />}
      {budgets.data?.budgets.length === 0 && (
        <Card>
          <Empty title="No budget yet">
            A budget says how much may be spent in an hour, day, week, month or quarter, or in the last minutes, hours
            or days: by the whole project, by some of its calls, or by each customer, user, feature or run. This page
            shows what is spent and what it is likely to become, an{' '}
            <Link to="/alerts" search={true} className="underline hover:text-ink">
              alert
            </Link>{' '}
            fires at the thresholds, and your application can ask before a call whether more may be spent.
          </Empty>
        </Card>
      )}
      {budgets.data && budgets.data.budgets.length > 0 && <BudgetList budgets={budgets.data.budgets} />}
      {isAdding && <BudgetForm onClose={() => setAdding(false)} />}
    </>
  );
}

/** The budgets by name; only the one that the URL names, if it is there. */
function BudgetList({ budgets }: { readonly budgets: readonly Budget[] }) {
  const { search } = useQuestion();
  const change = useChangeSearch();
  const [most, setMost] = useState(step);
  const named = budgets.filter(({ name }) => name === search.budget);
  const listed = named.length > 0 ? named : budgets;
  const shown = listed.slice(0, most);
  const optionsOf = useApiOptions<BudgetStanding>();
  const standings = useQueries({
    queries: shown.map(({ name }) =>
      optionsOf(`/api/budgets/${encodeURIComponent(name)}/`, undefined, { every: everyMs }),
    ),
  }).map(keepAnswer);
  // A card grows with its answer, so those below wait for it: nothing on the page moves.
  const firstWaiting = standings.findIndex(({ isPending }) => isPending);
  const complete = firstWaiting < 0 ? shown : shown.slice(0, firstWaiting + 1);
  return (
    <>
      {search.budget !== undefined && (
        <div className="flex flex-wrap items-center gap-3">
          {named.length === 0 && <p className="text-mute">There is no budget {search.budget} any more.</p>}
          {budgets.length > named.length && named.length > 0 && (
            <Button onClick={() => change({ budget: undefined })}>Show all {toCount(budgets.length)} budgets</Button>
          )}
        </div>
      )}
      {complete.map((budget, index) => {
        const standing = standings[index];
        return <BudgetCard key={budget.name} budget={budget} standing={standing?.data} answer={standing} />;
      })}
      {listed.length > shown.length && (
        <Button onClick={() => setMost(most + step)}>
          Show {toCount(Math.min(step, listed.length - shown.length))} more
        </Button>
      )}
    </>
  );
}
