import { Command, Option } from 'commander';
import type { AuditEntryWire } from '../accounts/audit/routes.ts';
import { actorKinds } from '../lib/actor.ts';
import { auditKinds } from '../storage/control/audit/tables-by-name.ts';
import { AdminApi, asAdminCommand, pathStep, toQuery } from './api.ts';
import { orDash, printJson, printTable } from './print.ts';
import type { ProjectOptions } from './project-option.ts';

interface AuditOptions extends ProjectOptions {
  readonly actor?: string;
  readonly who?: string;
  readonly kind?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: string;
}

export const auditCommand = (): Command =>
  asAdminCommand(
    new Command('audit')
      .description('Show who changed what, newest first, in a project or in all.')
      .option('--project <id>', 'only this project; default: all, and the whole service')
      .addOption(new Option('--actor <kind>', 'only changes by one of this kind').choices([...actorKinds]))
      .option('--who <name>', 'only changes by the one with this id or name')
      .addOption(new Option('--kind <kind>', 'only changes of this kind').choices([...auditKinds]))
      .option('--subject <id>', 'only changes of the subject with this id, name or e-mail address')
      .option('--from <time>', 'only changes from this time on, such as 2026-12-01T00:00:00Z')
      .option('--to <time>', 'only changes before this time')
      .option('--limit <count>', 'how many at most, 1 to 1000', '50')
      .action(showEntries),
    'farthing audit --kind price',
  );

async function showEntries(options: AuditOptions): Promise<void> {
  const { project: project_id, actor, who, kind, subject, from, to, limit } = options;
  const query = toQuery({ project_id, actor, who, kind, subject, from, to, limit });
  const api = new AdminApi(options);
  const page = await api.get<{ entries: AuditEntryWire[] }>(`/admin/audit/?${query}`);
  // A deleted project has entries still. Of an unknown one, the answer would be empty: this one refuses it.
  if (page.entries.length === 0 && project_id !== undefined) await api.get(`/admin/projects/${pathStep(project_id)}/`);
  if (options.json) return printJson(page);
  printTable(
    ['time', 'who', 'from', 'what', 'subject', 'before', 'after'],
    page.entries.map(
      ({ at, actor, actor_id, actor_name, address, action, kind, subject, subject_name, before, after }) => [
        at,
        actor_name ?? actor_id ?? actor,
        orDash(address),
        `${kind} ${action}`,
        subject_name ?? subject,
        toText(before),
        toText(after),
      ],
    ),
  );
}

const mostText = 60;

function toText(fields: Readonly<Record<string, unknown>> | null): string {
  const text = Object.entries(fields ?? {})
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  return text.length <= mostText ? text : `${text.slice(0, mostText)}…`;
}
