import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import type { ChangesSources } from '../../reports/changes/run.ts';
import { findSteps } from './find-steps.ts';
import { stepSchema } from './step.ts';

const stepsSchema = z.object({
  steps: z
    .array(stepSchema)
    .describe(
      'The largest amount first, at most five. Wasted money and smaller models take only the places that others leave.',
    ),
});

export type NextSteps = z.output<typeof stepsSchema>;

const exampleSteps = {
  steps: [
    {
      kind: 'model_swap' as const,
      subject: 'gpt-4o → gpt-4o-mini',
      amount: 57.5,
      amount_per_month: 57.5,
      reason:
        'From 2026-10-22 to 2026-11-20, the calls of gpt-4o would have cost $57.50 less with gpt-4o-mini, if its answers are good enough: try it first.',
      link: '/waste?from=2026-10-22&to=2026-11-20&swap=%7B%22gpt-4o%22%3A%22gpt-4o-mini%22%7D',
    },
  ],
};

/** `GET /api/next-steps/` (D25). */
export function registerNextSteps(app: App, sources: ChangesSources): void {
  app.get('/api/next-steps/', {
    config: { access: 'read', readsCalls: true, allRows: 'steps' },
    schema: {
      summary: 'What is worth doing next',
      description:
        'Judged by the last 28 days, today included, and by the newest invoice: the customer that loses most, models without a ' +
        'price, prices that the invoice contradicts, credits that end, wasted money, and calls that a smaller model ' +
        'might answer.',
      tags: ['Analytics'],
      response: { 200: stepsSchema.meta({ description: 'The steps.', examples: [exampleSteps] }) },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      await awaitConsistency(request, reply, sources.progress, project.id);
      return { steps: await findSteps({ project, now: sources.clock(), sources }) };
    },
  });
}
