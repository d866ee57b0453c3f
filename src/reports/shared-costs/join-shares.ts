import { toDayNumber } from '../../lib/days.ts';
import { joinRecords, type PagePlan, type PlacedRecord } from '../asking/page.ts';
import type { SharedParts, SharesRecord } from './read-shares.ts';

/** A row of an answer with what it shares; either may be all that it has. */
export type WithShares<Record> = PlacedRecord & {
  readonly record: Record | undefined;
  readonly shares: SharedParts | undefined;
};

/** Joins the rows of a page with what they share, in order, and one more if there is one. */
export const joinShares = <Record extends PlacedRecord>(
  plan: Pick<PagePlan, 'limit'>,
  records: readonly Record[],
  shares: readonly SharesRecord[],
): WithShares<Record>[] =>
  joinRecords(
    plan,
    [...records.map((record) => placed(record, { record })), ...shares.map((one) => placed(one, { shares: one }))],
    (parts: readonly { readonly record?: Record; readonly shares?: SharedParts }[]) => ({
      record: parts.find(({ record }) => record)?.record,
      shares: parts.find((part) => part.shares)?.shares,
    }),
  );

const placed = <Part extends object>({ period, value }: PlacedRecord, part: Part): PlacedRecord & Part => ({
  period,
  ...(value !== undefined && { value }),
  ...part,
});

/** The part of a plan that can still be on the page of these rows: none after the last one of a full page. */
export function planShares(plan: PagePlan, records: readonly PlacedRecord[]): PagePlan {
  const last = records.length > plan.limit ? records.at(-1) : undefined;
  if (!last) return plan;
  return { ...plan, periods: plan.periods.filter(({ dateFrom }) => toDayNumber(dateFrom) <= last.period) };
}
