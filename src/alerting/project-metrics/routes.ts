import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { acceptedTypes } from '../../lib/http/accepted-types.ts';
import type { App } from '../../lib/http/app.ts';
import { respondAsOf } from '../../reports/asking/respond.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import { mostSeries, writeExposition } from './exposition.ts';
import { readProjectFigures } from './read-figures.ts';

const openMetrics = 'application/openmetrics-text';

const example = [
  '# HELP farthing_customer_cost_today_usd Cost of calls in USD today, in the timezone of the project, by customer.',
  '# TYPE farthing_customer_cost_today_usd gauge',
  'farthing_customer_cost_today_usd{customer="acme"} 0.0019',
].join('\n');

/** `GET /api/metrics/` (D24.4). */
export function registerProjectMetrics(app: App, sources: AnswerSources): void {
  app.get('/api/metrics/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'Costs of today and of this month, for Prometheus',
      description:
        'Costs, calls, errors and unpriced calls by customer, feature and model, and how budgets stand, in the text ' +
        'format of Prometheus, or of OpenMetrics when `Accept` names it. Costs are before credits. ' +
        `Of each dimension, the ${mostSeries} values that cost most have a series; all others together have one with the label ` +
        '`aggregate="rest"`.',
      tags: ['Analytics'],
      response: {
        200: {
          description: 'The metrics.',
          content: {
            'text/plain': {
              schema: z.string().meta({ description: 'The format of Prometheus.', examples: [`${example}\n`] }),
            },
            [openMetrics]: {
              schema: z.string().meta({ description: 'OpenMetrics 1.0.', examples: [`${example}\n# EOF\n`] }),
            },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const figures = await respondAsOf(request, reply, sources, undefined, (asOf) =>
        readProjectFigures(asOf, project, sources),
      );
      // Prometheus accepts both formats, and names OpenMetrics first.
      const isOpenMetrics = acceptedTypes(request.headers.accept).includes(openMetrics);
      const { contentType, text } = await writeExposition(project, figures, { isOpenMetrics });
      return reply.header('vary', 'accept').type(contentType).serializer(String).send(text);
    },
  });
}
