import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { askedField, moneyField } from '../../lib/http/row-fields.ts';
import { planPage } from '../asking/page.ts';
import { requireProjectType } from '../asking/project-type.ts';
import { respondAsOf } from '../asking/respond.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { findAskedClose } from '../facts/as-of.ts';
import { riskStatuses } from './calc-margin.ts';
import { marginBody, parseMargin } from './parse.ts';
import { runMargin } from './run.ts';

const marginRow = z.object({
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
  customer: askedField(z.string(), 'group_by', 'customer'),
  revenue: moneyField('USD earned on the days of the row.'),
  cost: moneyField('USD; less free AI credits when `apply_credits` is true.'),
  margin: moneyField('`revenue` − `cost`.'),
  margin_pct: z.number().describe('100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.'),
  risk_status: z
    .enum(riskStatuses)
    .describe("`unprofitable` below a margin of 0; `at_risk` below the project's `at_risk_below_pct`."),
});

const exampleRow = {
  date_from: '2026-11-01',
  date_to: '2026-11-21',
  customer: 'acme',
  revenue: 350,
  cost: 87.5,
  margin: 262.5,
  margin_pct: 75,
  risk_status: 'healthy',
} as const;

/** `POST /api/margin/` (section 4.3). */
export function registerMargin(app: App, sources: AnalyticsSources): void {
  app.post(
    '/api/margin/',
    {
      config: { access: 'read', readsCalls: true },
      schema: {
        summary: 'Revenue, cost and margin by period, and by customer',
        description:
          'A row for every period, or for every customer with a call or revenue in it. Revenue is earned evenly over the days of ' +
          'its entries. Only for projects of type `revenue`: those of type `internal` have `POST /api/performance/`.',
        tags: ['Analytics'],
        body: marginBody,
        response: { 200: pageOf(marginRow, exampleRow) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const close = await findAskedClose(sources.control, project, request.body.as_of);
      const question = parseMargin(project.id, request.body);
      // Refuse invalid requests before waiting for consistency.
      const plan = planPage(project, question, request.body, sources.clock(), close);
      requireProjectType(project, 'revenue');
      return await respondAsOf(request, reply, sources, close, (asOf) => runMargin(asOf, question, plan, sources));
    },
  );
}
