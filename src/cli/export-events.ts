import type { Command } from 'commander';
import type { ProjectWire } from '../accounts/project-record.ts';
import { addDays, isDay, startOfDay } from '../lib/days.ts';
import type { AdminApi } from './api.ts';
import { exportRows, formatOption } from './export-rows.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface ExportEventsOptions extends ProjectOptions {
  readonly from?: string;
  readonly to?: string;
  readonly format?: string;
  readonly out?: string;
}

export function addExportEvents(parent: Command): void {
  asProjectCommand(
    parent
      .command('events')
      .description(
        'Write the events as posted, one per line (NDJSON), in order of receipt. ' +
          'farthing import can read the file.',
      )
      .option('--from <time>', 'first day of receipt, in the timezone of the project, or a time (inclusive)')
      .option('--to <time>', 'last day of receipt, or a time (exclusive; default: now)')
      .addOption(formatOption('ndjson'))
      .option('--out <file>', 'the file to write (default: standard output)')
      .action(exportEvents),
    'farthing export events --from 2026-10-01 --out events.ndjson',
  );
}

async function exportEvents({ format = 'ndjson', out, ...options }: ExportEventsOptions): Promise<void> {
  const { api } = await openProject(options);
  await exportRows(
    api,
    { method: 'GET', path: '/api/events/', fields: await toFields(options, api) },
    { format, file: out, noun: 'events' },
  );
}

async function toFields({ from, to }: ExportEventsOptions, api: AdminApi) {
  const { timezone } = await api.get<ProjectWire>('/api/project/');
  const toInstant = (text: string, daysLater: number) =>
    isDay(text) ? new Date(startOfDay(timezone, addDays(text, daysLater))).toISOString() : text;
  return {
    order: 'oldest',
    from: from === undefined ? undefined : toInstant(from, 0),
    to: to === undefined ? await readNow(api) : toInstant(to, 1),
  };
}

/** A time just after the newest possible event, so that the export ends while events keep arriving. */
async function readNow(api: AdminApi): Promise<string> {
  const { headers } = await api.getText('/api/events/?limit=1', 'application/json');
  return new Date(Date.parse(headers.get('farthing-as-of') ?? '') + 1).toISOString();
}
