import { useTotal } from '../api/queries.ts';
import type { CostRow, MarginRow } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { toDollars, toMarginPct } from '../lib/format.ts';
import { EntriesCard, useAllocation, useSharedCosts } from '../shared-costs/entries-card.tsx';
import { MarginsCard } from '../shared-costs/margins-card.tsx';
import { toDates, useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { After } from '../ui/after.tsx';
import { FailureNote, PageHead } from '../ui/basics.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';

/** What is paid whatever is called, how much of it falls to no call, and what calls cost with it. */
export function SharedCosts() {
  const { project } = useAccess();
  const allocation = useAllocation();
  const entries = useSharedCosts();
  const isShared = allocation.data?.shared_costs.length !== 0;
  return (
    <>
      <PageHead title="Shared costs" about={<DaysLine />} />
      <FilterBar by={[]} hasGranularity={false} hasCompare={false} />
      <After isPending={allocation.isPending || entries.isPending} isFirst>
        {isShared && <WithAndWithout />}
        <div id="entries" className="scroll-mt-20">
          <EntriesCard />
        </div>
        {isShared && project.type === 'revenue' && <MarginsCard />}
      </After>
    </>
  );
}

/** Cost and margin with the shared costs, beside what they are. */
function WithAndWithout() {
  const { days, search } = useQuestion();
  const { project } = useAccess();
  const allocation = useAllocation();
  const hasRevenue = project.type === 'revenue';
  const body = { ...toDates(days), include_shared: true, ...(search.credits && { apply_credits: true }) };
  const cost = useTotal<CostRow>('/api/costs/', body);
  const margin = useTotal<MarginRow>('/api/margin/', hasRevenue ? body : undefined);
  const failed = [cost, margin].find(({ error }) => error !== null);
  if (failed) return <FailureNote answer={failed} />;
  const { row } = cost;
  const shared = row?.shared_cost ?? 0;
  const unallocated = allocation.data?.shared_costs.reduce((sum, one) => sum + (one.unallocated ?? 0), 0);
  const isUntold = allocation.data?.shared_costs.some((one) => one.unallocated === null);
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <FigureCard
        icon="wallet"
        label="All shared costs"
        value={row && <Dollars value={shared} />}
        door={{ to: '.', hash: 'entries' }}
        about="on these days"
      />
      <FigureCard
        icon="wallet"
        label="Unallocated"
        door={{ to: '.', hash: 'entries' }}
        value={unallocated === undefined ? undefined : <Dollars value={unallocated} />}
        about={isUntold ? 'at least: calls that it needs are deleted' : 'of days without calls in scope'}
        tone={unallocated ? 'bad' : undefined}
      />
      <FigureCard
        icon="wallet"
        label="Cost with shared costs"
        value={row && <Dollars value={row.cost} />}
        door={hasRevenue ? { to: '/customers', search: { shared: true, sort: '-cost' } } : undefined}
        about={row && `${toDollars(row.cost - shared)} for calls`}
      />
      {hasRevenue && (
        <FigureCard
          icon="percent"
          label="Margin with shared costs"
          value={margin.row && toMarginPct(margin.row)}
          door={{ to: '/customers', search: { shared: true } }}
          about={margin.row && toDollars(margin.row.margin)}
          tone={margin.row && margin.row.margin < 0 ? 'bad' : undefined}
        />
      )}
    </div>
  );
}
