import { useParams } from '@tanstack/react-router';
import { useTotal } from '../api/queries.ts';
import type { PerformanceRow } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { toCount, toDollars } from '../lib/format.ts';
import { useQuestion } from '../state/question.ts';
import { useTags } from '../state/tags.ts';
import { After } from '../ui/after.tsx';
import { ErrorNote, PageHead } from '../ui/basics.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { TagsCard } from '../ui/tags-card.tsx';
import { toPerformanceBody } from '../users/body.ts';

/** The cost and the key metrics of a user on the days. */
function useUserTotal(name: string) {
  // The URL may still have another page's user filters; this page shows one user.
  const body = { ...toPerformanceBody(useQuestion()), users: [name], user_tags: undefined };
  return useTotal<PerformanceRow>('/api/performance/', body);
}

/** One user of an internal project: cost, key metrics and tags. */
export function User() {
  const { name } = useParams({ from: '/users/$name' });
  const total = useUserTotal(name);
  const tags = useTags('user', name);
  const { asOf } = useQuestion();
  return (
    <>
      <PageHead
        title={name}
        about={
          <>
            User · <DaysLine />
          </>
        }
      />
      <FilterBar by={['features']} hasGranularity={false} hasCompare={false} />
      <UserFigures name={name} />
      {asOf === undefined && (
        <After isPending={total.isPending || tags.isPending}>
          <TagsCard of="user" name={name} />
        </After>
      )}
    </>
  );
}

function UserFigures({ name }: { readonly name: string }) {
  const { row, error, retry } = useUserTotal(name);
  if (error) return <ErrorNote problem={error} retry={retry} />;
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <FigureCard icon="wallet" label="AI cost" value={row && toDollars(row.cost)} />
      {Object.entries(row?.key_metrics ?? {}).map(([metric, { value, cost_per_unit }]) => (
        <FigureCard
          key={metric}
          icon="features"
          label={`Cost of one: ${metric}`}
          value={toDollars(cost_per_unit)}
          about={`of ${toCount(value)}`}
        />
      ))}
    </div>
  );
}
