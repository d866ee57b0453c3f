import { Navigate } from '@tanstack/react-router';
import { useProviders } from '../api/queries.ts';
import { CostChart } from '../charts/cost-chart.tsx';
import { MarginChart } from '../charts/margin-chart.tsx';
import { ChosenFilters } from '../filters/chosen.tsx';
import { CopyLink } from '../filters/copy-link.tsx';
import { callFilters } from '../filters/picker.tsx';
import { TagChoice } from '../filters/tag-choice.tsx';
import { todayIn } from '../lib/days.ts';
import { toDay, toDayRange, toMonth, toTitle } from '../lib/format.ts';
import { ChangesCard } from '../overview/changes.tsx';
import { CoverageCard } from '../overview/coverage.tsx';
import { Figures } from '../overview/figures.tsx';
import { daysOf, listMonths, monthToReport } from '../reconciliation/month.ts';
import { CostRanking, CustomersRanking } from '../report/rank-cards.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { toComparisonWords } from '../state/comparison.ts';
import { costTags, keepGroup, keepTag, nameGroup } from '../state/group.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { Button, SelectBox, Skeleton } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';
import { Name } from '../ui/name.tsx';

/** The month in print: figures, charts, causes and rankings on sheets of A4. Without days it is the last month with calls. */
export function Report() {
  const { search, firstDay } = useQuestion();
  const { isPending } = useProviders();
  const { today } = useReported();
  if (search.range === undefined && search.from === undefined) {
    if (isPending) return <Skeleton className="h-96" />;
    const range = monthToReport(today, firstDay) === today.slice(0, 7) ? 'mtd' : 'lm';
    return <Navigate to="/report" search={(others) => ({ ...others, range })} replace />;
  }
  return (
    <>
      <Actions />
      <article
        aria-label="Report"
        className="paper mx-auto max-w-[calc(186mm+4rem)] space-y-4 rounded-xl border border-line bg-card p-4 text-ink sm:p-8"
      >
        <Sheets />
      </article>
    </>
  );
}

/** The month of the days, and whether they are all of it. */
function useReported() {
  const { days, asOf } = useQuestion();
  const { project } = useAccess();
  const timezone = asOf?.timezone ?? project.timezone;
  const today = todayIn(timezone);
  const month = days.from.slice(0, 7);
  const { from, to } = daysOf(month, today);
  return { days, timezone, today, month, isMonth: from === days.from && to === days.to };
}

function Actions() {
  const change = useChangeSearch();
  const { search, firstDay } = useQuestion();
  const { days, today, month, isMonth } = useReported();
  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden lg:justify-end">
      <p className="mr-auto text-balance text-mute max-lg:basis-full">
        Prints on sheets of A4. Choose “Save as PDF” to send it.
      </p>
      <SelectBox
        aria-label="Month"
        className="min-w-40 font-medium"
        options={{ ...(isMonth ? {} : { '': toDayRange(days) }), ...listMonths(today, firstDay, month) }}
        value={isMonth ? month : ''}
        onChange={({ target }) =>
          target.value !== '' && change({ ...daysOf(target.value, today), range: undefined, every: undefined })
        }
      />
      <TagChoice kinds={costTags} value={search.by ?? ''} onChoose={(by) => change({ by })} />
      <CopyLink />
      <Button kind="main" onClick={() => window.print()}>
        <Icon name="print" />
        Print report
      </Button>
    </div>
  );
}

function Sheets() {
  const question = useQuestion();
  const { project } = useAccess();
  const change = useChangeSearch();
  const { search, asOf, comparison } = question;
  const { days, timezone, today, isMonth } = useReported();
  const hasRevenue = project.type === 'revenue';
  const tag = keepTag(search.by, costTags);
  return (
    <>
      <header>
        <h1 className="text-2xl font-semibold">
          AI cost{hasRevenue && ' and margin'},{' '}
          <span className="inline-block">{isMonth ? toMonth(days.from) : toDayRange(days)}</span>
        </h1>
        <p className="mt-1 text-mute">
          <Name name={project.name} />
          {'\u00a0· '}
          <span className="inline-block">{toDayRange(days)}</span> · {timezone} ·{' '}
          <span className="inline-block">made on {toDay(today)}</span> ·{' '}
          <span className="inline-block">amounts are rounded</span>
          {comparison && (
            <>
              {' '}
              · <span className="inline-block">compared with {toComparisonWords(comparison, days)}</span>
            </>
          )}
        </p>
      </header>
      <ChosenFilters by={callFilters} chosen={search} change={change} />
      <Figures />
      <CostChart group={keepGroup(search.by, costTags) ?? 'model'} />
      {hasRevenue && !question.splitsRevenue && <MarginChart />}
      {comparison && asOf === undefined && <ChangesCard />}
      {hasRevenue && !question.splitsRevenue && <CustomersRanking most={15} />}
      {tag && <CostRanking group={tag} title={`${toTitle(nameGroup(tag))}, by cost`} />}
      <CostRanking group="model" title="Models, by cost" />
      <CostRanking group="feature" title="Features, by cost" />
      {asOf === undefined && <CoverageCard />}
    </>
  );
}
