import { z } from 'zod';
import { projectOf } from '../../../accounts/guard.ts';
import { dayField } from '../../../lib/day-field.ts';
import { addDays, dayOf } from '../../../lib/days.ts';
import type { App } from '../../../lib/http/app.ts';
import { awaitConsistency } from '../../../lib/http/consistency.ts';
import { problemWith } from '../../../lib/http/problem-schema.ts';
import { resolveRange } from '../../../lib/range.ts';
import { requireProjectType } from '../../../reports/asking/respond.ts';
import type { AnswerSources } from '../../../reports/asking/sources.ts';
import { runCreditCliff } from './run.ts';
import { cliffSchema, exampleCliff } from './wire.ts';

/** Without days, margins are over this many days, up to yesterday. */
const defaultDays = 28;

const cliffQuery = z.strictObject({
  date_from: dayField.optional().describe(`First day; default: the ${defaultDays} days up to date_to.`),
  date_to: dayField.optional().describe('Last day; default: yesterday in the timezone of the project.'),
});

/** `GET /api/credit-cliff/` (D25). */
export function registerCreditCliff(app: App, sources: AnswerSources): void {
  app.get('/api/credit-cliff/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'The margins when free credits end',
      description:
        'The margins of these days, by default the last 28 full ones, with credits, and as they would be without them. Only for projects of ' +
        'type `revenue`.',
      tags: ['Credits'],
      querystring: cliffQuery,
      response: {
        200: cliffSchema.meta({ description: 'The margins.', examples: [exampleCliff] }),
        400: problemWith().describe('The project is of type `internal`, or the days are no range.'),
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      requireProjectType(project, 'revenue');
      const { date_from: dateFrom, date_to: dateTo } = request.query;
      const now = sources.clock();
      const last = dateTo ?? addDays(dayOf(project.timezone, now), -1);
      const range = resolveRange(
        dateFrom ?? addDays(last, 1 - defaultDays),
        last,
        project.timezone,
        now,
        'invalid_query',
      );
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runCreditCliff(project, range, sources);
    },
  });
}
