import { z } from 'zod';
import { projectOf } from '../../http/access.ts';
import type { App } from '../../http/app.ts';
import { awaitConsistency } from '../../http/consistency.ts';
import { pageOf } from '../body.ts';
import { planPage } from '../page.ts';
import { requireProjectType } from '../project-type.ts';
import type { AnalyticsSources } from '../sources.ts';
import { riskStatuses } from './calc-margin.ts';
import { marginBody, parseMargin } from './parse.ts';
import { runMargin } from './run.ts';

const marginRow = z.object({
  date_from: z.string(),
  date_to: z.string(),
  customer: z.string().optional(),
  revenue: z.number().describe('USD earned on the days of the row.'),
  cost: z.number().describe('USD; less free AI credits when `apply_credits` is true.'),
  margin: z.number().describe('`revenue` − `cost`.'),
  margin_pct: z.number().describe('100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.'),
  risk_status: z
    .enum(riskStatuses)
    .describe("`unprofitable` below a margin of 0; `at_risk` below the project's `at_risk_below_pct`."),
});

/** `POST /api/margin/` (section 4.3). */
export function registerMargin(app: App, sources: AnalyticsSources): void {
  app.post(
    '/api/margin/',
    {
      config: { access: 'read' },
      schema: {
        summary: 'Revenue, cost and margin by period, and by customer',
        description: 'Only on projects of type revenue; internal ones have `POST /api/performance/`.',
        tags: ['Analytics'],
        body: marginBody,
        response: { 200: pageOf(marginRow) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const question = parseMargin(project.id, request.body);
      // What can only be refused is refused before anything is waited for.
      const plan = planPage(project, question, request.body, sources.clock());
      requireProjectType(project, 'revenue');
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runMargin(project, question, plan, sources);
    },
  );
}
