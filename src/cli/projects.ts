import { Command, Option } from 'commander';
import { AdminApi, type AdminOptions, asAdminCommand, CommandError } from './api.ts';
import { printJson, printTable } from './print.ts';

interface Project {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly timezone: string;
  readonly at_risk_below_pct: number | null;
  readonly created_at: string;
}

const head = ['id', 'name', 'type', 'timezone', 'created'];
const toRow = (project: Project) => [project.id, project.name, project.type, project.timezone, project.created_at];

interface CreateOptions extends AdminOptions {
  readonly type: string;
  readonly timezone: string;
}

/** `farthing projects`: list, create, delete. */
export function projectsCommand(): Command {
  const projects = new Command('projects').description('List, make and delete projects.');
  asAdminCommand(
    projects
      .command('list', { isDefault: true })
      .description('List the projects.')
      .action(async (options: AdminOptions) => {
        const answer = await new AdminApi(options).get<{ projects: Project[] }>('/admin/projects/');
        if (options.json) printJson(answer);
        else printTable(head, answer.projects.map(toRow));
      }),
    'farthing projects list',
  );
  asAdminCommand(
    projects
      .command('create <name>')
      .description('Make a project.')
      .addOption(
        new Option('--type <type>', 'what its cost is held against')
          .choices(['revenue', 'internal'])
          .default('revenue'),
      )
      .option('--timezone <name>', 'whose days it counts in (IANA)', 'UTC')
      .action(async (name: string, options: CreateOptions) => {
        const body = { name, type: options.type, timezone: options.timezone };
        const project = await new AdminApi(options).post<Project>('/admin/projects/', body);
        if (options.json) printJson(project);
        else printTable(head, [toRow(project)]);
      }),
    'farthing projects create "Support bot" --type internal --timezone Europe/Berlin',
  );
  asAdminCommand(
    projects
      .command('delete <id>')
      .description('Delete a project with all its data, for good.')
      .option('--yes', 'really delete it')
      .action(async (id: string, options: AdminOptions & { readonly yes?: boolean }) => {
        if (!options.yes) throw new CommandError(`This deletes ${id} with all its data, for good. Add --yes to do it.`);
        await new AdminApi(options).delete(`/admin/projects/${encodeURIComponent(id)}/`);
        if (options.json) printJson({ ok: true });
        else console.log(`Deleted ${id}.`);
      }),
    'farthing projects delete prj_01K9ZQ6T7XWJ4M2B8N3V5C1D0E --yes',
  );
  return projects;
}
