import type { App } from '../../lib/http/app.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { answerPage } from '../asking/respond.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { costsBody, parseCosts } from './parse.ts';
import { costRow, runCosts } from './run.ts';

const exampleRow = {
  date_from: '2026-11-01',
  date_to: '2026-11-21',
  customer: 'acme',
  cost: 0.0019,
  avg_feature_run_cost: 0.0019,
  max_feature_run_cost: 0.0019,
};

/** `POST /api/costs/`. */
export function registerCosts(app: App, sources: AnswerSources): void {
  app.post('/api/costs/', {
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
    handler: async (request, reply) =>
      await answerPage(request, reply, sources, request.body, {
        parse: (projectId, body) => parseCosts('costs', projectId, body),
        run: runCosts,
      }),
  });
}
