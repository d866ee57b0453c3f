import { Command, Option } from 'commander';
import type { DriftGroup } from '../billing/closes/drift/drift-part.ts';
import type { DriftPage } from '../billing/closes/drift/routes.ts';
import type { ClosesPage, CloseWire } from '../billing/closes/routes.ts';
import { CommandError, pathStep, readPages, toQuery } from './api.ts';
import { orDash, printDone, printJson, printTable, toDollars } from './print.ts';
import { openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

interface CreateOptions extends ProjectOptions {
  readonly note?: string;
}

interface DriftOptions extends ProjectOptions {
  readonly from?: string;
  readonly to?: string;
  readonly groupBy?: DriftGroup;
  readonly includeShared?: boolean;
}

const path = (id: string): string => `/api/closes/${pathStep(id)}/`;

export function closesCommand(): Command {
  const closes = new Command('closes').description(
    'Close days, so that their numbers stay as they are, and show what has changed since.',
  );
  const command = projectCommandsOf(closes);
  command('list', 'List the closes of a project, newest first.', 'farthing closes list', { isDefault: true }).action(
    listCloses,
  );
  command(
    'create <through>',
    'Close all days up to and including this one, which must be over.',
    'farthing closes create 2026-10-31 --note "October"',
  )
    .option('--note <text>', 'what it is closed for')
    .action(createClose);
  command(
    'drift <id>',
    'Show what has changed since a close, by day, customer and cause.',
    'farthing closes drift cls_… --from 2026-10-01',
  )
    .option('--from <day>', 'first day; default: the first of the close')
    .option('--to <day>', 'last day; default: the last of the close')
    .addOption(new Option('--group-by <dimension>', 'subtotals over all days').choices(['cause', 'customer']))
    .option('--include-shared', 'with shared costs')
    .action(showDrift);
  command(
    'delete <id>',
    'Delete the latest close: its days are no longer closed.',
    'farthing closes delete cls_… --yes',
  )
    .option('--yes', 'confirm the deletion')
    .action(deleteClose);
  return closes;
}

async function listCloses(options: ProjectOptions): Promise<void> {
  const { api } = await openProject(options);
  const closes: CloseWire[] = [];
  for await (const page of readPages((after) => api.get<ClosesPage>(`/api/closes/?${toQuery(after)}`)))
    closes.push(...page.closes);
  if (options.json) return printJson({ closes });
  printCloses(closes);
}

async function createClose(through: string, options: CreateOptions): Promise<void> {
  const { api } = await openProject(options);
  const made = await api.post<CloseWire>('/api/closes/', { through, note: options.note });
  if (options.json) return printJson(made);
  printCloses([made]);
}

const printCloses = (closes: readonly CloseWire[]): void =>
  printTable(
    ['id', 'through', 'closed', 'timezone', 'days', 'note'],
    closes.map(({ id, through, created_at, timezone, days, note }) => [
      id,
      through,
      created_at,
      timezone,
      String(days),
      orDash(note),
    ]),
  );

async function showDrift(id: string, options: DriftOptions): Promise<void> {
  const { api } = await openProject(options);
  const { from, to, groupBy, includeShared } = options;
  const rows: DriftPage['rows'] = [];
  let totals: DriftPage['totals'] = { cost: 0, revenue: 0, credits: 0 };
  const question = { date_from: from, date_to: to, group_by: groupBy, include_shared: includeShared };
  for await (const page of readPages((after) => api.post<DriftPage>(`${path(id)}drift/`, { ...question, ...after }))) {
    rows.push(...page.rows);
    totals = page.totals;
  }
  if (options.json) return printJson({ rows, totals });
  const fields = ['cost', 'revenue', 'credits', ...(includeShared ? (['shared_cost'] as const) : [])] as const;
  const amounts = (row: Pick<DriftPage['rows'][number], keyof DriftPage['totals']>) =>
    fields.map((field) => toDollars(row[field] ?? null));
  const spell = ({ cause, ...row }: DriftPage['rows'][number]) => ({ ...row, cause: cause?.replace('_', ' ') });
  const names = groupBy === undefined ? (['day', 'customer', 'cause'] as const) : [groupBy];
  printTable(
    [...names, ...fields.map((field) => field.replace('_', ' '))],
    [
      ...rows.map((row) => [...names.map((name) => orDash(spell(row)[name] || null)), ...amounts(row)]),
      ['total', ...names.slice(1).map(() => ''), ...amounts(totals)],
    ],
  );
}

async function deleteClose(id: string, options: ProjectOptions & { readonly yes?: boolean }): Promise<void> {
  if (!options.yes) {
    throw new CommandError(`This deletes ${id} for good: no answer can be as of it any more. Add --yes to do it.`);
  }
  const { api } = await openProject(options);
  await api.delete(path(id));
  printDone(options, `Deleted ${id}.`);
}
