import { useParams } from '@tanstack/react-router';
import { useTotal } from '../api/queries.ts';
import type { CostRow, KeyMetric, PerformanceRow } from '../api/types.ts';
import { CallsTable } from '../calls/calls-table.tsx';
import { RunsCard } from '../calls/runs-card.tsx';
import { CostChart } from '../charts/cost-chart.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { GroupChoice } from '../filters/group-choice.tsx';
import { toCount, toDollars, toName } from '../lib/format.ts';
import { ChangesCard } from '../overview/changes.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { useComparedTotals } from '../state/compared-totals.ts';
import { toUnitVersus } from '../state/comparison.ts';
import { toCostBody } from '../state/costs.ts';
import { isUserTag, keepTag } from '../state/group.ts';
import { toDates, useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { Absent } from '../ui/absent.tsx';
import { After } from '../ui/after.tsx';
import { Choice, FailureNote, PageHead } from '../ui/basics.tsx';
import { Versus } from '../ui/compared.tsx';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { Name } from '../ui/name.tsx';
import { NoPrice } from '../ui/no-price.tsx';
import { TagsCard } from '../ui/tags-card.tsx';
import { toPerformanceBody } from '../users/body.ts';
import { useRunsOf } from '../users/runs-of-user.ts';
import { UnitCostChart } from '../users/unit-cost-chart.tsx';
import { toUnitLabel, useKeyMetrics } from '../users/units.ts';
import { useIsUnpriced } from '../users/unpriced-users.ts';
import { BreakdownTable } from './breakdown.tsx';

/** One user of an internal project: cost, key metrics, why they changed, features, runs, calls and tags. */
export function User() {
  const { name } = useParams({ from: '/users/$name' });
  const question = useQuestion();
  const { asOf, search } = question;
  const change = useChangeSearch();
  const known = useKeyMetrics();
  const metrics = known.data?.key_metrics ?? [];
  const metric = metrics.find((one) => one.name === search.metric) ?? metrics[0];
  const runs = useRunsOf(name);
  const { fixed, within } = runs;
  const tag = keepTag(search.by, ['tag']);
  const split = search.by === 'model' ? 'model' : tag && !isUserTag(tag) ? tag : 'feature';
  const own = useTotal<PerformanceRow>('/api/performance/', toUserBody(question, name));
  const ofRuns = useTotal<CostRow>(
    '/api/costs/',
    runs.calls ? toCostBody(question, question.days, runs.all) : undefined,
  );
  const others = own.row && ofRuns.row ? ofRuns.row.cost - own.row.cost : 0;
  const isAbsent =
    runs.calls === 0 &&
    own.row?.cost === 0 &&
    Object.keys(own.row.key_metrics).length === 0 &&
    search.features === undefined;
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
        <GroupChoice
          label="Split by"
          options={{ feature: 'Feature', model: 'Model' }}
          tags={['tag']}
          value={split}
          onChoose={(by) => change({ by, sort: undefined })}
        />
        {metrics.length > 1 && metric !== undefined && (
          <Choice
            label="Key metric"
            options={Object.fromEntries(metrics.map((one) => [one.name, one.name]))}
            value={metric.name}
            onChoose={(next) => change({ metric: next })}
          />
        )}
      </PageHead>
      {/* The key metrics and the runs decide how much stands above all this. */}
      <After isFirst isPending={known.isPending || runs.isPending || (!!runs.calls && ofRuns.isPending)}>
        <FilterBar by={['features', 'models', 'providers', 'rtags']} />
        {isAbsent ? <Absent of="user" name={name} /> : <UserFigures name={name} metrics={metrics} within={within} />}
        {!isAbsent && metric !== undefined && <UnitCostChart metric={metric} user={name} />}
        {runs.calls !== 0 && (
          <>
            {others > leastOthers && (
              <p className="text-xs text-mute">
                Below are all calls of the runs of {toName(name)}; those of other users cost {toDollars(others)}.
              </p>
            )}
            {asOf === undefined && search.compare !== false && <ChangesCard one={runs} />}
            <CostChart group={split} fixed={fixed} within={within} />
            <BreakdownTable group={split} fixed={fixed} within={within} />
          </>
        )}
        {asOf === undefined && (
          <>
            <TagsCard of="user" name={name} />
            {runs.calls !== 0 && (
              <>
                <RunsCard fixed={fixed} />
                <CallsTable fixed={fixed} title="Calls" />
              </>
            )}
          </>
        )}
      </After>
    </>
  );
}

/** Less than half a cent is none. */
const leastOthers = 0.005;

/** The body for one user. The URL may still have another page's filters of users. */
const toUserBody = (question: ReturnType<typeof useQuestion>, name: string) => ({
  ...toPerformanceBody(question),
  users: [name],
  user_tags: undefined,
  filter_users_based_on_features: undefined,
});

interface UserFiguresProps {
  readonly name: string;
  readonly metrics: readonly KeyMetric[];
  readonly within: Partial<Search>;
}

function UserFigures({ name, metrics, within }: UserFiguresProps) {
  const question = useQuestion();
  const { comparison } = question;
  const body = toUserBody(question, name);
  const answer = useTotal<PerformanceRow>('/api/performance/', body);
  const { daysOver, days } = question;
  const over = useTotal<PerformanceRow>('/api/performance/', { ...body, ...toDates(daysOver) });
  const isUnpricedUser = useIsUnpriced();
  const { now, before } = useComparedTotals<PerformanceRow>('/api/performance/', (range) => ({
    ...body,
    ...toDates(range),
  }));
  if (answer.error) return <FailureNote answer={answer} />;
  const { row } = answer;
  const isUnpriced = row !== undefined && isUnpricedUser(name, row);
  const costOf = (some: PerformanceRow | undefined, metric: string) => some?.key_metrics[metric]?.cost_per_unit;
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,12rem),1fr))] gap-3 sm:gap-4">
      <FigureCard
        icon="wallet"
        label="AI cost"
        value={row && (isUnpriced ? <NoPrice /> : <Dollars value={row.cost} />)}
        door={{ to: '/calls', search: { ...within, order: 'dearest' } }}
        about={<Versus comparison={comparison} now={now.row?.cost} before={before.row?.cost} />}
      />
      {metrics.map((metric) => {
        const its = over.row?.key_metrics[metric.name];
        return (
          <FigureCard
            key={metric.name}
            icon="features"
            label={toUnitLabel(metric)}
            door={{ to: '/users', search: { metric: metric.name, sort: `-unit:${metric.name}` } }}
            value={
              row && (isUnpriced ? <NoPrice /> : its && its.value > 0 ? <Dollars value={its.cost_per_unit} /> : '–')
            }
            about={[
              toUnitVersus(comparison, costOf(now.row, metric.name), costOf(before.row, metric.name)),
              its && `of ${toCount(its.value)} ${metric.name}${daysOver.to === days.to ? '' : ', without today'}`,
            ]
              .filter(Boolean)
              .join(' · ')}
          />
        );
      })}
    </div>
  );
}
