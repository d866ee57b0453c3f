import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { dayField } from '../../lib/day-field.ts';
import { addDays, dayOf } from '../../lib/days.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { listAnswer } from '../../lib/http/page-envelope.ts';
import { resolveRange } from '../../lib/range.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { knownTag, mostKeys, readCallTags, readNameTags } from './tags.ts';

/** How many days of calls are looked at by default. */
const usualDays = 30;

const tagsQuery = z.strictObject({
  kind: z.enum(['call', 'customer', 'user']).describe('Of calls, or carried now by customers or users.'),
  date_from: dayField.optional().describe(`First day of the calls; default: the last ${usualDays} days.`),
  date_to: dayField.optional().describe('Last day of the calls; default: today.'),
});

/** `GET /api/tags/` (D28.2): the tags to group and filter by. */
export function registerTagList(app: App, sources: AnswerSources): void {
  app.get('/api/tags/', {
    config: { access: 'read', readsCalls: true },
    schema: {
      summary: 'The tags of calls, customers or users, with their most frequent values',
      description: `At most ${mostKeys} keys.`,
      tags: ['Lists'],
      querystring: tagsQuery,
      response: {
        200: listAnswer('tags', knownTag, 'The most frequent keys first.', {
          key: 'env',
          count: 412,
          values: [{ value: 'production', count: 400 }],
          has_more_values: false,
        }),
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      const { kind, date_from: from, date_to: to } = request.query;
      await awaitConsistency(request, reply, sources.progress, project.id);
      if (kind !== 'call') return { tags: await readNameTags(sources.control, project.id, kind) };
      const now = sources.clock();
      const last = to ?? dayOf(project.timezone, now);
      const days = resolveRange(from ?? addDays(last, 1 - usualDays), last, project.timezone, now, 'invalid_query');
      return { tags: await readCallTags(sources, project.id, days) };
    },
  });
}
