import { useTotal } from '../api/queries.ts';
import type { CostRow, MarginRow, UsageRow } from '../api/types.ts';
import { toChange, toCount, toDollars, toDuration, toPercent, toShare } from '../lib/format.ts';
import { toCostBody } from '../state/costs.ts';
import { type Question, toAsOf, toDates, useQuestion } from '../state/question.ts';
import { type DayRange, toEarlier } from '../state/search.ts';
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
  const { days, before } = question;
  const hasRevenue = project.type === 'revenue';
  const canSplit = hasRevenue && !question.splitsRevenue;
  const cost = useTotal<CostRow>('/api/costs/', toCostBody(question, days));
  const costBefore = useTotal<CostRow>('/api/costs/', before && toCostBody(question, before));
  const usage = useTotal<UsageRow>('/api/usage/', toCostBody(question, days));
  const usageBefore = useTotal<UsageRow>('/api/usage/', before && toCostBody(question, before));
  const margin = useTotal<MarginRow>('/api/margin/', canSplit ? toMarginBody(question, days) : undefined);
  const marginBefore = useTotal<MarginRow>(
    '/api/margin/',
    canSplit && before ? toMarginBody(question, before) : undefined,
  );
  const failed = [cost, usage, margin, costBefore, usageBefore, marginBefore].find(({ error }) => error !== null);
  if (failed) return <ErrorNote problem={failed.error} retry={failed.retry} />;

  const earlier = before && toEarlier(days, before);
  const versus = (now: number | undefined, then: number | undefined, format = toDollars) => {
    if (now === undefined || then === undefined) return '';
    return then === 0 ? `nothing ${earlier}` : `${toChange(now, then, format)} vs ${earlier}`;
  };
  const errorShare = (row: UsageRow | undefined) => (row && row.calls > 0 ? row.errors / row.calls : 0);
  return (
    <div data-figures className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-5 [&>*:first-child]:max-xl:col-span-2">
      <FigureCard
        icon="wallet"
        label="AI cost"
        value={cost.row && toDollars(cost.row.cost)}
        about={versus(cost.row?.cost, costBefore.row?.cost)}
      />
      {hasRevenue ? (
        <>
          <FigureCard
            icon="trend"
            label="Revenue"
            value={canSplit ? margin.row && toDollars(margin.row.revenue) : '–'}
            about={canSplit ? versus(margin.row?.revenue, marginBefore.row?.revenue) : 'known only by customer'}
          />
          <FigureCard
            icon="percent"
            label="Gross margin"
            value={canSplit ? margin.row && toPercent(margin.row.margin_pct) : '–'}
            about={
              canSplit
                ? margin.row && joinParts(toDollars(margin.row.margin), toMarginBefore(marginBefore.row))
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
            about={usageBefore.row && `${toDuration(usageBefore.row.elapsed_ms_max)} before`}
          />
        </>
      )}
      <FigureCard
        icon="calls"
        label="Calls"
        value={usage.row && toCount(usage.row.calls)}
        about={versus(usage.row?.calls, usageBefore.row?.calls, toCount)}
      />
      <FigureCard
        icon="alert"
        label="Errors"
        value={usage.row && toCount(usage.row.errors)}
        about={
          usage.row &&
          joinParts(
            `${toShare(errorShare(usage.row))} of calls`,
            usageBefore.row && usageBefore.row.calls > 0 ? `${toShare(errorShare(usageBefore.row))} before` : undefined,
          )
        }
      />
    </div>
  );
}
