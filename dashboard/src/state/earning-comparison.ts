import { useAllRows, useApi } from '../api/queries.ts';
import type { MarginRow, Page, RevenueEntry } from '../api/types.ts';
import { todayIn } from '../lib/days.ts';
import { type Comparison, compareDays } from './comparison.ts';
import { toDates, useQuestion } from './question.ts';
import { useAccess } from './session.tsx';

/**
 * What days are compared with where revenue is, of all customers or of one: days before the first that earned are no data, as days
 * before the first call are. Undefined until it is known.
 */
export function useEarningComparison(customer?: string): Comparison | undefined {
  const { project } = useAccess();
  const { comparison: ofCalls, days } = useQuestion();
  const comparison = project.type === 'revenue' ? ofCalls : undefined;
  const customers = customer === undefined ? undefined : [customer];
  const entries = new URLSearchParams({ limit: '1', ...(customer !== undefined && { customer }) });
  if (comparison) entries.set('date_to', comparison.before.from);
  const earlier = useApi<Page<RevenueEntry>>(`/api/revenue/?${entries}`, undefined, {
    enabled: comparison !== undefined,
  });
  const isNew = earlier.data?.rows.length === 0;
  const daily = useAllRows<MarginRow>(
    '/api/margin/',
    comparison && isNew ? { ...toDates(comparison.before), aggregate: 'day', customers } : undefined,
  );
  if (!comparison || earlier.data === undefined) return undefined;
  if (!isNew) return comparison;
  if (daily.data === undefined) return undefined;
  const first = daily.data.find(({ revenue }) => revenue !== 0)?.date_from;
  return (
    (first !== undefined && compareDays(days, { today: todayIn(project.timezone), firstDay: first })) || comparison
  );
}
