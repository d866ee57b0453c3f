import { Command } from 'commander';
import type { RebuildWire } from '../server/operations/rebuild-routes.ts';
import { CommandError, pathStep } from './api.ts';
import { printCauses } from './difference.ts';
import { follow } from './follow.ts';
import { printJson, printTable, toDollars } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface RebuildOptions extends ProjectOptions {
  readonly wait: boolean;
  readonly reread?: boolean;
  readonly apply?: boolean;
}

export function rebuildCommand(): Command {
  return asProjectCommand(
    new Command('rebuild')
      .description(
        'Rebuild all calls of a project from its events. The numbers stay the same unless something was wrong.',
      )
      .option(
        '--reread',
        'read the stored texts of all events again, as this release understands them; nothing changes without --apply',
      )
      .option('--apply', 'with --reread: put the new numbers in force')
      .option('--no-wait', 'do not wait until it is done')
      .action(runRebuild),
    'farthing rebuild',
  );
}

async function runRebuild(options: RebuildOptions): Promise<void> {
  if (options.apply && !options.reread) throw new CommandError('--apply goes with --reread: a rebuild needs none.');
  const { id: project, api } = await openProject(options);
  const path = `/admin/projects/${pathStep(project)}/rebuilds/`;
  const body = options.reread ? { reread: true, dry_run: !options.apply } : undefined;
  const { id } = await api.post<Pick<RebuildWire, 'id'>>(path, body);
  if (!options.wait) {
    if (options.json) printJson({ id });
    else console.log(`Queued the rebuild ${id}.`);
    return;
  }
  const rebuild = await follow('rebuild', () => api.get<RebuildWire>(`${path}${pathStep(id)}/`));
  if (options.json) printJson(rebuild);
  else printRebuild(rebuild);
}

function printRebuild({ id, before, after, reread, dry_run: isDryRun, by_cause: causes }: RebuildWire): void {
  printTable(['rebuild', 'before', 'after'], [[id, toDollars(before), toDollars(after)]]);
  if (!reread) return;
  printCauses(causes);
  console.log(
    isDryRun
      ? 'Nothing has changed. Run the same command with --apply to put this in force.'
      : 'The new numbers are in force.',
  );
}
