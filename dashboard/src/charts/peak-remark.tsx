import { Link } from '@tanstack/react-router';
import { useApi, useHasAnswers } from '../api/queries.ts';
import type { Changes, RankedChanges } from '../api/types.ts';
import { addDays } from '../lib/days.ts';
import { toDay, toDollars, toShortName } from '../lib/format.ts';
import { toWeeksBefore } from '../state/comparison.ts';
import { type Fixed, toCostBody } from '../state/costs.ts';
import { useQuestion } from '../state/question.ts';
import { useHasUserChanges, useUserChanges } from '../users/user-changes.ts';
import { type Peak, remarkOnPeak } from './remarks.ts';

interface PeakRemarkProps {
  readonly peak: Peak;
  /** The first day of the period after it, if there is one. */
  readonly next: string | undefined;
  readonly fixed: Fixed | undefined;
}

/** The line over a chart with a period that stands out: a link to it, and who made it cost more than the days before it. */
export function PeakRemark({ peak, next, fixed }: PeakRemarkProps) {
  const question = useQuestion();
  const days = { from: peak.from, to: next === undefined ? question.days.to : addDays(next, -1) };
  const before = question.asOf === undefined ? toWeeksBefore(days) : undefined;
  const hasAnswers = useHasAnswers();
  const { data } = useApi<Changes>(
    '/api/changes/',
    { ...toCostBody(question, days, fixed), before_from: before?.from, before_to: before?.to, limit: 1 },
    { enabled: hasAnswers && before !== undefined },
  );
  const hasUsers = useHasUserChanges() && !fixed && hasAnswers;
  const ofUsers = useUserChanges(hasUsers && before ? { days, before } : undefined, 1);
  const period =
    question.granularity === 'day' ? toDay(peak.from) : `The ${question.granularity} from ${toDay(peak.from)}`;
  return (
    <>
      <Link
        to="."
        search={(search) => ({ ...search, ...days, range: undefined, every: undefined })}
        className="rounded text-accent underline underline-offset-2"
      >
        {period}
      </Link>{' '}
      {remarkOnPeak(peak, question.granularity)}
      {(data && (!hasUsers || ofUsers) && nameCause(data, ofUsers, fixed)) ?? ''}.
    </>
  );
}

/** Who is most of a rise: a customer or a user where calls have one and the chart is not of one, or else a feature. */
function nameCause(
  { by_customer: customers, by_feature: features }: Changes,
  users: RankedChanges | undefined,
  fixed: Fixed | undefined,
): string | undefined {
  const named = (name: string, { difference }: { readonly difference: number }) =>
    difference > 0 ? `: ${toShortName(name)} cost ${toDollars(difference)} more than a week earlier` : undefined;
  const [customer] = customers.rows;
  const [feature] = features.rows;
  const [user] = users?.rows ?? [];
  if (user?.user) return named(user.user, user);
  if (customer?.customer && !fixed?.customers) return named(customer.customer, customer);
  return feature && named(feature.feature ?? '', feature);
}
