import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { Project } from '../../accounts/projects.ts';
import { dayField, earliestDay } from '../../lib/day-field.ts';
import { addDays, type Day, dayOf } from '../../lib/days.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { resolveRange } from '../../lib/range.ts';
import type { PriceBooks } from '../../pricing/books/price-books.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { runCoverage } from './run.ts';
import { coverageSchema, exampleCoverage } from './wire.ts';

/** The number of days in the range when `date_from` is left out. */
const defaultDays = 30;

const coverageQuery = z.strictObject({
  date_from: dayField
    .optional()
    .describe(
      `First day, inclusive, in the timezone of the project. Default: the ${defaultDays} days up to date_to, or only those whose calls are kept.`,
    ),
  date_to: dayField.optional().describe('Last day, inclusive; default: today.'),
});

/** `GET /api/coverage/` (D2): how much is priced and attributed, and which data could not be used. */
export function registerCoverage(app: App, sources: AnswerSources & { readonly priceBooks: PriceBooks }): void {
  app.get('/api/coverage/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'How much is priced and attributed, and what is missing',
      description:
        'Calls, costs and skipped values belong to the day of the call or event. Open calls, ignored fields and events beyond retention belong to the day of receipt.',
      tags: ['Coverage'],
      querystring: coverageQuery,
      response: {
        200: coverageSchema.meta({ description: 'The coverage of the range.', examples: [exampleCoverage] }),
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const { date_from: dateFrom, date_to: dateTo } = request.query;
      const now = sources.clock();
      const last = dateTo ?? dayOf(project.timezone, now);
      const range = resolveRange(dateFrom ?? defaultFrom(last, project), last, project.timezone, now, 'invalid_query');
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runCoverage(project, range, sources);
    },
  });
}

/** With retention, the default range starts at the first day whose calls and events are kept. */
function defaultFrom(dateTo: Day, { keptFrom }: Project): Day {
  const from = addDays(dateTo, 1 - defaultDays);
  if (keptFrom !== null && from < keptFrom && keptFrom <= dateTo) return keptFrom;
  if (from < earliestDay) return earliestDay;
  return from;
}
