import { Link } from '@tanstack/react-router';
import { useTotal } from '../api/queries.ts';
import type { CostRow, MarginRow, UsageRow } from '../api/types.ts';
import { toCount, toMarginPct, toShare } from '../lib/format.ts';
import { useComparedTotals } from '../state/compared-totals.ts';
import { toCostBody } from '../state/costs.ts';
import { useEarningComparison } from '../state/earning-comparison.ts';
import { countUnprofitable, useMarginByCustomer } from '../state/margins.ts';
import { type Question, toAsOf, toDates, useQuestion } from '../state/question.ts';
import type { DayRange } from '../state/search.ts';
import { useAccess } from '../state/session.tsx';
import { isUnpriced, useUnpriced } from '../state/unpriced.ts';
import { FailureNote } from '../ui/basics.tsx';
import { RevenueVersus, Versus } from '../ui/compared.tsx';
import { Door } from '../ui/door.tsx';
import { Count, Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { NoPrice } from '../ui/no-price.tsx';
import { MetricFigures } from '../users/metric-figures.tsx';

const toMarginBody = (question: Question, days: DayRange) => ({
  ...toDates(days),
  ...(question.search.customers && { customers: question.search.customers }),
  ...(question.search.credits && { apply_credits: true }),
  ...toAsOf(question),
});

const joinParts = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined).join('\u00a0· ');

const toMarginBefore = (row: MarginRow | undefined) =>
  row && row.revenue !== 0 ? `${toMarginPct(row)} before` : undefined;

/** The key figures of the days, compared with the days before; how many customers lose is asked once the page `hasAnswers`. */
export function Figures({ hasAnswers = true }: { readonly hasAnswers?: boolean }) {
  const question = useQuestion();
  const { project } = useAccess();
  const { days, comparison } = question;
  const hasRevenue = project.type === 'revenue';
  const canSplit = hasRevenue && !question.splitsRevenue;
  // Where revenue can be split, the answer with the margin has the cost too.
  const cost = useTotal<CostRow>('/api/costs/', canSplit ? undefined : toCostBody(question, days));
  const usage = useTotal<UsageRow>('/api/usage/', toCostBody(question, days));
  const margin = useTotal<MarginRow>('/api/margin/', canSplit ? toMarginBody(question, days) : undefined);
  const costs = useComparedTotals<CostRow>(
    '/api/costs/',
    canSplit ? undefined : (range) => toCostBody(question, range),
  );
  const usages = useComparedTotals<UsageRow>('/api/usage/', (range) => toCostBody(question, range));
  const margins = useComparedTotals<MarginRow>(
    '/api/margin/',
    canSplit ? (range) => toMarginBody(question, range) : undefined,
  );
  const earning = useEarningComparison();
  const earned = useComparedTotals<MarginRow>(
    '/api/margin/',
    canSplit ? (range) => toMarginBody(question, range) : undefined,
    { comparison: earning },
  );
  const customers = useMarginByCustomer(canSplit && hasAnswers);
  const unpriced = useUnpriced('customer', { isAsked: canSplit && hasAnswers });
  const failed = [
    cost,
    usage,
    margin,
    ...[costs, usages, margins, earned].flatMap(({ now, before }) => [now, before]),
  ].find(({ error }) => error !== null);
  if (failed) return <FailureNote answer={failed} />;

  const [spent, spentNow, spentBefore] = canSplit
    ? [margin.row, margins.now.row, margins.before.row]
    : [cost.row, costs.now.row, costs.before.row];
  const hasNoPrice = spent?.cost === 0 && isUnpriced(usage.row);
  const isCostKnown = !hasNoPrice && question.canJudge;
  const errorShare = (row: UsageRow | undefined) => (row && row.calls > 0 ? row.errors / row.calls : 0);
  return (
    <div
      data-figures
      className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-[repeat(auto-fit,minmax(11rem,1fr))] [&>*:first-child]:max-xl:col-span-2"
    >
      <FigureCard
        icon="wallet"
        label="AI cost"
        value={spent && (hasNoPrice ? <NoPrice /> : <Dollars value={spent.cost} />)}
        door={{ to: '/calls', search: { order: 'dearest' } }}
        about={
          hasNoPrice ? (
            <>
              no call has a price
              <Link to="/prices" search={true} className="block text-accent underline underline-offset-2">
                Set a price
              </Link>
            </>
          ) : (
            <Versus comparison={comparison} now={spentNow?.cost} before={spentBefore?.cost} />
          )
        }
      />
      {hasRevenue ? (
        <>
          <FigureCard
            icon="trend"
            label="Revenue"
            value={canSplit ? margin.row && <Dollars value={margin.row.revenue} /> : '–'}
            door={canSplit ? { to: '/customers', search: { sort: '-revenue' } } : undefined}
            about={
              !canSplit ? (
                'known only by customer'
              ) : margin.row?.revenue === 0 ? (
                <AddRevenue />
              ) : (
                <RevenueVersus comparison={earning} now={earned.now.row} before={earned.before.row} />
              )
            }
          />
          <FigureCard
            icon="percent"
            label="Gross margin"
            value={canSplit ? margin.row && (isCostKnown ? toMarginPct(margin.row) : '–') : '–'}
            door={canSplit ? { to: '/customers', search: { sort: 'margin' } } : undefined}
            about={
              canSplit
                ? margin.row &&
                  (margin.row.revenue === 0 ? (
                    'no revenue on these days'
                  ) : !isCostKnown ? (
                    hasNoPrice || question.firstDay === undefined ? (
                      'no cost is known'
                    ) : (
                      'the day is not over'
                    )
                  ) : (
                    <>
                      <Door to="/customers" search={{ sort: 'margin' }}>
                        <Dollars value={margin.row.margin} />
                      </Door>
                      {joinParts('', toMarginBefore(earned.before.row))}
                      <UnprofitableLink count={countUnprofitable(customers.data ?? [], unpriced)} />
                    </>
                  ))
                : 'remove the filters to see it'
            }
            tone={margin.row && margin.row.revenue !== 0 && margin.row.margin < 0 ? 'bad' : undefined}
          />
        </>
      ) : (
        <MetricFigures cost={cost.row} />
      )}
      <FigureCard
        icon="calls"
        label="Calls"
        value={usage.row && <Count value={usage.row.calls} />}
        door={{ to: '/calls' }}
        about={
          <Versus
            comparison={comparison}
            now={usages.now.row?.calls}
            before={usages.before.row?.calls}
            format={toCount}
          />
        }
      />
      <FigureCard
        icon="alert"
        label="Errors"
        value={usage.row && <Count value={usage.row.errors} />}
        door={{ to: '/calls', search: { waste: ['failed'] } }}
        about={
          usage.row &&
          joinParts(
            usage.row.calls > 0 ? `${toShare(errorShare(usage.row))} of calls` : 'no calls on these days',
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

/** What is missing where no revenue is known, and where to enter it. */
const AddRevenue = () => (
  <>
    none on these days
    <Link to="/revenue" search={true} className="block text-accent underline underline-offset-2">
      Add revenue
    </Link>
  </>
);
