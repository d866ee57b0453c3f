import { Link } from '@tanstack/react-router';
import { useTotal } from '../api/queries.ts';
import type { CostRow, MarginRow, UsageRow } from '../api/types.ts';
import { toCount, toDollars, toDuration, toPercent, toShare } from '../lib/format.ts';
import { useComparedTotals } from '../state/compared-totals.ts';
import { toBeforeWords, toComparedChange } from '../state/comparison.ts';
import { toCostBody } from '../state/costs.ts';
import { countUnprofitable, useMarginByCustomer } from '../state/margins.ts';
import { type Question, toAsOf, toDates, useQuestion } from '../state/question.ts';
import type { DayRange } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { ErrorNote } from '../ui/basics.tsx';
import { FigureCard } from '../ui/figure-card.tsx';

const toMarginBody = (question: Question, days: DayRange) => ({
  ...toDates(days),
  ...(question.search.customers && { customers: question.search.customers }),
  ...(question.search.credits && { apply_credits: true }),
  ...toAsOf(question),
});

const joinParts = (...parts: readonly (string | undefined)[]) => parts.filter((part) => part !== undefined).join(' · ');

const toMarginBefore = (row: MarginRow | undefined) =>
  row && (row.revenue !== 0 || row.cost !== 0) ? `${toPercent(row.margin_pct)} before` : undefined;

/** The key figures of the days, compared with the days before. */
export function Figures() {
  const question = useQuestion();
  const { project } = useAccess();
  const { days, comparison } = question;
  const hasRevenue = project.type === 'revenue';
  const canSplit = hasRevenue && !question.splitsRevenue;
  const cost = useTotal<CostRow>('/api/costs/', toCostBody(question, days));
  const usage = useTotal<UsageRow>('/api/usage/', toCostBody(question, days));
  const margin = useTotal<MarginRow>('/api/margin/', canSplit ? toMarginBody(question, days) : undefined);
  const costs = useComparedTotals<CostRow>('/api/costs/', (range) => toCostBody(question, range));
  const usages = useComparedTotals<UsageRow>('/api/usage/', (range) => toCostBody(question, range));
  const margins = useComparedTotals<MarginRow>(
    '/api/margin/',
    canSplit ? (range) => toMarginBody(question, range) : undefined,
  );
  const customers = useMarginByCustomer(canSplit);
  const failed = [cost, usage, margin, ...[costs, usages, margins].flatMap(({ now, before }) => [now, before])].find(
    ({ error }) => error !== null,
  );
  if (failed) return <ErrorNote problem={failed.error} retry={failed.retry} />;

  const versus = (now: number | undefined, then: number | undefined, format = toDollars) => {
    if (!comparison || now === undefined || then === undefined) return '';
    const before = toBeforeWords(comparison);
    return then === 0 ? `nothing on ${before}` : `${toComparedChange(now, then, comparison, format)} vs ${before}`;
  };
  const errorShare = (row: UsageRow | undefined) => (row && row.calls > 0 ? row.errors / row.calls : 0);
  return (
    <div data-figures className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-5 [&>*:first-child]:max-xl:col-span-2">
      <FigureCard
        icon="wallet"
        label="AI cost"
        value={cost.row && toDollars(cost.row.cost)}
        about={versus(costs.now.row?.cost, costs.before.row?.cost)}
      />
      {hasRevenue ? (
        <>
          <FigureCard
            icon="trend"
            label="Revenue"
            value={canSplit ? margin.row && toDollars(margin.row.revenue) : '–'}
            about={canSplit ? versus(margins.now.row?.revenue, margins.before.row?.revenue) : 'known only by customer'}
          />
          <FigureCard
            icon="percent"
            label="Gross margin"
            value={canSplit ? margin.row && toPercent(margin.row.margin_pct) : '–'}
            about={
              canSplit
                ? margin.row && (
                    <>
                      {joinParts(toDollars(margin.row.margin), toMarginBefore(margins.before.row))}
                      <UnprofitableLink count={countUnprofitable(customers.data ?? [])} />
                    </>
                  )
                : 'remove the filters to see it'
            }
            tone={margin.row && margin.row.margin < 0 ? 'bad' : undefined}
          />
        </>
      ) : (
        <>
          <FigureCard
            icon="features"
            label="Cost of a feature run"
            value={cost.row && toDollars(cost.row.avg_feature_run_cost)}
            about={cost.row && `at most ${toDollars(cost.row.max_feature_run_cost)}`}
          />
          <FigureCard
            icon="live"
            label="Longest call"
            value={usage.row && toDuration(usage.row.elapsed_ms_max)}
            about={usages.before.row && `${toDuration(usages.before.row.elapsed_ms_max)} before`}
          />
        </>
      )}
      <FigureCard
        icon="calls"
        label="Calls"
        value={usage.row && toCount(usage.row.calls)}
        about={versus(usages.now.row?.calls, usages.before.row?.calls, toCount)}
      />
      <FigureCard
        icon="alert"
        label="Errors"
        value={usage.row && toCount(usage.row.errors)}
        about={
          usage.row &&
          joinParts(
            `${toShare(errorShare(usage.row))} of calls`,
            usages.before.row && usages.before.row.calls > 0
              ? `${toShare(errorShare(usages.before.row))} before`
              : undefined,
          )
        }
      />
    </div>
  );
}

const UnprofitableLink = ({ count }: { readonly count: number }) =>
  count > 0 && (
    <Link
      to="/customers"
      search={(search) => ({ ...search, sort: 'margin' })}
      className="block text-bad underline underline-offset-2"
    >
      {toCount(count)} {count === 1 ? 'customer' : 'customers'} unprofitable
    </Link>
  );
