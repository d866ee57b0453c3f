import { z } from 'zod';
import type { Progress } from '../../calls/assembly/progress.ts';
import { projectOf } from '../../http/access.ts';
import type { App } from '../../http/app.ts';
import { awaitConsistency } from '../../http/consistency.ts';
import { pageOf } from '../body.ts';
import { costsBody, parseCosts } from './parse.ts';
import { planCosts } from './plan.ts';
import { type CostsSources, runCosts } from './run.ts';

const costRow = z.object({
  date_from: z.string(),
  date_to: z.string(),
  customer: z.string().optional(),
  feature: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  cost: z.number().describe('USD; the nearest double of the exact sum.'),
  avg_feature_run_cost: z.number().describe('USD, gross: the average over the feature runs of the row.'),
  max_feature_run_cost: z.number().describe('USD, gross: the largest of the feature runs of the row.'),
});

/** `POST /api/costs/` (section 4.2). */
export function registerCosts(app: App, sources: CostsSources & { readonly progress: Progress }): void {
  app.post(
    '/api/costs/',
    {
      config: { access: 'read' },
      schema: {
        summary: 'Costs by period, and by customer, feature, model or provider',
        tags: ['Analytics'],
        body: costsBody,
        response: { 200: pageOf(costRow) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const { limit, cursor } = request.body;
      // What can only be refused is refused before anything is waited for.
      const plan = planCosts(project, parseCosts(request.body), { limit, cursor }, sources.clock());
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runCosts(project, plan, sources);
    },
  );
}
