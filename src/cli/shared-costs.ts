import { Command } from 'commander';
import { CsvError } from 'csv-parse';
import { parse as parseCsv } from 'csv-parse/sync';
import { maxEntries } from '../billing/revenue/parse.ts';
import type { SharedCostsPage } from '../billing/shared-costs/routes.ts';
import { chunksOf } from '../lib/chunks.ts';
import { CommandError, pathStep, readPages, toQuery } from './api.ts';
import { parseJsonFile, readTextFile } from './files.ts';
import { printDone, printJson, printTable, toCount, toDollars } from './print.ts';
import { openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

type RangeOptions = ProjectOptions & { readonly from?: string; readonly to?: string };

export function sharedCostsCommand(): Command {
  const sharedCosts = new Command('shared-costs').description(
    'Keep costs that do not depend on calls, such as GPUs, for answers with --include-shared.',
  );
  const command = projectCommandsOf(sharedCosts);
  command(
    'import <file>',
    'Store shared costs from a file: JSON as the API takes it, or a CSV.',
    `farthing shared-costs import november.csv

A CSV has a line of names and a line for each entry. The columns are external_id, name, amount in USD, date_from, date_to
and allocate_by (cost, calls, tokens, output_tokens, elapsed); providers, models and features may be left out, and have
several values with | between them. Importing it again replaces its entries.`,
  ).action(importSharedCosts);
  command('list', 'List the shared costs.', 'farthing shared-costs list --from 2026-11-01', { isDefault: true })
    .option('--from <day>', 'only entries with a day on or after this one')
    .option('--to <day>', 'only entries with a day on or before this one')
    .action(listSharedCosts);
  command('delete <external_id>', 'Delete a shared cost.', 'farthing shared-costs delete gpu-1-2026-11').action(
    async (id: string, options: ProjectOptions) => {
      const { api } = await openProject(options);
      await api.delete(`/api/shared-costs/${pathStep(id)}/`);
      printDone(options, 'Deleted.');
    },
  );
  return sharedCosts;
}

async function importSharedCosts(file: string, options: ProjectOptions): Promise<void> {
  const text = readTextFile(file);
  const entries = /^\s*[[{]/.test(text) ? readJson(file, text) : readCsv(file, text);
  if (entries.length === 0) throw new CommandError(`There is no entry in ${file}.`);
  const { api } = await openProject(options);
  for (const chunk of chunksOf(entries, maxEntries)) {
    await api.post('/api/shared-costs/', { entries: chunk });
  }
  if (options.json) return printJson({ stored: entries.length });
  console.log(`${toCount(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'} stored.`);
}

/** A list, or an object with `entries`. The service says what is wrong with an entry. */
function readJson(file: string, text: string): readonly unknown[] {
  const read = parseJsonFile(file, text);
  const entries: unknown = Array.isArray(read) ? read : Object(read).entries;
  if (!Array.isArray(entries)) throw new CommandError(`${file} has no list of entries.`);
  return entries;
}

const filters: ReadonlySet<string> = new Set(['providers', 'models', 'features']);

/** The entries of the lines. A cell of a filter is a part of the scope; an empty one is left out. */
function readCsv(file: string, text: string): readonly unknown[] {
  let lines: Record<string, string>[];
  try {
    lines = parseCsv(text, { bom: true, columns: true, trim: true, skip_empty_lines: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(`${file} is not CSV: ${error.message}`);
  }
  return lines.map((line) => {
    const cells = Object.entries(line).filter(([, cell]) => cell !== '');
    const scope = cells.flatMap(([name, cell]) => (filters.has(name) ? [[name, cell.split('|')] as const] : []));
    const fields = cells.filter(([name]) => !filters.has(name));
    return { ...Object.fromEntries(fields), ...(scope.length > 0 && { scope: Object.fromEntries(scope) }) };
  });
}

async function listSharedCosts(options: RangeOptions): Promise<void> {
  const { api } = await openProject(options);
  const entries: SharedCostsPage['rows'] = [];
  const range = { date_from: options.from, date_to: options.to };
  const ask = (after: object) => api.get<SharedCostsPage>(`/api/shared-costs/?${toQuery({ ...range, ...after })}`);
  for await (const page of readPages(ask)) entries.push(...page.rows);
  if (options.json) return printJson({ entries });
  printTable(
    ['id', 'name', 'from', 'to', 'amount', 'by', 'scope'],
    entries.map((entry) => [
      entry.external_id,
      entry.name,
      entry.date_from,
      entry.date_to,
      toDollars(entry.amount),
      entry.allocate_by,
      describeScope(entry.scope),
    ]),
  );
}

function describeScope({ tags = {}, ...named }: SharedCostsPage['rows'][number]['scope']): string {
  const parts = [...Object.entries(named), ...Object.entries(tags)].map(
    ([name, values = []]) => `${name}: ${values.join(', ')}`,
  );
  return parts.length === 0 ? 'all calls' : parts.join('; ');
}
