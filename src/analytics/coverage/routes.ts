import { z } from 'zod';
import type { App } from '../../http/app.ts';
import { awaitConsistency } from '../../http/consistency.ts';
import { dayField, earliestDay } from '../../lib/day-field.ts';
import { addDays, type Day, dayOf } from '../../lib/days.ts';
import { resolveRange } from '../../lib/range.ts';
import { projectOf } from '../../projects/guard.ts';
import type { Project } from '../../projects/projects.ts';
import type { AnalyticsSources } from '../sources.ts';
import { runCoverage } from './run.ts';

/** How many days an answer is about when `date_from` is left out. */
const defaultDays = 30;

const coverageQuery = z.strictObject({
  date_from: dayField
    .optional()
    .describe(
      `First day, inclusive, in the timezone of the project; default: the ${defaultDays} days that end with date_to, or as many of them as calls are kept of.`,
    ),
  date_to: dayField.optional().describe('Last day, inclusive; default: today in the timezone of the project.'),
});

const count = z.number().int();
const money = z.number().describe('USD; the nearest double of the exact sum.');
const share = z.number().min(0).max(1).describe('From 0 to 1; 1 when there is nothing to share.');

const coverage = z.object({
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
  calls: count,
  priced_calls: count.describe(
    'Calls that are not unpriced. A call that reports no usage costs nothing, and counts here.',
  ),
  priced_share: share,
  unpriced_calls: count,
  cost: money,
  customer_attributed_cost: money,
  customer_attributed_share: share,
  feature_attributed_cost: money,
  feature_attributed_share: share,
  user_attributed_cost: money,
  user_attributed_share: share,
  unpriced: z
    .array(z.object({ model: z.string(), provider: z.string(), reason: z.string(), calls: count }))
    .describe('What has no price and why, most calls first; the first 1,000.'),
  open_calls: count.describe(
    'Ids of which a `.before` was received on these days, and no `.after` or `.error` later or up to 48 hours before.',
  ),
  ignored: z
    .array(z.object({ field: z.string(), events: count }))
    .describe('Fields that events received on these days carried and that could not be used, most events first.'),
  beyond_retention: count.describe(
    'Events received on these days that came for days of which only totals were kept by then (`retention_days`): they are in the log, and in no total.',
  ),
  skipped_metric_values: z
    .array(z.object({ key_metric: z.string(), events: count }))
    .describe(
      'Key metrics and how many events of their types on these days hold no value that they can use: no number under `sum`, none or null under `unique`. Those that skip any, most events first.',
    ),
});

const example = {
  date_from: '2026-10-23',
  date_to: '2026-11-21',
  calls: 8,
  priced_calls: 7,
  priced_share: 0.875,
  unpriced_calls: 1,
  cost: 0.5,
  customer_attributed_cost: 0.3,
  customer_attributed_share: 0.6,
  feature_attributed_cost: 0.1,
  feature_attributed_share: 0.2,
  user_attributed_cost: 0.5,
  user_attributed_share: 1,
  unpriced: [{ model: 'house-llm', provider: '', reason: 'unknown_model', calls: 1 }],
  open_calls: 2,
  ignored: [{ field: 'timestamp', events: 3 }],
  beyond_retention: 0,
  skipped_metric_values: [{ key_metric: 'refunds', events: 2 }],
};

/** `GET /api/coverage/` (D2): how much of what was sent is priced and attributed, and what was not understood. */
export function registerCoverage(app: App, sources: AnalyticsSources): void {
  app.get(
    '/api/coverage/',
    {
      config: { access: 'read', readsCalls: true },
      schema: {
        summary: 'How much is priced and attributed, and what is missing',
        description:
          'Calls and costs are those of calls on these days, and skipped values those of events on them; open calls and ignored fields are those of events received on them.',
        tags: ['Coverage'],
        querystring: coverageQuery,
        response: { 200: coverage.meta({ description: 'The coverage of the range.', examples: [example] }) },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const { date_from: dateFrom, date_to: dateTo } = request.query;
      const now = sources.clock();
      const last = dateTo ?? dayOf(project.timezone, now);
      const range = resolveRange(dateFrom ?? defaultFrom(last, project), last, project.timezone, now, 'invalid_query');
      await awaitConsistency(request, reply, sources.progress, project.id);
      return await runCoverage(project, range, sources);
    },
  );
}

/** Where calls and events are deleted, the default begins with those that are left. */
function defaultFrom(dateTo: Day, { keptFrom }: Project): Day {
  const from = addDays(dateTo, 1 - defaultDays);
  if (keptFrom !== null && from < keptFrom && keptFrom <= dateTo) return keptFrom;
  if (from < earliestDay) return earliestDay;
  return from;
}
