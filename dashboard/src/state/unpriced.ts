import { useMemo } from 'react';
import { useAllRows, useApi } from '../api/queries.ts';
import type { Coverage, MarginRow, UsageRow } from '../api/types.ts';
import { type Fixed, toCostBody, useUsageBy } from './costs.ts';
import { type Group, valueOfGroup } from './group.ts';
import { type Question, toDates, useQuestion } from './question.ts';
import type { DayRange } from './search.ts';

/** Whether calls cost nothing because none of them has a price. Failed calls without usage cost nothing, with a price or without. */
export const isUnpriced = (usage: Pick<UsageRow, 'calls' | 'errors' | 'unpriced_calls'> | undefined): boolean =>
  usage !== undefined && usage.unpriced_calls > 0 && usage.calls - usage.unpriced_calls <= usage.errors;

interface UnpricedOptions {
  /** The page's own filters. */
  readonly fixed?: Fixed;
  /** Other days than those of the URL, without its filters. */
  readonly days?: DayRange;
  readonly isAsked?: boolean | undefined;
}

/** The values of a group none of whose calls has a price, so that their cost is not known; undefined while that is asked. */
export function useUnpriced(
  group: Group,
  { fixed, days: asked, isAsked = true }: UnpricedOptions = {},
): ReadonlySet<string> | undefined {
  const shown = useQuestion();
  const question = asked ? { ...shown, days: asked, filters: {}, asOf: undefined } : shown;
  const { asOf, days } = question;
  const coverage = useApi<Coverage>(`/api/coverage/?${new URLSearchParams(toDates(days))}`, undefined, {
    enabled: isAsked && asOf === undefined,
  });
  // A close may have calls that got a price later, and days beyond the retention have no coverage.
  const isOld = asOf !== undefined || coverage.error !== null;
  const hasSome = isAsked && (isOld || (coverage.data && coverage.data.unpriced_calls > 0));
  const { data, error } = useUsageBy(question, group, hasSome ? days : undefined, fixed);
  return useMemo(
    () =>
      hasSome === false || error
        ? new Set<string>()
        : data && new Set(data.filter(isUnpriced).map((row) => valueOfGroup(row, group))),
    [hasSome, data, error, group],
  );
}

interface UnpricedPeriodsOptions {
  readonly group: Group;
  readonly fixed: Fixed | undefined;
  readonly isAsked: boolean;
}

/** Of each period of the days, whether none of its calls, or of those of a name, has a price. */
export function useUnpricedPeriods(question: Question, { group, fixed, isAsked }: UnpricedPeriodsOptions) {
  const body = { ...toCostBody(question, question.days, fixed), aggregate: question.granularity };
  const all = useAllRows<UsageRow>('/api/usage/', isAsked ? body : undefined);
  const ofNames = useAllRows<UsageRow>('/api/usage/', isAsked ? { ...body, group_by: group } : undefined);
  return useMemo(() => {
    const unpriced = new Set([
      ...(all.data ?? []).filter(isUnpriced).map((row) => row.date_from),
      ...(ofNames.data ?? []).filter(isUnpriced).map((row) => `${row.date_from}\n${valueOfGroup(row, group)}`),
    ]);
    return (period: string, of?: string) => unpriced.has(of === undefined ? period : `${period}\n${of}`);
  }, [all.data, ofNames.data, group]);
}

/** Whether nothing is known of what a row's calls cost; shared costs are no calls. */
export const isCostUnknown = (
  { cost, shared_cost: shared = 0 }: Pick<MarginRow, 'cost'> & Partial<Pick<MarginRow, 'shared_cost'>>,
  name: string,
  unpriced: ReadonlySet<string> | undefined,
): boolean => unpriced?.has(name) === true && cost === shared;
