import { z } from 'zod';
import { dayField } from '../../lib/day-field.ts';
import type { App } from '../../lib/http/app.ts';
import { listAnswer } from '../../lib/http/page-envelope.ts';
import { moneyField, nullableMoneyField } from '../../lib/http/row-fields.ts';
import { toJsonNumber } from '../../lib/money.ts';
import { asOfField } from '../../reports/asking/body.ts';
import { answerPage } from '../../reports/asking/respond.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import { type AllocatedCost, readAllocated } from '../../reports/shared-costs/unallocated.ts';

const allocatedEntry = z.object({
  external_id: z.string(),
  name: z.string(),
  amount: moneyField('USD: of its days in the range.'),
  unallocated: nullableMoneyField(
    'USD: of the days without calls in its scope; null if only deleted calls could tell.',
  ),
  unallocated_days: z.number().int().nullable(),
});

const exampleEntry = {
  ...{ external_id: 'gpu-1-2026-11', name: 'GPU server', amount: 1_260, unallocated: 120, unallocated_days: 2 },
};

const allocationQuery = z.strictObject({
  date_from: dayField.describe('First day, inclusive, in the timezone of the project.'),
  date_to: dayField.optional().describe('Last day, inclusive; default: today.'),
  as_of: asOfField,
});

/** `GET /api/shared-cost-allocation/` (D31.1): what stays unallocated. */
export function registerSharedAllocation(app: App, sources: AnswerSources): void {
  app.get('/api/shared-cost-allocation/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'Shared costs without calls to share them',
      description: 'The shared costs with a day in the range, by `external_id`.',
      tags: ['Shared costs'],
      querystring: allocationQuery,
      response: { 200: listAnswer('shared_costs', allocatedEntry, 'The shared costs of the range.', exampleEntry) },
    },
    handler: async (request, reply) =>
      await answerPage(
        request,
        reply,
        sources,
        { ...request.query, limit: 1 },
        {
          parse: (_projectId, { date_from: dateFrom, date_to: dateTo }) => ({ ...oneRow, dateFrom, dateTo }),
          run: async (asOf, _question, { range }) => ({
            shared_costs: (await readAllocated(sources, asOf, range)).map(toWire),
          }),
        },
      ),
  });
}

const oneRow = {
  granularity: 'all',
  isGrouped: false,
  rangeFault: 'invalid_query',
  identity: 'shared-cost-allocation',
} as const;

const toWire = ({ entry, amount, unallocated, unallocatedDays, isUntold }: AllocatedCost) => ({
  external_id: entry.externalId,
  name: entry.name,
  amount: toJsonNumber(amount),
  unallocated: isUntold ? null : toJsonNumber(unallocated),
  unallocated_days: isUntold ? null : unallocatedDays,
});
