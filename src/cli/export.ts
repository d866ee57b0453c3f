import { Command, Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { CommandError } from './api.ts';
import { type Answer, answers, type Column } from './export-answers.ts';
import { addExportEvents } from './export-events.ts';
import { writeTo } from './output.ts';
import { toCount } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface ExportOptions extends ProjectOptions {
  readonly from: string;
  readonly to?: string;
  readonly aggregate?: string;
  readonly groupBy?: string;
  readonly applyCredits?: boolean;
  readonly out?: string;
  /** Filters by the camel-case name of their option. */
  readonly [option: string]: unknown;
}

type Row = Readonly<Record<string, unknown>>;

interface Page {
  readonly rows: readonly Row[];
  readonly next_cursor: string | null;
}

const pageRows = 1_000;

/** `farthing export`: events as NDJSON, answers as CSV. */
export function exportCommand(): Command {
  const command = new Command('export').description(
    'Export events as they were received, or costs, margin, performance and usage as CSV.',
  );
  addExportEvents(command);
  for (const answer of answers) addExportAnswer(command, answer);
  return command;
}

function addExportAnswer(parent: Command, answer: Answer): void {
  const { name, dimensions, filters } = answer;
  const command = parent
    .command(name)
    .description(`Write all pages of ${name} as CSV, or with --json as one JSON object per line.`)
    .requiredOption('--from <day>', 'the first day')
    .option('--to <day>', 'the last day (default: today)')
    .addOption(
      new Option('--aggregate <period>', 'one row per period (default: day)').choices([
        'day',
        'week',
        'month',
        'quarter',
        'year',
        'all',
      ]),
    )
    .addOption(new Option('--group-by <dimension>', 'one row per value and period').choices(dimensions));
  for (const { option, kind, about } of filters) {
    command.option(
      kind === 'tags' ? `--${option} <key=value>` : `--${option} <name>`,
      `${about}; can be repeated`,
      collect,
    );
  }
  asProjectCommand(
    command
      .option('--apply-credits', 'costs after free AI credits')
      .option('--out <file>', 'the file to write (default: standard output)')
      .action(async (options: ExportOptions) => await exportAnswer(answer, options)),
    `farthing export ${name} --from 2026-10-01 --aggregate month --group-by ${dimensions[0]} --out ${name}.csv`,
  );
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

async function exportAnswer(answer: Answer, options: ExportOptions): Promise<void> {
  const body = toBody(answer, options);
  const { api } = await openProject(options);
  const readPage = (cursor: string | null) =>
    api.post<Page>(answer.path, { ...body, limit: pageRows, ...(cursor !== null && { cursor }) });
  // Read before opening the file, so that a refused request leaves no file.
  const columns = await answer.columns(options.groupBy, api);
  let page = await readPage(null);
  let written = 0;
  await writeTo(options.out, async (output) => {
    if (!options.json) await output.write(toCsv([columns.map(({ header }) => header)]));
    for (;;) {
      await output.write(options.json ? toJsonLines(page.rows) : toCsv(page.rows.map((row) => toCells(row, columns))));
      written += page.rows.length;
      if (page.next_cursor === null) break;
      page = await readPage(page.next_cursor);
    }
  });
  if (options.out !== undefined) console.error(`Wrote ${toCount(written)} rows to ${options.out}.`);
}

function toBody({ filters }: Answer, options: ExportOptions): Row {
  const chosen = filters.flatMap(({ option, field, kind }) => {
    const values = options[toCamelCase(option)];
    if (!Array.isArray(values)) return [];
    const texts = values.map(String);
    return [[field, kind === 'tags' ? toTagFilter(option, texts) : texts] as const];
  });
  return {
    date_from: options.from,
    ...(options.to !== undefined && { date_to: options.to }),
    ...(options.aggregate !== undefined && { aggregate: options.aggregate }),
    ...(options.groupBy !== undefined && { group_by: options.groupBy }),
    ...(options.applyCredits && { apply_credits: true }),
    ...Object.fromEntries(chosen),
  };
}

const toCamelCase = (option: string): string =>
  option.replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function toTagFilter(option: string, texts: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const tags = new Map<string, string[]>();
  for (const text of texts) {
    const equals = text.indexOf('=');
    if (equals < 1) throw new CommandError(`--${option} must be key=value, such as --${option} plan=pro, not ${text}.`);
    const key = text.slice(0, equals);
    tags.set(key, [...(tags.get(key) ?? []), text.slice(equals + 1)]);
  }
  return Object.fromEntries(tags);
}

/** The cells of a row, undefined where the row has no value. */
function toCells(row: Row, columns: readonly Column[]): unknown[] {
  return columns.map(({ path }) => path.reduce<unknown>((part, step) => stepInto(part, step), row));
}

const stepInto = (part: unknown, step: string): unknown =>
  typeof part === 'object' && part !== null && Object.hasOwn(part, step) ? Reflect.get(part, step) : undefined;

/** CSV text. An apostrophe is put before text that a spreadsheet would read as a formula; numbers stay as they are. */
const toCsv = (rows: readonly (readonly unknown[])[]): string =>
  rows.length === 0 ? '' : stringify([...rows.map((row) => [...row])], { escape_formulas: true });

const toJsonLines = (rows: readonly Row[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
