import type { App } from '../../lib/http/app.ts';
import { answerPage } from '../asking/respond.ts';
import { wasteCauses, wasteDefinitions } from './causes.ts';
import { parseWaste, wasteBody } from './parse.ts';
import { runWaste, type WasteSources, wasteSchema } from './run.ts';

const exampleWaste = {
  total_cost: 0.0057,
  calls: 12,
  wasted: 0,
  wasted_at_most: 0.0012,
  share: 0,
  rows: wasteCauses.map((cause) => ({
    cause,
    bound: wasteDefinitions[cause].bound,
    calls: cause === 'retried' ? 1 : 0,
    amount: cause === 'retried' ? 0.0012 : 0,
    share: cause === 'retried' ? 0.21052631578947367 : 0,
    definition: wasteDefinitions[cause].definition,
  })),
};

/** `POST /api/waste/` (D23). */
export function registerWaste(app: App, sources: WasteSources): void {
  app.post('/api/waste/', {
    config: { access: 'read', readsCalls: true, allRows: 'rows' },
    schema: {
      summary: 'Money spent for nothing, by cause',
      description:
        'Filters select calls, as in a costs request. Whether a call was retried, or could have been cached, is ' +
        'judged by all calls of the range, before any filter. Prices are those of its last day, with the terms of each call.',
      tags: ['Analytics'],
      body: wasteBody,
      response: { 200: wasteSchema.meta({ description: 'What was wasted.', examples: [exampleWaste] }) },
    },
    handler: async (request, reply) =>
      await answerPage(
        request,
        reply,
        sources,
        { ...request.body, limit: 1 },
        {
          parse: (_projectId, body) => ({ ...parseWaste(body), ...oneRow }),
          run: (asOf, question, { range }) => runWaste(asOf, question, range, sources),
        },
      ),
  });
}

const oneRow = { granularity: 'all', isGrouped: false, identity: 'waste' } as const;
