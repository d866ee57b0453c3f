import { z } from 'zod';
import { isTimezone } from '../lib/days.ts';
import type { App } from '../lib/http/app.ts';
import { listAnswer } from '../lib/http/page-envelope.ts';
import { problemWith } from '../lib/http/problem-schema.ts';
import { noProject, Problem } from '../lib/problem.ts';
import { storableText } from '../lib/tag-map.ts';
import type { Clients } from './clients.ts';
import { projectOf } from './guard.ts';
import { exampleProject, findProject, inProject, projectFields, toProjectWire } from './project-record.ts';
import type { FirstPriceBook, Projects } from './projects.ts';
import { tagDimensionsField } from './tag-dimensions.ts';

export interface ProjectRoutesOptions {
  readonly projects: Projects;
  readonly clients: Clients;
  readonly priceBooks: FirstPriceBook;
  /** Resolves once the log has everything that was acknowledged before. */
  readonly flush: () => Promise<void>;
  /** @throws Problem `conflict` while another change is pending, and when some days are frozen */
  readonly changeTimezone: (projectId: string, timezone: string) => Promise<void>;
}

const name = storableText(200);
const timezone = z
  .string()
  .max(100)
  .refine(isTimezone, { error: 'must be the name of a timezone, such as Europe/Berlin', abort: true })
  .meta({ example: 'Europe/Berlin' });
const atRisk = z.number().min(-1_000_000).max(100).nullable().describe('Percent; null for never.');

/** May exceed the 3,660 days of a range, since a range can end before today. */
const retention = z
  .number()
  .int()
  .min(1)
  .max(36_500)
  .nullable()
  .describe('How many days before today events and calls are kept; null for ever. Totals are always kept.');

const keepContent = z
  .boolean()
  .describe('Whether the prompts and answers in OpenTelemetry spans and log records are stored.');

const joinAlike = z
  .boolean()
  .describe(
    'Whether reports of calls that share no id are joined where process, model, output and time are alike. Applies to new events, and to past ones after a rebuild.',
  );

const tagDimensions = tagDimensionsField.describe(
  'At most 8 tags of calls whose sums are kept as those of features are. The sums of past days are made in the background.',
);

const theProject = (description: string) => projectFields.meta({ description, examples: [exampleProject] });

/** The projects of the instance with the admin token (D1.1, D2), and `GET /api/project/`. */
export function registerProjects(app: App, options: ProjectRoutesOptions): void {
  const { projects, clients, priceBooks } = options;
  const config = { access: 'admin' } as const;
  const tags = ['Admin'];

  app.get('/api/project/', {
    config: { access: 'read' },
    schema: {
      summary: 'The project of the key',
      description: 'Its type decides between margin and performance. All days are in its timezone.',
      tags: ['Projects'],
      response: { 200: theProject('The project.') },
    },
    handler: async (request) => toProjectWire(projectOf(request)),
  });

  app.post('/admin/projects/', {
    config,
    schema: {
      summary: 'Make a project',
      description: 'A project has its own clients, keys, prices and data. Its type never changes.',
      tags,
      body: z
        .strictObject({
          name,
          type: z.enum(['revenue', 'internal']).default('revenue'),
          timezone: timezone.default('UTC'),
          at_risk_below_pct: atRisk.default(null),
          retention_days: retention.default(null),
          keep_content: keepContent.default(false),
          join_alike: joinAlike.default(true),
          tag_dimensions: tagDimensions.default([]),
        })
        .meta({ examples: [{ name: 'Support bot', type: 'internal', timezone: 'Europe/Berlin' }] }),
      response: { 201: theProject('The new project.') },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const { name, type, timezone, at_risk_below_pct: atRiskBelowPct, retention_days: retentionDays } = body;
      const settings = {
        atRiskBelowPct,
        retentionDays,
        keepContent: body.keep_content,
        joinAlike: body.join_alike,
        tagDimensions: body.tag_dimensions,
      };
      const project = await projects.create({ name, type, timezone, ...settings }, priceBooks);
      return reply.code(201).send(toProjectWire(project));
    },
  });
  app.get('/admin/projects/', {
    config,
    schema: {
      summary: 'All projects',
      description: 'The projects that are not deleted, oldest first.',
      tags,
      response: { 200: listAnswer('projects', projectFields, 'The projects.', exampleProject) },
    },
    handler: async () => ({ projects: (await projects.list()).map(toProjectWire) }),
  });
  app.get('/admin/projects/:id/', {
    config: { ...config, role: 'viewer', roleIn: 'path' },
    schema: {
      summary: 'A project',
      description: '`pending_timezone` is the new timezone while the days are being rebuilt for it.',
      tags,
      params: inProject,
      response: { 200: theProject('The project.') },
    },
    handler: async (request) => toProjectWire(await findProject(projects, request.params.id)),
  });
  app.patch('/admin/projects/:id/', {
    config: { ...config, role: 'owner', roleIn: 'path' },
    schema: {
      summary: 'Change a project',
      description:
        'The type never changes. A new timezone rebuilds the days of the project and is `pending_timezone` until that is done. ' +
        '`retention_days` deletes events and calls of older days for good; `kept_from` is the first day left. A longer ' +
        'retention brings none back.',
      tags,
      params: inProject,
      body: z
        .strictObject({
          name: name.optional(),
          timezone: timezone.optional(),
          at_risk_below_pct: atRisk.optional(),
          retention_days: retention.optional(),
          keep_content: keepContent.optional(),
          join_alike: joinAlike.optional(),
          tag_dimensions: tagDimensions.optional(),
        })
        .meta({ examples: [{ name: 'Support bot', at_risk_below_pct: 20 }] }),
      response: {
        200: theProject('The changed project.'),
        409: problemWith().describe(
          'A change to another timezone is pending, or some days have only totals left, which cannot be moved.',
        ),
      },
    },
    handler: async (request) => {
      const project = await findProject(projects, request.params.id);
      const { body } = request;
      // The timezone comes first, because it may be refused, and then nothing must have changed.
      if (body.timezone !== undefined) await options.changeTimezone(project.id, body.timezone);
      // Flushes first, so that the days that freeze count every event acknowledged before.
      if (body.retention_days !== undefined) await options.flush();
      await projects.change(project.id, {
        name: body.name,
        atRiskBelowPct: body.at_risk_below_pct,
        retentionDays: body.retention_days,
        keepContent: body.keep_content,
        joinAlike: body.join_alike,
        tagDimensions: body.tag_dimensions,
      });
      return toProjectWire(await findProject(projects, project.id));
    },
  });
  app.delete('/admin/projects/:id/', {
    config,
    schema: {
      summary: 'Delete a project with all its data',
      description:
        'Its keys and clients stop working at once, and its data is deleted soon after. Its id is never reused.',
      tags,
      params: inProject,
      response: { 204: z.null().describe('Deleted.') },
    },
    handler: async (request, reply) => {
      // Flushes first, so that the purge finds every event acknowledged before.
      await options.flush();
      if (!(await projects.delete(request.params.id))) throw new Problem('not_found', `${noProject}.`);
      clients.forgetAll();
      return reply.code(204).send(null);
    },
  });
}
