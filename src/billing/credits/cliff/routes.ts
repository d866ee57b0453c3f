import { z } from 'zod';
import { projectOf } from '../../../accounts/guard.ts';
import type { App } from '../../../lib/http/app.ts';
import { awaitConsistency } from '../../../lib/http/consistency.ts';
import { problemWith } from '../../../lib/http/problem-schema.ts';
import { requireProjectType } from '../../../reports/asking/project-type.ts';
import type { AnalyticsSources } from '../../../reports/asking/sources.ts';
import { runCreditCliff } from './run.ts';

const day = z.string().meta({ format: 'date' });
const money = z.number().describe('USD.');
const margin = z.object({
  revenue: money,
  cost: money,
  margin: money,
  margin_pct: z.number().describe('As in `POST /api/margin/`.'),
});
const margins = {
  now: margin.describe('With free credits.'),
  after: margin.describe('As it would be without credits.'),
};

const cliffSchema = z.object({
  date_from: day.describe('First of the 28 full days that the margins are of.'),
  date_to: day.describe('Last of them: yesterday.'),
  credits_left: money.describe('USD: what remains of the grants in use.'),
  ends_on: day
    .nullable()
    .describe(
      'The day on which the last grant in use runs out or expires; null when that is not known, or none is in use.',
    ),
  ...margins,
  customers: z
    .array(
      z.object({
        customer: z.string(),
        turns: z.boolean().describe('Whether its revenue covers its cost with credits, and not without them.'),
        turns_on: day
          .nullable()
          .describe(
            'If it turns: the end of the credits, by provider, without which its revenue no longer covers its cost.',
          ),
        ...margins,
      }),
    )
    .describe('Those that turn first, then by the smallest margin without credits; at most 100.'),
  others: z
    .object({
      count: z.number().int().describe('The number of further customers.'),
      turns: z.number().int().describe('How many of them turn.'),
      ...margins,
    })
    .describe('The sum of all others.'),
});

const exampleNow = { revenue: 120, cost: 80, margin: 40, margin_pct: 33.333333333333336 };
const exampleAfter = { revenue: 120, cost: 150, margin: -30, margin_pct: -25 };
const none = { revenue: 0, cost: 0, margin: 0, margin_pct: 0 };
const exampleCliff = {
  date_from: '2026-10-24',
  date_to: '2026-11-20',
  credits_left: 312.5,
  ends_on: '2026-12-19',
  now: exampleNow,
  after: exampleAfter,
  customers: [{ customer: 'acme', turns: true, turns_on: '2026-12-19', now: exampleNow, after: exampleAfter }],
  others: { count: 0, turns: 0, now: none, after: none },
};

/** `GET /api/credit-cliff/` (D25). */
export function registerCreditCliff(app: App, sources: AnalyticsSources): void {
  app.get(
    '/api/credit-cliff/',
    {
      config: { access: 'read', readsCalls: true },
      schema: {
        summary: 'What becomes of margins when free credits end',
        description:
          'The margins of the last 28 full days with credits, and as they would be without them. Only for projects of ' +
          'type `revenue`.',
        tags: ['Credits'],
        response: {
          200: cliffSchema.meta({ description: 'The margins.', examples: [exampleCliff] }),
          400: problemWith().describe('The project is of type `internal`.'),
        },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      requireProjectType(project, 'revenue');
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runCreditCliff(project, sources);
    },
  );
}
