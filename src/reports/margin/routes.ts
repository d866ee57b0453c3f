import type { App } from '../../lib/http/app.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { answerPage } from '../asking/respond.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { marginBody, parseMargin } from './parse.ts';
import { marginRow, runMargin } from './run.ts';

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

/** `POST /api/margin/`. */
export function registerMargin(app: App, sources: AnswerSources): void {
  app.post('/api/margin/', {
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
    handler: async (request, reply) =>
      await answerPage(request, reply, sources, request.body, {
        parse: parseMargin,
        run: runMargin,
        type: 'revenue',
      }),
  });
}
