import { useApi } from '../api/queries.ts';
import type { Coverage } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { GapsCard } from '../revenue/gaps-card.tsx';
import { HooksCard, useHooks } from '../revenue/hooks-card.tsx';
import { PairsCard, usePairs } from '../revenue/pairs-card.tsx';
import { RatesCard, useRates } from '../revenue/rates-card.tsx';
import { toDates, useQuestion } from '../state/question.ts';
import { After } from '../ui/after.tsx';
import { ErrorNote, PageHead } from '../ui/basics.tsx';

/** The sources that post revenue automatically, and why some revenue does not count. */
export function Revenue() {
  const { days } = useQuestion();
  const coverage = useApi<Coverage>(`/api/coverage/?${new URLSearchParams(toDates(days))}`);
  const [hooks, pairs, rates] = [useHooks(), usePairs(), useRates()];
  const isPending = [coverage, hooks, pairs, rates].some((answer) => answer.isPending);
  return (
    <>
      <PageHead title="Revenue" about={<DaysLine />} />
      <FilterBar by={[]} hasGranularity={false} hasCredits={false} hasCompare={false} />
      <After isPending={isPending}>
        {coverage.error && <ErrorNote problem={coverage.error} retry={() => void coverage.refetch()} />}
        {coverage.data && <GapsCard coverage={coverage.data} />}
        <HooksCard />
        <PairsCard />
        <RatesCard />
      </After>
    </>
  );
}
