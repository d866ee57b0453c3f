import { useMemo } from 'react';
import { useApi } from '../api/queries.ts';
import type { Coverage, MarginRow, UsageRow } from '../api/types.ts';
import { type Fixed, useUsageBy } from './costs.ts';
import { type Group, valueOfGroup } from './group.ts';
import { toDates, useQuestion } from './question.ts';
import type { DayRange } from './search.ts';

/** The models, or their providers, that have calls without a price on the days; undefined while they are asked, or are not. */
export function useUnpriced(by: 'model' | 'provider' | undefined, asked?: DayRange): ReadonlySet<string> | undefined {
  const { days } = useQuestion();
  const { data } = useCoverage(asked ?? days, by !== undefined);
  return useMemo(() => by && data && new Set(data.unpriced.map(({ [by]: name }) => name)), [by, data]);
}

const useCoverage = (days: DayRange, isAsked: boolean) =>
  useApi<Coverage>(`/api/coverage/?${new URLSearchParams(toDates(days))}`, undefined, { enabled: isAsked });

/** Whether calls cost nothing because none of them has a price. */
export const isUnpriced = (usage: Pick<UsageRow, 'calls' | 'unpriced_calls'> | undefined): boolean =>
  usage !== undefined && usage.calls > 0 && usage.unpriced_calls === usage.calls;

/** The values of a group none of whose calls has a price, so that their cost is not known; undefined while that is asked. */
export function useUnpricedOf(group: Group, fixed?: Fixed, isAsked = true): ReadonlySet<string> | undefined {
  const question = useQuestion();
  const { asOf, days } = question;
  const coverage = useCoverage(days, isAsked && asOf === undefined);
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

/** Whether nothing is known of what a row's calls cost; shared costs are no calls. */
export const isCostUnknown = (
  { cost, shared_cost: shared = 0 }: Pick<MarginRow, 'cost' | 'shared_cost'>,
  name: string,
  unpriced: ReadonlySet<string> | undefined,
): boolean => unpriced?.has(name) === true && cost === shared;
