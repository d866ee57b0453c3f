import type { App } from '../../../lib/http/app.ts';
import { answerPage } from '../../asking/respond.ts';
import type { AnswerSources } from '../../asking/sources.ts';
import { parseSimulation, simulateBody } from './parse.ts';
import { runSimulation } from './run.ts';
import { type SimulationAnswer, simulationAnswer, toSimulationAnswer } from './wire.ts';

const exampleSums = { revenue: 1160, cost: 400, margin: 760, simulated_revenue: 1360, simulated_margin: 960 };
const examplePercentages = { margin_pct: 65.51724137931035, simulated_margin_pct: 70.58823529411765 };

const exampleAnswer: SimulationAnswer = {
  date_from: '2026-09-01',
  date_to: '2026-09-30',
  target_margin_pct: 70,
  plans: [
    {
      ...{ name: 'Pro', customers: 40, ...exampleSums, ...examplePercentages },
      ...{ simulated_base: 1360, pay_more: 40, pay_less: 0, below_zero: 4, simulated_below_zero: 3 },
      target_base: { base_per_month: 33.3333333333334, reason: null },
      target_included: { unit: null, amount: null, reason: 'no_charge' },
      rows: [
        { customer: 'acme', revenue: 29, cost: 41.5, margin: -12.5, simulated_revenue: 34, simulated_margin: -7.5 },
      ],
      other_customers: 39,
    },
  ],
  others: { customers: 0, revenue: 0, cost: 0, margin: 0 },
  total: { ...exampleSums, ...examplePercentages },
};

/** `POST /api/plans/simulate/` (D29.2). */
export function registerSimulation(app: App, sources: AnswerSources): void {
  app.post('/api/plans/simulate/', {
    config: { access: 'read', readsCalls: true, isHeavy: true },
    schema: {
      summary: 'What other plans would have earned over past days, by plan and customer',
      description:
        'Charges customers for what they used, and compares it with what they paid. A customer pays for the months in which it ' +
        'has a call or revenue. Changes nothing. Only for projects of type `revenue`.',
      tags: ['Plans'],
      body: simulateBody,
      response: {
        200: simulationAnswer.meta({ description: 'What the plans would have earned.', examples: [exampleAnswer] }),
      },
    },
    handler: async (request, reply) =>
      await answerPage(request, reply, sources, request.body, {
        parse: (_projectId, body) => ({ ...parseSimulation(body), ...oneRow }),
        run: async (asOf, question, { range }) =>
          toSimulationAnswer(await runSimulation(asOf, question, range, sources), question.limit),
        type: 'revenue',
      }),
  });
}

const oneRow = { granularity: 'all', isGrouped: false, identity: 'simulation' } as const;
