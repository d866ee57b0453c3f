import { Link } from '@tanstack/react-router';
import { useTotal } from '../api/queries.ts';
import type { MarginRow } from '../api/types.ts';
import { useCliff } from '../credits/cliff-card.tsx';
import { type Fixed, useCostsBy } from '../state/costs.ts';
import { usePaceDays } from '../state/pace-days.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Card, CardHead, CardSkeleton, ErrorNote } from '../ui/basics.tsx';
import { NoneOnDays } from '../ui/none-on-days.tsx';
import { type Lever, listLevers } from './levers.ts';

interface LeversCardProps {
  readonly name: string;
  readonly fixed: Fixed;
}

/** What would change the customer's margin, each with the page that answers it. */
export function LeversCard({ name, fixed }: LeversCardProps) {
  const question = useQuestion();
  const { project } = useAccess();
  const { days } = question;
  const countPaceDays = usePaceDays();
  const margin = useTotal<MarginRow>('/api/margin/', { ...toDates(question.toKnown(days)), customers: [name] });
  const models = useCostsBy(question, 'model', days, fixed);
  const cliff = useCliff();
  const problem = margin.error ?? models.error ?? cliff.error;
  const retry = () => {
    void margin.refetch();
    void models.refetch();
    void cliff.refetch();
  };
  const levers =
    margin.row && models.data && !cliff.isLoading
      ? listLevers({
          name,
          revenue: margin.row.revenue,
          cost: margin.row.cost,
          days: countPaceDays(days),
          wantedPct: project.at_risk_below_pct,
          models: models.data.map(({ model = '', cost }) => ({ name: model, cost })),
          cliff: cliff.data,
        })
      : undefined;
  return (
    <Card aria-label="What would change it">
      <CardHead title="What would change it" />
      {problem ? (
        <ErrorNote problem={problem} retry={retry} className="m-4 mt-0" />
      ) : !levers ? (
        <CardSkeleton className="h-56" />
      ) : levers.length === 0 ? (
        <NoneOnDays what="No cost" />
      ) : (
        <ul>
          {levers.map((lever) => (
            <li key={lever.id} className="border-t border-line px-4 py-3.5">
              <h3 className="font-medium">{lever.title}</h3>
              <p className="mt-0.5 break-words">{lever.text}</p>
              <LeverLink name={name} lever={lever} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const linkClass = 'mt-1 inline-block rounded text-accent underline underline-offset-2';

function LeverLink({ name, lever: { id, model } }: { readonly name: string; readonly lever: Lever }) {
  switch (id) {
    case 'model':
      return (
        <Link
          to="/what-if"
          search={(search) => ({ ...search, customers: [name], ...(model && { models: [model] }) })}
          className={linkClass}
        >
          What if it were another model
        </Link>
      );
    case 'credits':
      return (
        <Link to="/credits" search={true} className={linkClass}>
          Grants, and who else turns
        </Link>
      );
    case 'price':
      return (
        <a href="#revenue-entries" className={linkClass}>
          Revenue entries
        </a>
      );
  }
}
