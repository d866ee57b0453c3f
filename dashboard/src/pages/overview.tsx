import { Link, Navigate } from '@tanstack/react-router';
import { byName } from '../../../src/lib/by-name.ts';
import { callDimensions, dimensions } from '../../../src/lib/dimensions.ts';
import { useApi, useHasAnswers, useProviders, useTotal } from '../api/queries.ts';
import type { Dimension, EventRow, Page, Project, UsageRow } from '../api/types.ts';
import { CostChart } from '../charts/cost-chart.tsx';
import { loadCharts } from '../charts/plot.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { GroupChoice } from '../filters/group-choice.tsx';
import { callFilters } from '../filters/picker.tsx';
import { toTitle } from '../lib/format.ts';
import { ChangesCard } from '../overview/changes.tsx';
import { CoverageCard } from '../overview/coverage.tsx';
import { Figures } from '../overview/figures.tsx';
import { NextStepsCard, useNextSteps } from '../overview/next-steps.tsx';
import { OnlyCall } from '../overview/only-call.tsx';
import { toCarried } from '../places.ts';
import { CustomersRanking } from '../report/rank-cards.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { toCostBody } from '../state/costs.ts';
import { costTags, type Group, keepGroup, nameGroup, type TagGroup } from '../state/group.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { useUserTag } from '../state/tags.ts';
import { Absent } from '../ui/absent.tsx';
import { After } from '../ui/after.tsx';
import { buttonLook, PageHead } from '../ui/basics.tsx';
import { Icon } from '../ui/icons.tsx';
import { Name } from '../ui/name.tsx';
import { useKeyMetrics } from '../users/units.ts';

// The charts' script takes longest to load.
void loadCharts();

/** What the costs are split by; models come first, because every call has one. An internal project has users, not customers. */
const splits = byName([...new Set<Dimension>(['model', ...callDimensions])], toTitle);
const { model, customer: _customer, ...others } = splits;
const toSplits = (type: Project['type'], userTag: TagGroup | undefined): Readonly<Partial<Record<Group, string>>> =>
  type === 'revenue' ? splits : { model, ...(userTag && { [userTag]: toTitle(nameGroup(userTag)) }), ...others };

/**
 * The overview of a project with events, or with calls whose events have expired. An empty one leads to the page that says how to
 * send the first.
 */
export function Overview() {
  const providers = useProviders();
  const hasNoCalls = !providers.isFetching && providers.data?.rows.length === 0;
  const events = useApi<Page<EventRow>>('/api/events/?limit=1', undefined, { enabled: hasNoCalls });
  const isEmpty = hasNoCalls && !events.isFetching && events.data?.rows.length === 0;
  return isEmpty ? <Navigate to="/connect" search={true} replace /> : <OverviewOfCalls />;
}

/** Where one name is chosen that no call of the days has. */
function AbsentOfFilter() {
  const question = useQuestion();
  const usage = useTotal<UsageRow>('/api/usage/', toCostBody(question, question.days));
  const [of, ...others] = (['customer', 'feature', 'model'] as const).filter(
    (dimension) => question.search[dimensions[dimension].plural] !== undefined,
  );
  const [name, ...more] = (of && question.search[dimensions[of].plural]) ?? [];
  const isOne = others.length === 0 && more.length === 0;
  return of && name && isOne && usage.row?.calls === 0 ? <Absent of={of} name={name} /> : null;
}

function OverviewOfCalls() {
  const question = useQuestion();
  const { project } = useAccess();
  const isInternal = project.type === 'internal';
  const metrics = useKeyMetrics(isInternal);
  const change = useChangeSearch();
  const group = keepGroup(question.search.by, costTags) ?? 'model';
  const hasAnswers = useHasAnswers();
  const steps = useNextSteps(hasAnswers);
  // A phone has room for it beside the chart alone.
  const splitBy = (
    <GroupChoice
      label="Split by"
      options={toSplits(project.type, useUserTag())}
      tags={costTags}
      value={group}
      onChoose={(by) => change({ by: by === 'model' ? undefined : by })}
    />
  );
  return (
    <>
      <PageHead
        title="Costs"
        about={
          <>
            <Name name={project.name} most={20} />
            {'\u00a0· '}
            <DaysLine isCompared />
          </>
        }
      >
        <div className="flex items-center gap-2 max-sm:hidden">
          {splitBy}
          <Link to="/report" search={toCarried('/report', '/')} className={buttonLook}>
            <Icon name="print" />
            Report
          </Link>
        </div>
      </PageHead>
      <FilterBar by={callFilters} />
      <AbsentOfFilter />
      <Figures hasAnswers={hasAnswers} />
      {/* The key metrics decide how much stands above it. */}
      <After isPending={isInternal && metrics.isPending}>
        <CostChart group={group}>
          <span className="sm:hidden">{splitBy}</span>
        </CostChart>
      </After>
      <OnlyCall />
      {project.type === 'revenue' && !question.splitsRevenue && (
        <CustomersRanking most={8} isAsked={hasAnswers}>
          <Link
            to="/plans"
            search={toCarried('/plans', '/')}
            className="mr-2 text-[13px] text-accent underline underline-offset-2 max-sm:hidden"
          >
            What should plans cost?
          </Link>
          <Link to="/customers" search={true} className="text-[13px] text-accent underline underline-offset-2">
            All customers
          </Link>
        </CustomersRanking>
      )}
      {question.asOf === undefined && (
        <After isPending={steps.isPending}>
          <NextStepsCard />
          <div
            className={
              question.search.compare === false
                ? ''
                : 'grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]'
            }
          >
            {question.search.compare !== false && <ChangesCard />}
            <CoverageCard />
          </div>
        </After>
      )}
    </>
  );
}
