import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { dayField } from '../../lib/day-field.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { listAnswer } from '../../lib/http/page-envelope.ts';
import { moneyField, nullableMoneyField } from '../../lib/http/row-fields.ts';
import { toJsonNumber } from '../../lib/money.ts';
import { resolveRange } from '../../lib/range.ts';
import type { AnalyticsSources } from '../../reports/asking/sources.ts';
import { readNow } from '../../reports/facts/as-of.ts';
import { readAllocated } from '../../reports/shared-costs/unallocated.ts';

const allocatedEntry = z.object({
  external_id: z.string(),
  name: z.string(),
  amount: moneyField('USD: of its days in the range.'),
  unallocated: nullableMoneyField(
    'USD: of the days without calls in its scope; null where only calls could tell that are deleted.',
  ),
  unallocated_days: z.number().int().nullable(),
});

const exampleEntry = {
  ...{ external_id: 'gpu-1-2026-11', name: 'GPU server', amount: 1_260, unallocated: 120, unallocated_days: 2 },
};

/** `GET /api/shared-cost-allocation/` (D31.1): what stays unallocated. */
export function registerSharedAllocation(app: App, sources: AnalyticsSources): void {
  app.get('/api/shared-cost-allocation/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'What shared costs fall to no call',
      description: 'The shared costs with a day in the range, by `external_id`.',
      tags: ['Shared costs'],
      querystring: z.strictObject({
        date_from: dayField.describe('First day, inclusive, in the timezone of the project.'),
        date_to: dayField.optional().describe('Last day, inclusive; default: today.'),
      }),
      response: { 200: listAnswer('shared_costs', allocatedEntry, 'The shared costs of the range.', exampleEntry) },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const { date_from: from, date_to: to } = request.query;
      const range = resolveRange(from, to, project.timezone, sources.clock(), 'invalid_query');
      await awaitConsistency(request, reply, sources.progress, project.id);
      const allocated = await readAllocated(sources, await readNow(sources.control, project), range);
      return {
        shared_costs: allocated.map(({ entry, amount, unallocated, unallocatedDays, isUntold }) => ({
          external_id: entry.externalId,
          name: entry.name,
          amount: toJsonNumber(amount),
          unallocated: isUntold ? null : toJsonNumber(unallocated),
          unallocated_days: isUntold ? null : unallocatedDays,
        })),
      };
    },
  });
}
