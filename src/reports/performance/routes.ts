import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { pageOf } from '../../lib/http/page-envelope.ts';
import { answerPage } from '../asking/respond.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { answerAsOf, findAskedClose } from '../facts/as-of.ts';
import { parsePerformance, performanceBody } from './parse.ts';
import { performanceRow, runPerformance } from './run.ts';

const exampleRow = {
  date_from: '2026-11-01',
  date_to: '2026-11-21',
  user: 'ann',
  cost: 12.5,
  key_metrics: { 'tickets solved': { value: 50, total_cost: 10, cost_per_unit: 0.2 } },
};

/** The names of the key metrics that rows can have: the current ones, or those of the close that the body names. */
async function readMetricNames(request: FastifyRequest, { control }: AnswerSources): Promise<string[]> {
  const project = projectOf(request);
  const { as_of } = request.body as z.output<typeof performanceBody>;
  const close = await findAskedClose(control, project, as_of);
  const metrics = await answerAsOf(control, project, close, ({ facts }) => facts.readKeyMetrics());
  return metrics.map(({ name }) => name);
}

/** `POST /api/performance/`. */
export function registerPerformance(app: App, sources: AnswerSources): void {
  app.post('/api/performance/', {
    config: {
      access: 'read',
      readsCalls: true,
      // Each key metric has its own columns.
      namesOf: { key_metrics: (request) => readMetricNames(request, sources) },
    },
    schema: {
      summary: 'Costs and key metrics by period, and by user',
      description:
        'A row for every period, or for every user with a call or an event of a key metric in it. Only for projects of type ' +
        '`internal`: those of type `revenue` have `POST /api/margin/`.',
      tags: ['Analytics'],
      body: performanceBody,
      response: { 200: pageOf(performanceRow, exampleRow) },
    },
    handler: async (request, reply) =>
      await answerPage(request, reply, sources, request.body, {
        parse: parsePerformance,
        run: runPerformance,
        type: 'internal',
      }),
  });
}
