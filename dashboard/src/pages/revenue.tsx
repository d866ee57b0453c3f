import { useApi } from '../api/queries.ts';
import type { Coverage } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { RevenueCard, useRevenueEntries, useRevenueTotal } from '../revenue/entries-card.tsx';
import { GapsCard } from '../revenue/gaps-card.tsx';
import { HooksCard, useHooks } from '../revenue/hooks-card.tsx';
import { PairsCard, usePairs } from '../revenue/pairs-card.tsx';
import { RatesCard, useRates } from '../revenue/rates-card.tsx';
import { toDates, useQuestion } from '../state/question.ts';
import { After } from '../ui/after.tsx';
import { FailureNote, PageHead } from '../ui/basics.tsx';

/** What customers paid, the sources that post it automatically, and why some does not count. */
export function Revenue() {
  const { days } = useQuestion();
  const coverage = useApi<Coverage>(`/api/coverage/?${new URLSearchParams(toDates(days))}`);
  const others = [useRevenueEntries(), useRevenueTotal(), useHooks(), usePairs(), useRates()];
  const isPending = [coverage, ...others].some((answer) => answer.isPending);
  return (
    <>
      <PageHead title="Revenue" about={<DaysLine />} />
      <FilterBar by={[]} hasGranularity={false} hasCredits={false} hasCompare={false} />
      <After isFirst isPending={isPending}>
        <FailureNote answer={coverage} />
        {coverage.data && <GapsCard coverage={coverage.data} />}
        <RevenueCard />
        <HooksCard />
        <PairsCard />
        <RatesCard />
      </After>
    </>
  );
}
