import { z } from 'zod';
import { noProject, Problem } from '../lib/problem.ts';
import { pathId } from '../lib/tag-map.ts';
import { timeField, toTime } from '../lib/times.ts';
import type { Project, Projects } from './projects.ts';

export const projectFields = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(['revenue', 'internal']).describe('`revenue` projects have margin, `internal` ones performance.'),
  timezone: z.string().describe('IANA name. Days and periods of the project are in this timezone.'),
  pending_timezone: z
    .string()
    .nullable()
    .describe('The new timezone while the days are being rebuilt for it; otherwise null.'),
  at_risk_below_pct: z.number().nullable().describe('Percent: a positive margin below it is at risk; null for never.'),
  retention_days: z
    .number()
    .int()
    .nullable()
    .describe('How many days before today events and calls are kept; null for ever. Totals are always kept.'),
  keep_content: z
    .boolean()
    .describe('Whether the prompts and answers in OpenTelemetry spans and log records are stored.'),
  join_alike: z
    .boolean()
    .describe('Whether reports of calls that share no id are joined where process, model, output and time are alike.'),
  tag_dimensions: z
    .array(z.string())
    .describe(
      'Tags of calls whose sums are kept as those of features are, so that questions grouped by them are as fast.',
    ),
  kept_from: z
    .string()
    .nullable()
    .meta({ format: 'date' })
    .describe('The first day whose events and calls are kept, if earlier days have only totals; otherwise null.'),
  created_at: timeField,
});

export type ProjectWire = z.output<typeof projectFields>;

export const exampleProject = {
  id: 'prj_01M7Y940TE0DJ7PP5H8R39FNVH',
  name: 'Support bot',
  type: 'internal',
  timezone: 'Europe/Berlin',
  pending_timezone: null,
  at_risk_below_pct: null,
  retention_days: 400,
  keep_content: false,
  join_alike: true,
  tag_dimensions: ['env'],
  kept_from: null,
  created_at: '2026-11-21T05:26:29.966Z',
};

export const toProjectWire = (project: Project) => ({
  id: project.id,
  name: project.name,
  type: project.type,
  timezone: project.timezone,
  pending_timezone: project.pendingTimezone,
  at_risk_below_pct: project.atRiskBelowPct,
  retention_days: project.retentionDays,
  keep_content: project.keepContent,
  join_alike: project.joinAlike,
  tag_dimensions: [...project.tagDimensions],
  kept_from: project.keptFrom,
  created_at: toTime(project.createdAt),
});

/** The path of routes under `/admin/projects/{id}/`. */
export const inProject = z.object({
  id: pathId.describe('The id of the project.').meta({ examples: [exampleProject.id] }),
});

/** @throws Problem `not_found` */
export async function findProject(projects: Projects, id: string): Promise<Project> {
  const project = await projects.find(id);
  if (!project) throw new Problem('not_found', `${noProject}.`);
  return project;
}
