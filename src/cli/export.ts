import { Command, InvalidArgumentError, Option } from 'commander';
import { CommandError, pathStep } from './api.ts';
import { type Answer, answers } from './export-answers.ts';
import { addExportEvents } from './export-events.ts';
import { exportRows, formatOption } from './export-rows.ts';
import { asProjectCommand, openProject, type ProjectOptions } from './project-option.ts';

interface ExportOptions extends ProjectOptions {
  readonly from?: string;
  readonly to?: string;
  readonly aggregate?: string;
  readonly groupBy?: string;
  readonly format?: string;
  readonly out?: string;
  /** Filters by the camel-case name of their option. */
  readonly [option: string]: unknown;
}

export function exportCommand(): Command {
  const command = new Command('export').description(
    'Export events as they were received, or the rows of an answer, as CSV, NDJSON or Parquet.',
  );
  addExportEvents(command);
  for (const answer of answers) addExportAnswer(command, answer);
  return command;
}

function addExportAnswer(parent: Command, answer: Answer): void {
  const { name, about, argument, from, hasPeriods, dimensions, tagKinds = [], filters } = answer;
  const command = parent.command(name).description(`Write ${about}, in one file.`);
  if (argument) command.argument(`<${argument.name}>`, argument.about);
  if (from === 'required') command.requiredOption('--from <day>', 'the first day');
  if (from === 'optional') command.option('--from <day>', 'the first day (default: the first there is)');
  if (from !== undefined) command.option('--to <day>', `the last day (default: ${defaultEnd(from)})`);
  if (hasPeriods) {
    command.addOption(
      new Option('--aggregate <period>', 'one row per period (default: day)').choices([
        'day',
        'week',
        'month',
        'quarter',
        'year',
        'all',
      ]),
    );
  }
  if (dimensions.length > 0) {
    const rows = `one row per value${hasPeriods ? ' and period' : ''}`;
    const grouped = new Option(
      '--group-by <dimension>',
      tagKinds.length > 0 ? `${rows}; or of a tag: ${tagKinds.map((kind) => `${kind}:KEY`).join(', ')}` : rows,
    );
    command.addOption(
      tagKinds.length > 0 ? grouped.argParser(toGroup(dimensions, tagKinds)) : grouped.choices(dimensions),
    );
  }
  for (const { option, kind, given, about: what } of filters) {
    if (kind === 'flag') command.option(`--${option}`, what);
    else if (kind === 'value') command.option(`--${option} <${given}>`, what);
    else command.option(`--${option} <${given}>`, `${what}; can be repeated`, collect);
  }
  command.addOption(formatOption('csv')).option('--out <file>', 'the file to write (default: standard output)');
  if (argument) {
    command.action(async (id: string, options: ExportOptions) => await exportAnswer(answer, options, id));
  } else command.action(async (options: ExportOptions) => await exportAnswer(answer, options));
  asProjectCommand(command, exampleOf(answer));
}

/** A dimension, or a tag of one of these kinds. @throws InvalidArgumentError for others, as commander does for choices */
const toGroup =
  (dimensions: readonly string[], tagKinds: readonly string[]) =>
  (text: string): string => {
    if (dimensions.includes(text) || tagKinds.some((kind) => text.startsWith(`${kind}:`))) return text;
    const named = [...dimensions, ...tagKinds.map((kind) => `${kind}:KEY`)].join(', ');
    throw new InvalidArgumentError(`Allowed choices are ${named}.`);
  };

const defaultEnd = (from: 'required' | 'optional'): string => (from === 'required' ? 'today' : 'the last there is');

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

function exampleOf({ name, argument, from, hasPeriods, dimensions: [dimension] }: Answer): string {
  return [
    ...['farthing', 'export', name],
    ...(argument ? [argument.example] : []),
    ...(from === 'required' ? ['--from', '2026-10-01'] : []),
    ...(hasPeriods ? ['--aggregate', 'month'] : []),
    ...(dimension === undefined ? [] : ['--group-by', dimension]),
    ...['--out', `${name}.csv`],
  ].join(' ');
}

async function exportAnswer(answer: Answer, options: ExportOptions, id?: string): Promise<void> {
  const fields = toFields(answer, options);
  const { api } = await openProject(options);
  const path = id === undefined ? answer.path : answer.path.replace('{id}', pathStep(id));
  await exportRows(
    api,
    { method: answer.method, path, fields },
    { format: options.format ?? (options.json ? 'ndjson' : 'csv'), file: options.out, noun: 'rows' },
  );
}

function toFields({ filters }: Answer, options: ExportOptions): Readonly<Record<string, unknown>> {
  const chosen = filters.flatMap(({ option, field, kind }) => {
    const given = options[toCamelCase(option)];
    if (given === undefined) return [];
    return [[field, kind === 'tags' ? toTagFilter(option, given) : given] as const];
  });
  const { from, to, aggregate, groupBy } = options;
  return { date_from: from, date_to: to, aggregate, group_by: groupBy, ...Object.fromEntries(chosen) };
}

const toCamelCase = (option: string): string =>
  option.replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function toTagFilter(option: string, given: unknown): Readonly<Record<string, readonly string[]>> {
  const tags = new Map<string, string[]>();
  for (const text of [given].flat().map(String)) {
    const equals = text.indexOf('=');
    if (equals < 1) throw new CommandError(`--${option} must be key=value, such as --${option} plan=pro, not ${text}.`);
    const key = text.slice(0, equals);
    tags.set(key, [...(tags.get(key) ?? []), text.slice(equals + 1)]);
  }
  return Object.fromEntries(tags);
}
