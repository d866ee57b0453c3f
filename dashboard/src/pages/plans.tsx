import { Navigate } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { useAllRows, useApi } from '../api/queries.ts';
import type { PlanRow, SavedSimulation, Simulation } from '../api/types.ts';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { todayIn } from '../lib/days.ts';
import { toDay } from '../lib/format.ts';
import { PlanCard } from '../plans/plan-card.tsx';
import { SavedCard, toSavedPath } from '../plans/saved-card.tsx';
import {
  mostNamed,
  openSaved,
  readSheet,
  resolveTarget,
  toOnes,
  toPlansBody,
  toRanked,
  toTried,
} from '../plans/sheet.ts';
import { SheetCard } from '../plans/sheet-card.tsx';
import { useChangeSearch } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { After } from '../ui/after.tsx';
import { Card, Empty, ErrorNote, Field, PageHead, Skeleton } from '../ui/basics.tsx';
import { type Column, CsvButton } from '../ui/data-table.tsx';

/** How each plan pays, and what other prices would have earned. */
export function Plans() {
  const asked = useQuestion();
  const { search, days } = asked;
  const known = asked.toKnown(days);
  const { project } = useAccess();
  const change = useChangeSearch();
  const sheet = readSheet(search.sheet);
  const target = resolveTarget(sheet, project.at_risk_below_pct);
  const question = toPlansBody(asked);
  const plans = useAllRows<PlanRow>('/api/plans/', {
    ...question,
    aggregate: 'all',
    plan_tag: sheet.tag,
    target_margin_pct: target,
  });
  const ranked = plans.data && toRanked(plans.data);
  const ones = toOnes(plans.data ?? [], sheet.tag);
  const now = useApi<Simulation>(
    '/api/plans/simulate/',
    { ...question, target_margin_pct: target, plans: ones, limit: mostNamed },
    { enabled: ones.length > 0, keep: true },
  );
  const opened = useApi<SavedSimulation>(toSavedPath(sheet.saved ?? ''), undefined, {
    enabled: sheet.saved !== undefined && sheet.plans === undefined,
  });
  const { data: found } = opened;
  const problem = plans.error ?? now.error;
  const hasPlans = plans.data?.some(({ plan }) => plan !== '') ?? true;
  if (found && sheet.plans === undefined && found.name === sheet.saved) {
    const open = openSaved(found, sheet, todayIn(project.timezone));
    return <Navigate to="/plans" search={(now) => ({ ...now, ...open })} replace />;
  }
  return (
    <>
      <PageHead
        title="Plans"
        about={
          <>
            <DaysLine />
            {known.from !== days.from && ` · counted from ${toDay(known.from)} on, the first day with calls`}
          </>
        }
      >
        <div className="flex flex-wrap items-end gap-2">
          <Field
            key={`tag ${sheet.tag}`}
            label="Plans are the tag"
            defaultValue={sheet.tag}
            className="w-36"
            onKeyDown={leaveByEnter}
            onBlur={({ target: { value } }) => {
              if (value !== sheet.tag) change({ sheet: { ...sheet, tag: value, plans: undefined, saved: undefined } });
            }}
          />
          <Field
            key={`target ${target}`}
            label="Target margin, %"
            type="number"
            min={0}
            max={99}
            step="any"
            defaultValue={target}
            className="w-32"
            onKeyDown={leaveByEnter}
            onBlur={({ target: { value } }) => {
              if (value !== '' && Number(value) !== target) change({ sheet: { ...sheet, target: Number(value) } });
            }}
          />
          <CsvButton name={`farthing-plans-${days.from}-${days.to}`} columns={planColumns} rows={ranked} />
        </div>
      </PageHead>
      <FilterBar by={[]} hasGranularity={false} hasCompare={false} hasShared />
      {opened.error && <ErrorNote problem={opened.error} />}
      {sheet.plans && (
        <SheetCard
          key={sheet.plans.map(({ name }) => name).join('\n')}
          sheet={sheet}
          plans={sheet.plans}
          target={target}
        />
      )}
      {problem ? (
        <ErrorNote
          problem={problem}
          retry={() => {
            void plans.refetch();
            void now.refetch();
          }}
        />
      ) : plans.data && !hasPlans ? (
        <Card>
          <Empty title={`No customer has the tag ${sheet.tag}`}>
            Give customers a tag whose values are your plans, on their pages or with POST /api/customer-tags/.
          </Empty>
        </Card>
      ) : (
        <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3 md:max-xl:[&>:last-child:nth-child(odd)]:col-span-2 xl:[&>:last-child:nth-child(3n+1)]:col-span-3">
          {ranked?.map((row) => {
            const result = now.data?.plans.find(({ name }) => name === row.plan);
            const one = ones.find(({ name }) => name === row.plan);
            return (
              <PlanCard
                key={row.plan}
                row={row}
                tag={sheet.tag}
                now={result}
                target={target}
                onTry={() => {
                  if (result && one) change({ sheet: { ...sheet, plans: [toTried(one, result)], saved: undefined } });
                }}
              />
            );
          }) ?? [1, 2, 3].map((place) => <Skeleton key={place} className="h-96" />)}
        </div>
      )}
      <After isPending={plans.isPending}>
        <SavedCard plans={sheet.plans} target={target} saved={sheet.saved} />
      </After>
    </>
  );
}

const amount = (id: string, title: string, value: (row: PlanRow) => number): Column<PlanRow> => ({
  ...{ id, title, value, unit: 'USD' },
});

/** The columns of the file: what the cards say. */
const planColumns: readonly Column<PlanRow>[] = [
  { id: 'plan', title: 'Plan', value: ({ plan }) => plan },
  { id: 'customers', title: 'Customers', value: ({ customers }) => customers },
  amount('revenue', 'Revenue', ({ revenue }) => revenue),
  amount('cost', 'AI cost', ({ cost }) => cost),
  amount('margin', 'Margin', ({ margin }) => margin),
  { id: 'pct', title: 'Margin %', value: (row) => (row.revenue === 0 ? null : row.margin_pct) },
  { id: 'below', title: 'Customers below zero', value: (row) => (row.plan === '' ? null : row.below_zero) },
  ...([10, 50, 90, 99] as const).map((pct) =>
    amount(`p${pct}`, `${pct} % of customers cost at most`, ({ cost_per_customer: costs }) => costs[`p${pct}`]),
  ),
  amount('most', 'The most expensive costs', ({ cost_per_customer: costs }) => costs.most),
];

const leaveByEnter = ({ key, currentTarget }: KeyboardEvent<HTMLInputElement>) => {
  if (key === 'Enter') currentTarget.blur();
};
