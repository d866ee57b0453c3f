import type { App } from '../../lib/http/app.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { answerPage } from '../asking/respond.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { parsePlans, plansBody } from './parse.ts';
import { planRow, runPlans } from './run.ts';

const exampleRow = {
  date_from: '2026-10-01',
  date_to: '2026-10-31',
  plan: 'pro',
  customers: 40,
  revenue: 1160,
  cost: 610.5,
  margin: 549.5,
  margin_pct: 47.37068965517241,
  cost_per_customer: { p10: 2.1, p50: 8.4, p90: 31.5, p99: 88, most: 88 },
  below_zero: 4,
  below_zero_share: 0.1,
  below_target: 9,
  below_target_share: 0.225,
  dearest_tenth: { customers: 4, revenue: 116, cost: 261.5, margin: -145.5 },
  features: [
    { feature: 'chat', cost: 480.25 },
    { feature: 'search', cost: 130.25 },
  ],
  other_features_cost: 0,
};

/** `POST /api/plans/` (D29.1). */
export function registerPlans(app: App, sources: AnswerSources): void {
  app.post('/api/plans/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'How plans pay: revenue, cost and margin by plan and period, and how cost is spread over customers',
      description:
        'A plan is a value of a tag that customers carry now, or "". Rows add up to the margin of the period. ' +
        'Only for projects of type `revenue`.',
      tags: ['Plans'],
      body: plansBody,
      response: { 200: pageOf(planRow, exampleRow) },
    },
    handler: async (request, reply) =>
      await answerPage(request, reply, sources, request.body, { parse: parsePlans, run: runPlans, type: 'revenue' }),
  });
}
