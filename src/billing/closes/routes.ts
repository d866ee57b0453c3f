import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { registerDeletion } from '../../accounts/deletion.ts';
import { projectOf } from '../../accounts/guard.ts';
import type { Progress } from '../../calls/assembly/progress.ts';
import { dayField } from '../../lib/day-field.ts';
import type { App } from '../../lib/http/app.ts';
import { awaitConsistency } from '../../lib/http/consistency.ts';
import { pageAnswer, pageQuery } from '../../lib/http/page-envelope.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { pathId, storableText } from '../../lib/tag-map.ts';
import { timeField, toTime } from '../../lib/times.ts';
import { type Close, deleteClose, findClose, listCloses, requestClose } from '../../reports/facts/closes.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';

export interface CloseSources extends ControlSources {
  readonly progress: Progress;
  readonly onClose: () => void;
}

const closeBody = z
  .strictObject({
    through: dayField.describe(
      'The last day to close, before today in the timezone of the project and after the latest close.',
    ),
    note: storableText(1_000).nullable().default(null).describe('For people: what it was closed for.'),
  })
  .meta({ examples: [{ through: '2026-10-31', note: 'October' }] });

const closeFields = z.object({
  id: z.string(),
  through: z.string().meta({ format: 'date' }),
  created_at: timeField.describe('When it was made; later changes are not in it.'),
  note: z.string().nullable(),
  timezone: z.string().describe('The timezone of its days.'),
  days: z.number().int().describe('How many of its days have calls or readings of key metrics.'),
});

export type CloseWire = z.output<typeof closeFields>;

const exampleClose = {
  id: 'cls_01M7Y940HM46W4C89N0CDQSXWE',
  through: '2026-10-31',
  created_at: '2026-11-03T09:12:41.204Z',
  note: 'October',
  timezone: 'Europe/Berlin',
  days: 304,
};

const closesPage = pageAnswer('closes', closeFields, 'A page of the closes.', exampleClose);

export type ClosesPage = z.output<typeof closesPage>;

const tags = ['Closes'];
const missing = 'This project has no close with this id.';
const params = z.object({ id: pathId.describe('The id of the close.').meta({ examples: [exampleClose.id] }) });

/** How long a request waits until its close is made, and how often it looks, in milliseconds. */
const patienceMs = 60_000;
const lookEveryMs = 25;

/** `GET`, `POST /api/closes/`, `GET`, `DELETE /api/closes/{id}/` (D19.1). */
export function registerCloses(app: App, sources: CloseSources): void {
  const { control } = sources;
  app.get('/api/closes/', {
    config: { access: 'read' },
    schema: {
      summary: 'The closes, newest first',
      description: 'A close pins what was in force for all days up to `through`. Answers take its id as `as_of`.',
      tags,
      querystring: pageQuery,
      response: { 200: closesPage },
    },
    handler: async (request) => {
      const { limit, cursor } = request.query;
      const { rows, end } = await listCloses(control, { projectId: projectOf(request).id, limit, cursor });
      return { closes: rows.map(toWire), ...end };
    },
  });
  app.get('/api/closes/:id/', {
    config: { access: 'read' },
    schema: {
      summary: 'One close',
      description: 'What was closed, and when.',
      tags,
      params,
      response: { 200: closeFields.meta({ description: 'The close.', examples: [exampleClose] }) },
    },
    handler: async (request) => {
      const close = await findClose(control, projectOf(request).id, request.params.id);
      if (!close) throw new Problem('not_found', missing);
      return toWire(close);
    },
  });
  app.post('/api/closes/', {
    config: { access: 'write', readsCalls: true },
    schema: {
      summary: 'Close all days up to one',
      description:
        'From then on, costs, margin, performance, usage and waste with its id as `as_of` stay as they are now, to the last digit, whatever is received, repriced, tagged or set later. It includes everything acknowledged before the request. The answer comes when the close is made, usually within a second.',
      tags,
      body: closeBody,
      response: {
        201: closeFields.meta({ description: 'The close.', examples: [exampleClose] }),
        409: problemWith().describe('A reprice, a change of timezone, a rebuild or another close is under way.'),
      },
    },
    handler: async (request, reply) => {
      const { id: projectId } = projectOf(request);
      await awaitConsistency(request, reply, sources.progress, projectId);
      const id = await requestClose(sources, projectId, request.body);
      sources.onClose();
      const until = performance.now() + patienceMs;
      while (performance.now() < until) {
        const close = await findClose(control, projectId, id);
        if (close) return reply.code(201).send(toWire(close));
        await wait(lookEveryMs);
      }
      throw new Problem('unavailable', 'The close is still being made: GET /api/closes/ has it when it is done.', {
        headers: { 'retry-after': '10' },
      });
    },
  });
  registerDeletion(app, '/api/closes/:id/', {
    summary: 'Delete the latest close',
    description: 'Its days are then no longer closed, and what only this close has kept is deleted.',
    tags,
    params,
    done: 'The close is deleted.',
    missing,
    conflict: 'It is not the latest close.',
    run: async ({ id }, projectId) => {
      await deleteClose(control, projectId, id);
      sources.onClose();
      return true;
    },
  });
}

const toWire = (close: Close) => ({
  id: close.id,
  through: close.through,
  created_at: toTime(close.closed_at),
  note: close.note,
  timezone: close.timezone,
  days: close.days,
});
