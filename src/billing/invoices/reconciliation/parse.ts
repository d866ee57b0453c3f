import { z } from 'zod';
import { asOfField, pageFields, parsePeriods, rangeFields } from '../../../reports/asking/body.ts';
import type { PeriodQuestion } from '../../../reports/asking/page.ts';

/** The dimensions by which rows can be grouped. Invoices name no others. */
export type ReconciledBy = 'provider' | 'model';

/** The body of `POST /api/reconciliation/` (D18.2). */
export const reconciliationBody = z
  .strictObject({
    ...rangeFields,
    group_by: z.enum(['provider', 'model']).optional().describe('One row per value and period.'),
    ...pageFields,
    as_of: asOfField.describe(
      'The id of a close: the computed costs are those of the close, for days up to its `through`. Invoices and prices are the current ones.',
    ),
  })
  .meta({ examples: [{ date_from: '2026-11-01', date_to: '2026-11-30', aggregate: 'month', group_by: 'provider' }] });

/** The validated request, as domain types. */
export type ReconciliationQuestion = PeriodQuestion<ReconciledBy>;

export const parseReconciliation = (
  projectId: string,
  body: z.output<typeof reconciliationBody>,
): ReconciliationQuestion => parsePeriods('reconciliation', projectId, body, []);
