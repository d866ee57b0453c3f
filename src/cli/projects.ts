import { Command, Option } from 'commander';
import type { ProjectWire } from '../accounts/project-record.ts';
import { AdminApi, type AdminOptions, CommandError, pathStep } from './api.ts';
import { poll } from './follow.ts';
import { printDone, printJson, printTable } from './print.ts';
import { adminCommandsOf } from './project-option.ts';

const head = ['id', 'name', 'type', 'timezone', 'at risk below', 'keeps', 'contents', 'created'];
const toRow = (project: ProjectWire) => [
  project.id,
  project.name,
  project.type,
  project.pending_timezone === null ? project.timezone : `${project.timezone}, soon ${project.pending_timezone}`,
  project.at_risk_below_pct === null ? '–' : `${project.at_risk_below_pct}%`,
  project.retention_days === null ? 'all' : `${project.retention_days} days`,
  project.keep_content ? 'kept' : 'dropped',
  project.created_at,
];

interface CreateOptions extends AdminOptions {
  readonly type: string;
  readonly timezone: string;
  readonly retentionDays?: string;
  readonly keepContent?: boolean;
}

interface ChangeOptions extends AdminOptions {
  readonly name?: string;
  readonly timezone?: string;
  readonly atRiskBelowPct?: string;
  readonly retentionDays?: string;
  readonly keepContent?: boolean;
  readonly joinAlike?: boolean;
  readonly tagDimensions?: string;
  readonly yes?: boolean;
  readonly wait: boolean;
}

export function projectsCommand(): Command {
  const projects = new Command('projects').description('List, make, change and delete projects.');
  const adminCommand = adminCommandsOf(projects);
  adminCommand('list', 'List the projects.', 'farthing projects list', { isDefault: true }).action(
    async (options: AdminOptions) => {
      const answer = await new AdminApi(options).get<{ projects: ProjectWire[] }>('/admin/projects/');
      if (options.json) printJson(answer);
      else printTable(head, answer.projects.map(toRow));
    },
  );
  adminCommand(
    'create <name>',
    'Make a project.',
    'farthing projects create "Support bot" --type internal --timezone Europe/Berlin',
  )
    .addOption(
      new Option('--type <type>', 'revenue (margin by customer) or internal (key metrics by user)')
        .choices(['revenue', 'internal'])
        .default('revenue'),
    )
    .option('--timezone <name>', 'timezone of its days (IANA name)', 'UTC')
    .option('--retention-days <number>', 'how many days to keep events and calls; none for ever', 'none')
    .option('--keep-content', 'store the prompts and answers that OpenTelemetry carries')
    .action(async (name: string, options: CreateOptions) => {
      const retention = parseRetention(options.retentionDays ?? 'none');
      const { type, timezone, keepContent = false } = options;
      const body = { name, type, timezone, retention_days: retention, keep_content: keepContent };
      const project = await new AdminApi(options).post<ProjectWire>('/admin/projects/', body);
      if (options.json) printJson(project);
      else printTable(head, [toRow(project)]);
    });
  adminCommand(
    'change <id>',
    'Change a project. A new timezone takes effect when the days have been rebuilt for it.',
    'farthing projects change prj_… --timezone Asia/Kolkata',
  )
    .option('--name <name>', 'name of the project')
    .option('--timezone <name>', 'timezone of its days (IANA name)')
    .option('--at-risk-below-pct <number>', 'a positive margin below this percentage is at risk; none for never')
    .option('--retention-days <number>', 'how many days to keep events and calls; none for ever')
    .option('--keep-content', 'store the prompts and answers that OpenTelemetry carries')
    .option('--no-keep-content', 'drop prompts and answers before they are stored; what is stored stays')
    .option('--join-alike', 'join reports of a request that share no id, if they are alike')
    .option('--no-join-alike', 'leave them apart')
    .option(
      '--tag-dimensions <keys>',
      'tags of calls to roll up, separated by commas, for fast answers by them; none for none',
    )
    .option('--yes', 'confirm that events and calls of older days are deleted')
    .option('--no-wait', 'do not wait until a new timezone takes effect')
    .action(changeProject);
  adminCommand('delete <id>', 'Delete a project with all its data, for good.', 'farthing projects delete prj_… --yes')
    .option('--yes', 'confirm the deletion')
    .action(async (id: string, options: AdminOptions & { readonly yes?: boolean }) => {
      if (!options.yes) throw new CommandError(`This deletes ${id} with all its data, for good. Add --yes to do it.`);
      await new AdminApi(options).delete(`/admin/projects/${pathStep(id)}/`);
      printDone(options, `Deleted ${id}.`);
    });
  return projects;
}

async function changeProject(id: string, options: ChangeOptions): Promise<void> {
  const { name, timezone, atRiskBelowPct, retentionDays, keepContent, joinAlike, tagDimensions, wait, yes } = options;
  const given = [name, timezone, atRiskBelowPct, retentionDays, keepContent, joinAlike, tagDimensions];
  if (given.every((value) => value === undefined)) {
    throw new CommandError(
      'Give something to change: --name, --timezone, --at-risk-below-pct, --retention-days, --keep-content, --join-alike or --tag-dimensions.',
    );
  }
  const retention = retentionDays === undefined ? undefined : parseRetention(retentionDays);
  if (typeof retention === 'number' && !yes) {
    throw new CommandError(
      `This deletes the events and calls of ${id} that are older than ${retention} days, for good; their totals are kept. Add --yes to do it.`,
    );
  }
  const body = {
    ...{ name, timezone, retention_days: retention, keep_content: keepContent, join_alike: joinAlike },
    ...(tagDimensions !== undefined && {
      tag_dimensions: tagDimensions === 'none' ? [] : tagDimensions.split(',').map((key) => key.trim()),
    }),
    ...(atRiskBelowPct !== undefined && { at_risk_below_pct: parsePercentage(atRiskBelowPct) }),
  };
  const api = new AdminApi(options);
  const path = `/admin/projects/${pathStep(id)}/`;
  let project = await api.patch<ProjectWire>(path, body);
  if (wait && project.pending_timezone !== null) {
    const wanted = project.pending_timezone;
    if (process.stderr.isTTY) console.error(`The days are being rebuilt for ${wanted}…`);
    project = await poll(
      () => api.get<ProjectWire>(path),
      ({ pending_timezone: pending }) => pending === null,
    );
    if (project.timezone !== wanted) {
      throw new CommandError(
        `The days could not be rebuilt for ${wanted}; the timezone is still ${project.timezone}. The service's log has the cause.`,
      );
    }
  }
  if (options.json) printJson(project);
  else printTable(head, [toRow(project)]);
}

function parseRetention(text: string): number | null {
  if (text === 'none') return null;
  if (!/^\d+$/.test(text)) throw new CommandError(`--retention-days must be a whole number or none, not ${text}.`);
  return Number(text);
}

function parsePercentage(text: string): number | null {
  if (text === 'none') return null;
  const percentage = Number(text);
  if (text.trim() === '' || !Number.isFinite(percentage))
    throw new CommandError(`--at-risk-below-pct must be a number or none, not ${text}.`);
  return percentage;
}
