import type { Command } from 'commander';
import { addDays, isDay, startOfDay } from '../lib/days.ts';
import type { AdminApi } from './api.ts';
import { writeTo } from './output.ts';
import { toCount } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface ExportEventsOptions extends ProjectOptions {
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
}

const pageEvents = 1_000;

/** `farthing export events`: writes the events as posted, in order of receipt. */
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
      .option('--out <file>', 'the file to write (default: standard output)')
      .action(exportEvents),
    'farthing export events --from 2026-10-01 --out events.ndjson',
  );
}

async function exportEvents(options: ExportEventsOptions): Promise<void> {
  const { api } = await openProject(options);
  const query = await toQuery(options, api);
  const readPage = async (cursor: string | null) => {
    const asked = new URLSearchParams({ ...query, ...(cursor !== null && { cursor }) });
    const { text, headers } = await api.getText(`/api/events/?${asked}`, 'application/x-ndjson');
    return { text, next: headers.get('farthing-next-cursor') };
  };
  // Read before opening the file, so that a refused request leaves no file.
  let page = await readPage(null);
  let written = 0;
  await writeTo(options.out, async (output) => {
    for (;;) {
      await output.write(page.text);
      written += countLines(page.text);
      if (page.next === null) break;
      page = await readPage(page.next);
    }
  });
  if (options.out !== undefined) console.error(`Wrote ${toCount(written)} events to ${options.out}.`);
}

async function toQuery({ from, to }: ExportEventsOptions, api: AdminApi): Promise<Record<string, string>> {
  const { timezone } = await api.get<{ timezone: string }>('/api/project/');
  const toInstant = (text: string, daysLater: number) =>
    isDay(text) ? new Date(startOfDay(timezone, addDays(text, daysLater))).toISOString() : text;
  return {
    order: 'oldest',
    limit: String(pageEvents),
    ...(from !== undefined && { from: toInstant(from, 0) }),
    to: to === undefined ? await readNow(api) : toInstant(to, 1),
  };
}

/** A time just after the newest possible event, so that the export ends while events keep arriving. */
async function readNow(api: AdminApi): Promise<string> {
  const { headers } = await api.getText('/api/events/?limit=1', 'application/x-ndjson');
  return new Date(Date.parse(headers.get('farthing-as-of') ?? '') + 1).toISOString();
}

const countLines = (text: string): number => text.split('\n').length - 1;
