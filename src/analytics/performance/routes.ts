import { z } from 'zod';
import { projectOf } from '../../http/access.ts';
import type { App } from '../../http/app.ts';
import { awaitConsistency } from '../../http/consistency.ts';
import { pageOf } from '../body.ts';
import { planPage } from '../page.ts';
import { requireProjectType } from '../project-type.ts';
import type { AnalyticsSources } from '../sources.ts';
import { parsePerformance, performanceBody } from './parse.ts';
import { runPerformance } from './run.ts';

const keyMetricEntry = z.object({
  value: z.number().describe('What the events of the row add up to; never 0.'),
  total_cost: z.number().describe("USD: the row's cost, of the features of the key metric."),
  cost_per_unit: z.number().describe('USD: total_cost / value.'),
});

const performanceRow = z.object({
  date_from: z.string(),
  date_to: z.string(),
  user: z.string().optional(),
  cost: z.number().describe('USD; the nearest double of the exact sum.'),
  key_metrics: z.record(z.string(), keyMetricEntry).describe('By name: the key metrics that have data for the row.'),
});

/** `POST /api/performance/` (section 4.4). */
export function registerPerformance(app: App, sources: AnalyticsSources): void {
  app.post(
    '/api/performance/',
    {
      config: { access: 'read' },
      schema: {
        summary: 'Costs and key metrics by period, and by user',
        description: 'Valid on internal projects only; projects linked to revenue are asked through POST /api/margin/.',
        tags: ['Analytics'],
        body: performanceBody,
        response: { 200: pageOf(performanceRow) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      requireProjectType(project, 'internal');
      const question = parsePerformance(project.id, request.body);
      // What can only be refused is refused before anything is waited for.
      const plan = planPage(project, question, request.body, sources.clock());
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runPerformance(project, question, plan, sources);
    },
  );
}
