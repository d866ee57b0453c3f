import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import { dayField, earliestDay } from '../../lib/day-field.ts';
import { dayOf } from '../../lib/days.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { Problem } from '../../lib/problem.ts';
import { toDocument } from '../digests/document.ts';
import { digestIntervals, digestOn } from '../digests/schedule.ts';
import { digestSchema, exampleDigest } from '../digests/wire.ts';
import { toMail } from '../notifications/message.ts';
import { type DigestSources, readDigest } from './read-digest.ts';

const previewBody = z
  .strictObject({
    every: z.enum(digestIntervals),
    on: dayField
      .optional()
      .describe('The day on which it would be sent; default: today in the timezone of the project.'),
  })
  .meta({ examples: [{ every: 'weekly', on: '2026-11-23' }] });

const previewAnswer = z.object({
  digest: digestSchema.describe('What webhooks get, as `details`.'),
  subject: z.string(),
  text: z.string().describe('The mail as plain text.'),
  html: z.string().describe('The mail as HTML, without scripts and remote images.'),
});

/** `POST /api/digests/preview/` (D33). */
export function registerDigests(app: App, sources: DigestSources & { readonly publicUrl: string | undefined }): void {
  app.post('/api/digests/preview/', {
    config: { access: 'read', readsCalls: true, isHeavy: true },
    schema: {
      summary: 'Show a digest',
      description:
        'The digest that endpoints with this `digest` get on a day, from the current numbers. It is not sent.',
      tags: ['Notifications'],
      body: previewBody,
      response: {
        200: previewAnswer.meta({
          description: 'The digest.',
          examples: [
            {
              digest: exampleDigest,
              subject: '[Farthing] Support bot, 16 to 22 November: a margin of $487.50',
              text: 'In figures\nCost: $412.50, 8.6% more than the week before\n',
              html: '<!doctype html>…',
            },
          ],
        }),
      },
    },
    handler: async (request, reply) => {
      const project = projectOf(request);
      await awaitConsistency(request, reply, sources.progress, project.id);
      const now = sources.clock();
      const { every, on = dayOf(project.timezone, now) } = request.body;
      const ranges = digestOn(every, on);
      if (ranges.before.dateFrom < earliestDay) {
        const message = `must be later: it compares with days from ${ranges.before.dateFrom} on, and the first is ${earliestDay}`;
        throw new Problem('invalid_body', 'The body has one fault; see errors.', {
          errors: [{ pointer: '/on', code: 'out_of_range', message }],
        });
      }
      const digest = await readDigest({ project, now, sources }, every, ranges);
      const { title, path } = toDocument(digest, project.name);
      const {
        subject,
        text,
        html = '',
      } = toMail(
        {
          ...{ id: 'preview', projectId: project.id, projectName: project.name, kind: 'digest', event: 'digest' },
          ...{ at: now, title, text: '', path, data: digest },
        },
        sources.publicUrl,
      );
      return { digest, subject, text, html };
    },
  });
}
