import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useAllRows, useTotal } from '../api/queries.ts';
import type { MarginRow, UsageRow } from '../api/types.ts';
import { CallsTable } from '../calls/calls-table.tsx';
import { RunsCard } from '../calls/runs-card.tsx';
import { CostChart } from '../charts/cost-chart.tsx';
import { LeversCard } from '../customer/levers-card.tsx';
import { toSinceWords } from '../customer/since.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { GroupChoice } from '../filters/group-choice.tsx';
import { addDays } from '../lib/days.ts';
import { toMarginPct } from '../lib/format.ts';
import { ChangesCard } from '../overview/changes.tsx';
import { RevenueCard } from '../revenue/entries-card.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { useComparedTotals } from '../state/compared-totals.ts';
import { toCostBody } from '../state/costs.ts';
import { useEarningComparison } from '../state/earning-comparison.ts';
import { keepTag } from '../state/group.ts';
import { toAsOf, toDates, useQuestion } from '../state/question.ts';
import type { DayRange } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { isCostUnknown, useUnpriced } from '../state/unpriced.ts';
import { Absent } from '../ui/absent.tsx';
import { After } from '../ui/after.tsx';
import { FailureNote, PageHead, RiskBadge } from '../ui/basics.tsx';
import { RevenueVersus, Versus } from '../ui/compared.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { Name } from '../ui/name.tsx';
import { NoPrice } from '../ui/no-price.tsx';
import { TagsCard } from '../ui/tags-card.tsx';
import { BreakdownTable } from './breakdown.tsx';

/** How far back the page looks for the week in which the customer became profitable or unprofitable. */
const lookBackWeeks = 26;

const splits = { feature: 'Feature', model: 'Model' } as const;

export function Customer() {
  const { name } = useParams({ from: '/customers/$name' });
  const question = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const { by } = question.search;
  const split = by === 'model' ? 'model' : (keepTag(by, ['tag']) ?? 'feature');
  // The URL may still have another page's customer filters; this page shows one customer.
  const fixed = { customers: [name], customer_tags: undefined };
  const within = useMemo(() => ({ customers: [name], ctags: undefined }), [name]);
  const usage = useTotal<UsageRow>('/api/usage/', toCostBody({ ...question, filters: {} }, question.days, fixed));
  const isAbsent = usage.row?.calls === 0;
  return (
    <>
      <PageHead
        title={<Name name={name} most={80} />}
        about={
          <>
            Customer · <DaysLine isCompared />
          </>
        }
      >
        <GroupChoice
          label="Split by"
          options={splits}
          tags={['tag']}
          value={split}
          onChoose={(chosen) => change({ by: chosen, sort: undefined })}
        />
      </PageHead>
      <FilterBar by={['features', 'models', 'providers', 'rtags']} />
      {project.type === 'revenue' && <MarginFigures name={name} isAbsent={isAbsent} />}
      {isAbsent && <Absent of="customer" name={name} />}
      {!isAbsent && question.asOf === undefined && project.type === 'revenue' && (
        <div
          className={
            question.search.compare === false ? '' : 'grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]'
          }
        >
          {question.search.compare !== false && <ChangesCard one={{ fixed, within }} />}
          <LeversCard name={name} fixed={fixed} />
        </div>
      )}
      {!isAbsent && (
        <>
          <CostChart group={split} fixed={fixed} within={within} />
          <BreakdownTable group={split} fixed={fixed} within={within} />
        </>
      )}
      {question.asOf === undefined && (
        // A customer without calls has other cards above.
        <After isPending={usage.isPending}>
          {project.type === 'revenue' && (
            <div id="revenue-entries" className="scroll-mt-20">
              <RevenueCard name={name} />
            </div>
          )}
          <TagsCard of="customer" name={name} />
          {!isAbsent && (
            <>
              <RunsCard fixed={fixed} />
              <CallsTable fixed={fixed} title="Calls" />
            </>
          )}
        </After>
      )}
    </>
  );
}

function MarginFigures({ name, isAbsent }: { readonly name: string; readonly isAbsent: boolean }) {
  const question = useQuestion();
  const { days, comparison, search } = question;
  const toBody = (range: DayRange) => ({
    ...toDates(range),
    customers: [name],
    ...(search.credits && { apply_credits: true }),
    ...toAsOf(question),
  });
  const now = useTotal<MarginRow>('/api/margin/', toBody(days));
  const all = useTotal<MarginRow>('/api/margin/', { ...toBody(days), customers: undefined });
  const compared = useComparedTotals<MarginRow>('/api/margin/', toBody);
  const earning = useEarningComparison(name);
  const earned = useComparedTotals<MarginRow>('/api/margin/', toBody, { comparison: earning });
  const then = earned.before;
  const weeks = useAllRows<MarginRow>('/api/margin/', {
    ...toBody({ from: addDays(days.to, 1 - 7 * lookBackWeeks), to: days.to }),
    aggregate: 'week',
  });
  const unpriced = useUnpriced('customer', { fixed: { customers: [name], customer_tags: undefined } });
  const failed = [now, all, compared.now, compared.before, earned.now, then].find(({ error }) => error !== null);
  if (failed) return <FailureNote answer={failed} />;
  const { row } = now;
  if (isAbsent && row?.revenue === 0) return null;
  // Before there is revenue at all, nobody is unprofitable.
  const isKnown = question.canJudge && all.row !== undefined && all.row.revenue !== 0;
  const isUnpriced = row !== undefined && isCostUnknown(row, name, unpriced);
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <FigureCard
        icon="trend"
        label="Revenue"
        value={row && <Dollars value={row.revenue} />}
        door={{ to: '.', hash: 'revenue-entries' }}
        about={<RevenueVersus comparison={earning} now={earned.now.row} before={then.row} />}
      />
      <FigureCard
        icon="wallet"
        label="AI cost"
        value={row && (isUnpriced ? <NoPrice /> : <Dollars value={row.cost} />)}
        door={{ to: '/calls', search: { customers: [name], order: 'dearest' } }}
        about={<Versus comparison={comparison} now={compared.now.row?.cost} before={compared.before.row?.cost} />}
      />
      <FigureCard
        icon="percent"
        label="Margin"
        value={row && (isUnpriced ? <NoPrice /> : <Dollars value={row.margin} />)}
        door={{ to: '/customers', search: { sort: 'margin' } }}
        about={
          row &&
          !isUnpriced &&
          [
            row.revenue === 0 ? 'no revenue on these days' : toMarginPct(row),
            then.row && then.row.revenue !== 0 && `${toMarginPct(then.row)} before`,
          ]
            .filter(Boolean)
            .join(' · ')
        }
        tone={isKnown && row && row.margin < 0 && !isUnpriced ? 'bad' : undefined}
      />
      <FigureCard
        icon="alert"
        label="Status"
        value={
          row && all.row && weeks.data && unpriced && <RiskBadge row={row} isKnown={isKnown} isUnpriced={isUnpriced} />
        }
        about={isUnpriced ? 'none of its calls has a price' : isKnown && weeks.data && toSinceWords(weeks.data)}
      />
    </div>
  );
}
