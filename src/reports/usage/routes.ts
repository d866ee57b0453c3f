import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { callGroupFields } from '../../lib/http/row-fields.ts';
import { planPage } from '../asking/page.ts';
import { respondAsOf } from '../asking/respond.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { tokensSchema, toTokens } from '../asking/tokens.ts';
import { unitsSchema } from '../asking/units.ts';
import { costsBody, parseCosts } from '../costs/parse.ts';
import { findAskedClose } from '../facts/as-of.ts';
import { runUsage } from './run.ts';

const count = z.number().int();

const usageRow = z.object({
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
  ...callGroupFields,
  calls: count,
  errors: count.describe('Calls that failed.'),
  unpriced_calls: count.describe('Calls whose cost is 0 because they have no price.'),
  partly_priced_calls: count.describe('Calls that used a unit or named a term without a known price.'),
  tokens: tokensSchema.describe('Tokens by bucket; each token is in exactly one.'),
  units: unitsSchema,
  elapsed_ms_sum: z.number().describe('Total milliseconds of the calls that report their duration.'),
  elapsed_ms_max: z.number().describe('The longest duration in milliseconds; 0 when no call reports one.'),
});

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
export function registerUsage(app: App, sources: AnalyticsSources): void {
  app.post(
    '/api/usage/',
    {
      config: { access: 'read', readsCalls: true },
      schema: {
        summary: 'Calls, errors, tokens, units and times by period, and by customer, feature, model or provider',
        description: 'Takes the body of `POST /api/costs/`; `apply_credits` has no effect.',
        tags: ['Analytics'],
        body: costsBody,
        response: { 200: pageOf(usageRow, exampleRow) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const close = await findAskedClose(sources.control, project, request.body.as_of);
      const question = parseCosts('usage', project.id, request.body);
      const plan = planPage(project, question, request.body, sources.clock(), close);
      return await respondAsOf(request, reply, sources, close, (asOf) => runUsage(asOf, question, plan, sources));
    },
  );
}
