import { useAllRows } from '../api/queries.ts';
import type { MarginRow } from '../api/types.ts';
import type { TagGroup } from './group.ts';
import { toAsOf, toDates, useQuestion } from './question.ts';
import { isCostUnknown } from './unpriced.ts';

/** The body of a margin request, from the URL. */
export function useMarginBody() {
  const question = useQuestion();
  const { search, days } = question;
  return {
    ...toDates(days),
    ...(search.customers && { customers: search.customers }),
    ...(search.features && { filter_customers_based_on_features: search.features }),
    ...(search.credits && { apply_credits: true }),
    ...(search.shared && { include_shared: true }),
    ...toAsOf(question),
  };
}

/** The margin of each customer, or of those with each value of a tag, over all days. */
export const useMarginBy = (group: TagGroup | 'customer', isAsked = true) => {
  const body = useMarginBody();
  return useAllRows<MarginRow>('/api/margin/', isAsked ? { ...body, aggregate: 'all', group_by: group } : undefined);
};

/** The margin of each customer; nothing is asked of projects without revenue. */
export const useMarginByCustomer = (isAsked = true) => useMarginBy('customer', isAsked);

/** Whether revenue is known: without any, no customer is known to lose. */
export const hasRevenue = (rows: readonly MarginRow[]): boolean => rows.some(({ revenue }) => revenue !== 0);

/** How many customers cost more than they pay. Calls without a customer are none; of those `unpriced` it is not known, nor of any until that is. */
export const countUnprofitable = (rows: readonly MarginRow[], unpriced: ReadonlySet<string> | undefined): number =>
  unpriced !== undefined && hasRevenue(rows)
    ? rows.filter(
        (row) =>
          row.customer !== '' &&
          row.risk_status === 'unprofitable' &&
          !isCostUnknown(row, row.customer ?? '', unpriced),
      ).length
    : 0;
