import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callFilters } from '../filters/picker.tsx';
import { toColumnDollars } from '../lib/format.ts';
import { useAsTable } from '../state/change-search.ts';
import { type Fixed, useCostChart } from '../state/costs.ts';
import { filtersOf, type Group, isUserTag, nameGroup } from '../state/group.ts';
import { useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { useUnpricedPeriods } from '../state/unpriced.ts';
import { Empty } from '../ui/basics.tsx';
import { ChartCard } from './chart-card.tsx';
import { PeakRemark } from './peak-remark.tsx';
import { remarkOnCosts } from './remarks.ts';
import { useChoosePeriod } from './use-choose-period.ts';

interface CostChartProps {
  readonly group: Group;
  readonly fixed?: Fixed;
  /** The same filters as a URL has them, for links. */
  readonly within?: Partial<Search>;
  /** Beside the title, such as what splits it. */
  readonly children?: ReactNode;
}

/** Cost over time, split by a group. */
export function CostChart({ group, fixed, within, children }: CostChartProps) {
  const question = useQuestion();
  const { data, peak, costs, failed } = useCostChart(question, group, fixed);
  const { granularity, days } = question;
  const hasUsers = useAccess().project.type === 'internal';
  const choose = useChoosePeriod(data?.periods);
  const [isTable] = useAsTable('chart');
  const isUnpriced = useUnpricedPeriods(question, { group, fixed, isAsked: isTable });
  return (
    <ChartCard
      title={`Cost by ${granularity}, by ${nameGroup(group)}`}
      remark={
        data && peak ? (
          <PeakRemark peak={peak} next={data.periods[peak.index + 1]} fixed={fixed} />
        ) : (
          costs && remarkOnCosts(costs)
        )
      }
      file={`farthing-cost-by-${nameGroup(group).replaceAll(/[^\w-]+/g, '-')}-${days.from}-${days.to}`}
      kind="bars"
      data={data}
      answer={failed}
      isUnpriced={isUnpriced}
      format={toColumnDollars}
      onChoose={choose}
      none={
        data &&
        data.series.length > 0 && (
          <Empty title="No call of these days has a cost">
            Calls without a price count as $0:{' '}
            <Link to="/prices" search={true} className="text-accent underline underline-offset-2">
              set a price
            </Link>
          </Empty>
        )
      }
      filters={[callFilters, { ...question.search, ...within }]}
      doorOf={(name) => {
        if (isUserTag(group)) return hasUsers ? { to: '/users/$name', params: { name } } : undefined;
        const filters = filtersOf(group, name);
        return filters && { to: group === 'feature' ? '/models' : '/features', search: { ...within, ...filters } };
      }}
    >
      {children}
    </ChartCard>
  );
}
