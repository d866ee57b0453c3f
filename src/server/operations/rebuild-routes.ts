import { z } from 'zod';
import { findProject, inProject } from '../../accounts/project-record.ts';
import type { Projects } from '../../accounts/projects.ts';
import {
  calcProgress,
  findRebuild,
  listRebuilds,
  requestRebuild,
  type SummarisedRebuild,
  summarise,
} from '../../calls/rebuild/rebuilds.ts';
import { byCauseField, toCauses } from '../../calls/rebuild/wire.ts';
import type { App } from '../../lib/http/app.ts';
import { pageAnswer, pageQuery } from '../../lib/http/page-envelope.ts';
import { problemWith } from '../../lib/http/problem-schema.ts';
import { nullableMoneyField } from '../../lib/http/row-fields.ts';
import { Problem } from '../../lib/problem.ts';
import { pathId } from '../../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../../lib/times.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';

export interface RebuildRoutesOptions extends ControlSources {
  readonly projects: Projects;
  readonly onRebuild: () => void;
}

const rebuildBody = z
  .strictObject({
    reread: z.boolean().optional().describe('Whether to read the text of the events again; default: false.'),
    dry_run: z
      .boolean()
      .optional()
      .describe('If true, only the difference is reported; default: true with `reread`, otherwise false.'),
  })
  .nullish()
  .meta({ examples: [{ reread: true, dry_run: true }] });

const rebuildFields = z.object({
  id: z.string(),
  state: z.enum(['queued', 'running', 'done', 'failed']),
  progress: z.number().describe('From 0 to 1.'),
  dry_run: z.boolean(),
  reread: z.boolean().describe('Whether it reads the text of the events again.'),
  requested_by: z.string(),
  created_at: timeField,
  finished_at: timeField.nullable(),
  failure: z.string().nullable(),
  before: nullableMoneyField('USD: the cost of all calls before the rebuild; null until `done`.'),
  after: nullableMoneyField(
    'USD: the cost of all calls after the rebuild. Without `reread` it is the same, unless something was wrong.',
  ),
  by_cause: byCauseField,
  kept_from: z
    .string()
    .nullable()
    .meta({ format: 'date' })
    .describe('The first day rebuilt, if earlier days have only totals; otherwise null. Those totals are unchanged.'),
});

export type RebuildWire = z.output<typeof rebuildFields>;

const exampleRebuild = {
  id: 'rbd_01M7Y9B2V6N4Q8H0T3S5C7D9EF',
  state: 'done',
  progress: 1,
  dry_run: false,
  reread: false,
  requested_by: 'admin',
  created_at: '2026-11-21T05:30:02.118Z',
  finished_at: '2026-11-21T05:30:04.907Z',
  failure: null,
  before: 812.4401,
  after: 812.4401,
  by_cause: [
    { cause: 'reading' as const, before: 812.4401, after: 812.4401 },
    { cause: 'price' as const, before: 812.4401, after: 812.4401 },
  ],
  kept_from: null,
};

/** `POST`, `GET /admin/projects/{id}/rebuilds/`, `GET /admin/projects/{id}/rebuilds/{rebuild_id}/` (D13.2). */
export function registerRebuilds(app: App, { control, projects, clock, onRebuild }: RebuildRoutesOptions): void {
  const config = { access: 'admin' } as const;
  const tags = ['Admin'];

  app.post('/admin/projects/:id/rebuilds/', {
    config,
    schema: {
      summary: 'Rebuild all calls of a project from its events',
      description:
        'Gives the same numbers, unless something was wrong. Answers use the old calls until all new ones are ready, then switch at once. With `reread` it also reads the stored text of all events again, as this release understands usage, units and terms, at the prices of the calls; that is a dry run, unless `dry_run` is false.',
      tags,
      params: inProject,
      body: rebuildBody,
      response: {
        202: z
          .object({ id: z.string() })
          .meta({ description: 'The rebuild is queued.', examples: [{ id: exampleRebuild.id }] }),
        409: problemWith().describe('The project already has ten unfinished changes.'),
      },
    },
    handler: async (request, reply) => {
      const project = await findProject(projects, request.params.id);
      const { body } = request;
      const isReread = body?.reread ?? false;
      const { id } = await requestRebuild(control, {
        projectId: project.id,
        kind: 'rebuild',
        isDryRun: body?.dry_run ?? isReread,
        isReread,
        requestedBy: 'admin',
        days: undefined,
        timezone: project.timezone,
        priceBookId: undefined,
        now: clock(),
      });
      onRebuild();
      return reply.code(202).send({ id });
    },
  });
  app.get('/admin/projects/:id/rebuilds/', {
    config,
    schema: {
      summary: 'The rebuilds of a project, newest first',
      description: 'Rebuilds for a new timezone are not in this list.',
      tags,
      params: inProject,
      querystring: pageQuery,
      response: { 200: pageAnswer('rebuilds', rebuildFields, 'A page of the rebuilds.', exampleRebuild) },
    },
    handler: async (request) => {
      const project = await findProject(projects, request.params.id);
      const { limit, cursor } = request.query;
      const { rows, end } = await listRebuilds(control, { projectId: project.id, kind: 'rebuild', limit, cursor });
      return { rebuilds: rows.map(toWire), ...end };
    },
  });
  app.get('/admin/projects/:id/rebuilds/:rebuild_id/', {
    config,
    schema: {
      summary: 'A rebuild and its progress',
      description: '`before` and `after` are equal unless something was wrong.',
      tags,
      params: inProject.extend({
        rebuild_id: pathId.describe('The id of the rebuild.').meta({ examples: [exampleRebuild.id] }),
      }),
      response: { 200: rebuildFields.meta({ description: 'The rebuild.', examples: [exampleRebuild] }) },
    },
    handler: async (request) => {
      const project = await findProject(projects, request.params.id);
      const rebuild = await findRebuild(control, project.id, request.params.rebuild_id);
      if (rebuild?.kind !== 'rebuild') throw new Problem('not_found', 'This project has no rebuild with this id.');
      return toWire(summarise(rebuild));
    },
  });
}

function toWire(rebuild: SummarisedRebuild) {
  const { totals } = rebuild;
  return {
    id: rebuild.id,
    state: rebuild.state,
    progress: calcProgress(rebuild),
    dry_run: rebuild.dry_run === 1,
    reread: rebuild.reread === 1,
    requested_by: rebuild.requested_by,
    created_at: toTime(rebuild.created_at),
    finished_at: toTimeOrNull(rebuild.finished_at),
    failure: rebuild.failure,
    before: totals ? Number(totals.before) : null,
    after: totals ? Number(totals.after) : null,
    by_cause: toCauses(totals),
    kept_from: totals?.kept_from ?? null,
  };
}
