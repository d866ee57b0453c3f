import { Command, Option } from 'commander';
import type { DecimalSign } from '../billing/invoices/files/amounts.ts';
import { type InvoiceSource, invoiceSources, readInvoiceFiles } from '../billing/invoices/files/read-file.ts';
import type { InvoiceWire } from '../billing/invoices/parse.ts';
import type { DeletedInvoicesWire, InvoicesPage } from '../billing/invoices/routes.ts';
import { maxEntries } from '../billing/revenue/parse.ts';
import { chunksOf } from '../lib/chunks.ts';
import { parseJson } from '../lib/json.ts';
import { parseMoney, toJsonNumber } from '../lib/money.ts';
import { type AdminApi, CommandError, pathStep, readPages, toCommandError, toQuery } from './api.ts';
import { checkFiles } from './files.ts';
import { orDash, printJson, printTable, toCount, toDollars } from './print.ts';
import { openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

interface ImportOptions extends ProjectOptions {
  readonly from: InvoiceSource;
  readonly provider?: string;
  readonly decimal?: DecimalSign;
  readonly replace?: boolean;
}

/** Which entries to list or delete. */
type RangeQuery = { readonly [F in 'provider' | 'from' | 'to']?: string | undefined };

export function invoicesCommand(): Command {
  const invoices = new Command('invoices').description('Keep the invoices of providers, which reconcile compares.');
  const command = projectCommandsOf(invoices);
  command(
    'import <file...>',
    'Store invoices from files: answers of a provider’s costs API, a cloud’s export in FOCUS, or a CSV.',
    `farthing invoices import --from openai-costs costs.json
  farthing invoices import --from focus export-1.csv export-2.csv
  farthing invoices import --from csv november.csv --provider openai

Give all files of a bill in FOCUS (1.0 to 1.4, CSV or Parquet) at once: their rows are added up by day and SKU.

A CSV has a line of names and a line for each entry. The columns are date (or date_from and date_to), amount in USD, and
provider; model, kind (usage, discount, credit, tax, other), description and external_id may be left out.
Commas, semicolons or tabs divide columns. A file with a fault stores nothing. Importing it again replaces its entries.`,
  )
    .addOption(new Option('--from <source>', 'what the files are').choices(invoiceSources).makeOptionMandatory())
    .option('--provider <name>', 'the provider of a CSV without this column')
    .addOption(
      new Option('--decimal <sign>', 'the decimal sign of a CSV that does not show it').choices(['point', 'comma']),
    )
    .option(
      '--replace',
      'delete earlier entries of the same source on the days of the files, unless the files have them',
    )
    .action(importInvoices);
  command('list', 'List the entries of invoices.', 'farthing invoices list --provider openai --from 2026-11-01', {
    isDefault: true,
  })
    .option('--provider <name>', 'only of this provider')
    .option('--from <day>', 'only entries with a day on or after this one')
    .option('--to <day>', 'only entries with a day on or before this one')
    .action(listInvoices);
  command(
    'delete [external_id]',
    'Delete one entry, or those of a provider within a range of days.',
    'farthing invoices delete --provider openai --from 2026-11-01 --to 2026-11-30',
  )
    .option('--provider <name>', 'of this provider')
    .option('--from <day>', 'the first day')
    .option('--to <day>', 'the last day')
    .action(deleteInvoices);
  return invoices;
}

const countEntries = (count: number): string => `${toCount(count)} ${count === 1 ? 'entry' : 'entries'}`;

const mostFaults = 50;

async function importInvoices(files: readonly string[], options: ImportOptions): Promise<void> {
  const { from: source, provider, decimal } = options;
  checkFiles(files);
  const { entries, faults, notes } = await readInvoiceFiles(source, files, { provider, decimal }).catch(
    toCommandError(`${files.join(', ')} cannot be read`),
  );
  for (const note of notes) console.error(note);
  if (faults.length > 0) {
    for (const fault of faults.slice(0, mostFaults)) console.error(fault);
    const more = faults.length > mostFaults ? `, of which ${mostFaults} are shown` : '';
    throw new CommandError(
      `Nothing was stored: the files have ${toCount(faults.length)} ${faults.length === 1 ? 'fault' : 'faults'}${more}.`,
    );
  }
  if (entries.length === 0) throw new CommandError(`There is no entry in ${files.join(', ')}.`);
  const { api } = await openProject(options);
  for (const chunk of chunksOf(entries, maxEntries)) {
    await api.post('/api/invoices/', { entries: chunk });
  }
  // Several CSV files may have entries of the same days. A bill, and pages of a costs API, have them all.
  const others = source === 'csv' && !options.replace ? [] : await findOthers(api, source, entries);
  if (options.replace) for (const id of others) await api.delete(`/api/invoices/${pathStep(id)}/`);
  const amount = entries.reduce((sum, entry) => sum + (parseMoney(entry.amount) ?? 0n), 0n);
  if (options.json) {
    const [deleted, left] = options.replace ? [others.length, 0] : [0, others.length];
    return printJson({ stored: entries.length, deleted, others: left });
  }
  console.log(`${countEntries(entries.length)} stored, ${toDollars(toJsonNumber(amount))} in all.`);
  if (others.length === 0) return;
  console.log(
    options.replace
      ? `Deleted ${countEntries(others.length)} of ${source} that these days had before.`
      : `These days have ${countEntries(others.length)} more of ${source}. If they are an earlier state of the same costs, these now count twice: import again with --replace.`,
  );
}

/** The ids of stored entries with the source, provider and first day of an imported entry that were not imported. */
async function findOthers(api: AdminApi, source: InvoiceSource, entries: readonly InvoiceWire[]): Promise<string[]> {
  const ids = new Set(entries.map(({ external_id: id }) => id));
  const days = entries.map(({ date_from: day }) => day).sort();
  const keyOf = ({ provider, date_from: day }: Pick<InvoiceWire, 'provider' | 'date_from'>) => `${day} ${provider}`;
  const imported = new Set(entries.map(keyOf));
  const others: string[] = [];
  for await (const entry of readAll(api, { from: days[0], to: days.at(-1) })) {
    const { external_id: id } = entry;
    if (id.startsWith(`${source}:`) && !ids.has(id) && imported.has(keyOf(entry))) others.push(id);
  }
  return others;
}

const toRange = ({ provider, from, to }: RangeQuery) => ({ provider, date_from: from, date_to: to });

async function* readAll(api: AdminApi, options: RangeQuery) {
  const ask = (after: object) => api.get<InvoicesPage>(`/api/invoices/?${toQuery({ ...toRange(options), ...after })}`);
  for await (const page of readPages(ask)) yield* page.rows;
}

async function listInvoices(options: ProjectOptions & RangeQuery): Promise<void> {
  const { api } = await openProject(options);
  const entries: InvoicesPage['rows'] = [];
  for await (const entry of readAll(api, options)) entries.push(entry);
  if (options.json) return printJson({ entries });
  printTable(
    ['id', 'provider', 'from', 'to', 'model', 'kind', 'amount', 'description'],
    entries.map((entry) => [
      entry.external_id,
      entry.provider,
      entry.date_from,
      entry.date_to,
      orDash(entry.model),
      entry.kind,
      toDollars(entry.amount),
      orDash(entry.description),
    ]),
  );
}

async function deleteInvoices(id: string | undefined, options: ProjectOptions & RangeQuery): Promise<void> {
  const { provider, from, to } = options;
  const isRange = provider !== undefined && from !== undefined && to !== undefined;
  if ((id === undefined) !== isRange) {
    throw new CommandError('Name the external_id of one entry, or give --provider, --from and --to.');
  }
  const { api } = await openProject(options);
  if (id !== undefined) await api.delete(`/api/invoices/${pathStep(id)}/`);
  const path = `/api/invoices/?${toQuery(toRange(options))}`;
  const deleted = id === undefined ? readDeleted(await api.answer({ method: 'DELETE', path })) : 1;
  if (options.json) printJson({ deleted });
  else console.log(`Deleted ${countEntries(deleted)}.`);
}

const readDeleted = (text: string): number => (parseJson(text) as DeletedInvoicesWire).deleted;
