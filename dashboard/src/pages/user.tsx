import { useParams } from '@tanstack/react-router';
import { useTotal } from '../api/queries.ts';
import type { PerformanceRow } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { toCount } from '../lib/format.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { useComparedTotals } from '../state/compared-totals.ts';
import { toUnitVersus, toVersus } from '../state/comparison.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { useTags } from '../state/tags.ts';
import { After } from '../ui/after.tsx';
import { Choice, ErrorNote, PageHead } from '../ui/basics.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { Name } from '../ui/name.tsx';
import { TagsCard } from '../ui/tags-card.tsx';
import { toPerformanceBody } from '../users/body.ts';
import { UnitCostChart, UserCostChart } from '../users/unit-cost-chart.tsx';

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
  const { asOf, search } = useQuestion();
  const change = useChangeSearch();
  const metrics = Object.keys(total.row?.key_metrics ?? {});
  const metric = metrics.find((one) => one === search.metric) ?? metrics[0];
  return (
    <>
      <PageHead
        title={<Name name={name} most={80} />}
        about={
          <>
            User · <DaysLine isCompared />
          </>
        }
      >
        {metrics.length > 1 && metric !== undefined && (
          <Choice
            label="Key metric"
            options={Object.fromEntries(metrics.map((one) => [one, one]))}
            value={metric}
            onChoose={(next) => change({ metric: next })}
          />
        )}
      </PageHead>
      {/* The key metrics decide how much stands above all this. */}
      <After isPending={total.isPending}>
        <FilterBar by={['features']} />
        <UserFigures name={name} />
        <UserCostChart user={name} />
        {metric !== undefined && <UnitCostChart metric={metric} user={name} />}
        {asOf === undefined && (
          <After isPending={tags.isPending}>
            <TagsCard of="user" name={name} />
          </After>
        )}
      </After>
    </>
  );
}

function UserFigures({ name }: { readonly name: string }) {
  const question = useQuestion();
  const { comparison } = question;
  const { row, error, retry } = useUserTotal(name);
  const { now, before } = useComparedTotals<PerformanceRow>('/api/performance/', (range) => ({
    ...toPerformanceBody(question),
    ...toDates(range),
    users: [name],
    user_tags: undefined,
  }));
  if (error) return <ErrorNote problem={error} retry={retry} />;
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <FigureCard
        icon="wallet"
        label="AI cost"
        value={row && <Dollars value={row.cost} />}
        about={toVersus(comparison, now.row?.cost, before.row?.cost)}
      />
      {Object.entries(row?.key_metrics ?? {}).map(([metric, { value, cost_per_unit }]) => (
        <FigureCard
          key={metric}
          icon="features"
          label={`Cost of one: ${metric}`}
          value={<Dollars value={cost_per_unit} />}
          about={[
            toUnitVersus(
              comparison,
              now.row?.key_metrics[metric]?.cost_per_unit,
              before.row?.key_metrics[metric]?.cost_per_unit,
            ),
            `of ${toCount(value)}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        />
      ))}
    </div>
  );
}
