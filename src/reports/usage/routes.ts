import type { App } from '../../lib/http/app.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { answerPage } from '../asking/respond.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { toTokens } from '../asking/usage-fields.ts';
import { costsBody, parseCosts } from '../costs/parse.ts';
import { runUsage, usageRow } from './run.ts';

const exampleRow = {
  date_from: '2026-11-01',
  date_to: '2026-11-21',
  customer: 'acme',
  calls: 2,
  errors: 0,
  unpriced_calls: 0,
  partly_priced_calls: 0,
  tokens: { ...toTokens([]), input: 824, output: 174 },
  units: { web_searches: 3 },
  elapsed_ms_sum: 2_468.5,
  elapsed_ms_max: 1_250,
};

/** `POST /api/usage/` (D2). */
export function registerUsage(app: App, sources: AnswerSources): void {
  app.post('/api/usage/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'Calls, errors, tokens, units and times by period, and by customer, feature, model or provider',
      description: 'Takes the body of `POST /api/costs/`; `apply_credits` has no effect.',
      tags: ['Analytics'],
      body: costsBody,
      response: { 200: pageOf(usageRow, exampleRow) },
    },
    handler: async (request, reply) =>
      await answerPage(request, reply, sources, request.body, {
        parse: (projectId, body) => parseCosts('usage', projectId, body),
        run: runUsage,
      }),
  });
}
