import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { callGroupFields, moneyField, quotientField } from '../../lib/http/row-fields.ts';
import { planPage } from '../asking/page.ts';
import { respondAsOf } from '../asking/respond.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { findAskedClose } from '../facts/as-of.ts';
import { costsBody, parseCosts } from './parse.ts';
import { runCosts } from './run.ts';

const costRow = z.object({
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
  ...callGroupFields,
  cost: moneyField('USD; the nearest double of the exact sum.'),
  avg_feature_run_cost: quotientField('USD, gross: the average over the feature runs of the row.'),
  max_feature_run_cost: moneyField('USD, gross: the largest of the feature runs of the row.'),
});

const exampleRow = {
  date_from: '2026-11-01',
  date_to: '2026-11-21',
  customer: 'acme',
  cost: 0.0019,
  avg_feature_run_cost: 0.0019,
  max_feature_run_cost: 0.0019,
};

/** `POST /api/costs/` (section 4.2). */
export function registerCosts(app: App, sources: AnalyticsSources): void {
  app.post(
    '/api/costs/',
    {
      config: { access: 'read', readsCalls: true },
      schema: {
        summary: 'Costs by period, and by customer, feature, model or provider',
        description:
          'A row for every period, or for every value of `group_by` in each. Filters select calls: AND between them, OR within one. ' +
          'Costs are in USD, before credits unless `apply_credits` is set.',
        tags: ['Analytics'],
        body: costsBody,
        response: { 200: pageOf(costRow, exampleRow) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const close = await findAskedClose(sources.control, project, request.body.as_of);
      const question = parseCosts('costs', project.id, request.body);
      // Refuse invalid requests before waiting for consistency.
      const plan = planPage(project, question, request.body, sources.clock(), close);
      return await respondAsOf(request, reply, sources, close, (asOf) => runCosts(asOf, question, plan, sources));
    },
  );
}
