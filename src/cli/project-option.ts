import type { Command, CommandOptions } from 'commander';
import type { ProjectWire } from '../accounts/project-record.ts';
import { AdminApi, type AdminOptions, asAdminCommand, CommandError } from './api.ts';
import { calledAs } from './called-as.ts';

export interface ProjectOptions extends AdminOptions {
  readonly project?: string;
}

/** Adds `--project` to the options of every admin command. */
export const asProjectCommand = (command: Command, example: string): Command =>
  asAdminCommand(command.option('--project <id>', 'the project (default: the only one)'), example);

/** Adds commands of a project to a group: what is typed, what it does, and an example for its help. */
export const projectCommandsOf =
  (group: Command) =>
  (usage: string, description: string, example: string, options?: CommandOptions): Command =>
    asProjectCommand(group.command(usage, options).description(description), example);

/** The same for commands of the instance. */
export const adminCommandsOf =
  (group: Command) =>
  (usage: string, description: string, example: string, options?: CommandOptions): Command =>
    asAdminCommand(group.command(usage, options).description(description), example);

const mostListed = 10;

/**
 * The given project, or the only one there is.
 * @throws CommandError that lists the projects when there are several
 */
async function resolveProject(api: AdminApi, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { projects } = await api.get<{ projects: readonly ProjectWire[] }>('/admin/projects/');
  const [first, ...others] = projects;
  if (first === undefined) throw new CommandError(`There is no project: make one with ${calledAs} projects create.`);
  if (others.length === 0) return first.id;
  const listed = projects.slice(0, mostListed).map(({ id, name }) => `${id} (${name})`);
  const more =
    projects.length > mostListed ? ` and ${projects.length - mostListed} more (${calledAs} projects list)` : '';
  throw new CommandError(`Choose a project with --project: ${listed.join(', ')}${more}.`);
}

/** The project of the options, and an API for its API-key routes. */
export async function openProject(options: ProjectOptions): Promise<{ readonly id: string; readonly api: AdminApi }> {
  const api = new AdminApi(options);
  const id = await resolveProject(api, options.project);
  return { id, api: api.ofProject(id) };
}
