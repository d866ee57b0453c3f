import { z } from 'zod';
import type { Day } from '../../../lib/days.ts';
import { asOfField, identifyClose, pageFields, rangeFields } from '../../../reports/asking/body.ts';
import type { PagedQuestion } from '../../../reports/asking/page.ts';
import type { Granularity } from '../../../reports/asking/periods.ts';

/** The dimensions by which rows can be grouped. Invoices name no others. */
export type ReconciledBy = 'provider' | 'model';

/** The body of `POST /api/reconciliation/` (D18.2). */
export const reconciliationBody = z
  .strictObject({
    ...rangeFields,
    group_by: z.enum(['provider', 'model']).optional().describe('One row per value and period.'),
    ...pageFields,
    as_of: asOfField.describe(
      'The id of a close: the computed costs are those of the close, for days up to its `through`. Invoices and prices are those of now.',
    ),
  })
  .meta({ examples: [{ date_from: '2026-11-01', date_to: '2026-11-30', aggregate: 'month', group_by: 'provider' }] });

/** The validated request, as domain types. */
export interface ReconciliationQuestion extends PagedQuestion {
  readonly dateFrom: Day;
  readonly dateTo: Day | undefined;
  readonly granularity: Granularity;
  readonly groupBy: ReconciledBy | undefined;
}

export function parseReconciliation(
  projectId: string,
  {
    date_from: dateFrom,
    date_to: dateTo,
    aggregate,
    group_by: groupBy,
    as_of: asOf,
  }: z.output<typeof reconciliationBody>,
): ReconciliationQuestion {
  return {
    dateFrom,
    dateTo,
    granularity: aggregate,
    groupBy,
    isGrouped: groupBy !== undefined,
    identity: ['reconciliation', projectId, dateFrom, dateTo, aggregate, groupBy, ...identifyClose(asOf)],
  };
}
