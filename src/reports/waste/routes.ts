import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { quotientField } from '../../lib/http/row-fields.ts';
import { planPage } from '../asking/page.ts';
import { respondAsOf } from '../asking/respond.ts';
import { findAskedClose } from '../facts/as-of.ts';
import { wasteBounds, wasteCauses, wasteDefinitions } from './causes.ts';
import { parseWaste, wasteBody } from './parse.ts';
import { runWaste, type WasteSources } from './run.ts';

const money = z.number().describe('USD; the nearest double of the exact sum.');
const count = z.number().int();
const share = z.number().describe('The share of `total_cost`, from 0 to 1; 0 when nothing was spent.');

const wasteSchema = z.object({
  total_cost: money.describe('USD: the gross cost of the selected calls.'),
  calls: count.describe('The selected calls.'),
  wasted: money.describe('USD: the sum of the exact amounts, without upper bounds.'),
  wasted_at_most: money.describe('USD: the sum of all amounts, upper bounds included; at most `total_cost`.'),
  share: share.describe('The share of `wasted` in `total_cost`, from 0 to 1; 0 when nothing was spent.'),
  rows: z
    .array(
      z.object({
        cause: z.enum(wasteCauses),
        bound: z.enum(wasteBounds).describe('`upper`: what was wasted is at most the amount.'),
        calls: count.describe('The filter `waste` of `POST /api/calls/` lists them.'),
        // Finer than money has digits: it is a product of counts and prices.
        amount: quotientField('USD; the nearest double of the exact sum.'),
        share,
        definition: z.string().describe('What the cause counts, in one sentence.'),
      }),
    )
    .describe(
      'Every cause in a fixed order. A call counts under the first cause that applies. `dearer_model` only with `alternatives`.',
    ),
});

export type WasteWire = z.output<typeof wasteSchema>;

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
  app.post(
    '/api/waste/',
    {
      config: { access: 'read', readsCalls: true, allRows: 'rows' },
      schema: {
        summary: 'Money that was spent for nothing, by cause',
        description:
          'Filters select calls, as in a costs request. Whether a call was tried again, or could have been cached, is ' +
          'judged by all calls of the range, before any filter. Prices are those of the price list on its last day, with the terms of each call.',
        tags: ['Analytics'],
        body: wasteBody,
        response: { 200: wasteSchema.meta({ description: 'What was wasted.', examples: [exampleWaste] }) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const close = await findAskedClose(sources.control, project, request.body.as_of);
      const question = parseWaste(request.body);
      // Refuse invalid requests before waiting for consistency.
      const plan = planPage(project, { ...question, ...oneRow }, { limit: 1 }, sources.clock(), close);
      return await respondAsOf(request, reply, sources, close, (asOf) => runWaste(asOf, question, plan.range, sources));
    },
  );
}

const oneRow = { granularity: 'all', isGrouped: false, identity: 'waste' } as const;
