import { Command } from 'commander';
import { pathStep } from './api.ts';
import { follow } from './follow.ts';
import { printJson, printTable, toDollars } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface Rebuild {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  readonly progress: number;
  readonly failure: string | null;
  readonly before: number | null;
  readonly after: number | null;
}

interface RebuildOptions extends ProjectOptions {
  readonly wait: boolean;
}

/** `farthing rebuild`: rebuilds all calls of a project from its events. */
export function rebuildCommand(): Command {
  return asProjectCommand(
    new Command('rebuild')
      .description('Rebuild all calls of a project from its events. The numbers stay, unless something was wrong.')
      .option('--no-wait', 'queue it and exit')
      .action(runRebuild),
    'farthing rebuild --project prj_…',
  );
}

async function runRebuild(options: RebuildOptions): Promise<void> {
  const { id: project, api } = await openProject(options);
  const path = `/admin/projects/${pathStep(project)}/rebuilds/`;
  const { id } = await api.post<{ id: string }>(path);
  if (!options.wait) {
    if (options.json) printJson({ id });
    else console.log(`Queued the rebuild ${id}.`);
    return;
  }
  const rebuild = await follow('rebuild', () => api.get<Rebuild>(`${path}${pathStep(id)}/`));
  if (options.json) printJson(rebuild);
  else printTable(['rebuild', 'before', 'after'], [[id, toDollars(rebuild.before), toDollars(rebuild.after)]]);
}
