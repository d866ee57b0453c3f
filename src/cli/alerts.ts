import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { Alert, FiringsPage } from '../alerting/alerts/routes.ts';
import { alertKinds } from '../alerting/kinds/kinds.ts';
import { pathStep, toQuery } from './api.ts';
import { orDash, printJson, printTable } from './print.ts';
import { asProjectCommand, openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

interface ListOptions extends ProjectOptions {
  readonly kind?: string;
  readonly state?: string;
  readonly limit: string;
}

type Values = Readonly<Record<string, number | boolean>>;

interface SetOptions extends ProjectOptions {
  readonly setting?: Values;
}

/** Collects options of the form `name=value`; every value is a number, or true or false. */
function collectSetting(text: string, others: Values = {}): Values {
  const [, name, value = ''] = /^([a-z_]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('It must be name=value.');
  if (value === 'true' || value === 'false') return { ...others, [name]: value === 'true' };
  const number = Number(value);
  if (!Number.isFinite(number)) throw new InvalidArgumentError('The value must be a number, true or false.');
  return { ...others, [name]: number };
}

export function alertsCommand(): Command {
  const alerts = new Command('alerts').description('Show the alerts that have fired, and change what is watched.');
  const command = projectCommandsOf(alerts);
  const ofKind = () => new Argument('<kind>', 'the kind of alert').choices([...alertKinds]);
  const kind = () => new Option('--kind <kind>', 'only this kind').choices([...alertKinds]);
  command('list', 'List the firings of alerts, newest first.', 'farthing alerts list --state open', { isDefault: true })
    .addOption(kind())
    .addOption(new Option('--state <state>', 'only open or ended ones').choices(['open', 'ended']))
    .option('--limit <count>', 'how many at most, 1 to 1000', '50')
    .action(listFirings);
  command('settings', 'Show every kind of alert with its settings.', 'farthing alerts settings').action(showSettings);
  asProjectCommand(
    alerts
      .command('set')
      .addArgument(ofKind())
      .description('Change settings of a kind of alert. Settings that are not named stay.')
      .requiredOption('--setting <name=value>', 'a setting, such as days=30; may be repeated', collectSetting)
      .action((name: string, options: SetOptions) => change(name, { ...options.setting }, options)),
    'farthing alerts set credit_ending --setting days=30',
  );
  for (const [name, enabled] of [
    ['on', true],
    ['off', false],
  ] as const) {
    asProjectCommand(
      alerts
        .command(name)
        .addArgument(ofKind())
        .description(
          enabled
            ? 'Turn a kind of alert on. Causes that exist already do not fire.'
            : 'Turn a kind of alert off. Its open firings end, and nothing is sent.',
        )
        .action((of: string, options: ProjectOptions) => change(of, { enabled }, options)),
      `farthing alerts ${name} no_events`,
    );
  }
  return alerts;
}

async function listFirings(options: ListOptions): Promise<void> {
  const { api } = await openProject(options);
  const { limit, kind, state } = options;
  const answer = await api.get<FiringsPage>(`/api/alerts/firings/?${toQuery({ limit, kind, state })}`);
  if (options.json) return printJson(answer);
  printTable(
    ['started', 'ended', 'kind', 'what', 'page'],
    answer.firings.map((firing) => [
      firing.started_at,
      orDash(firing.ended_at),
      firing.kind,
      firing.title,
      firing.path,
    ]),
  );
  if (answer.has_more) console.log('There are more: raise --limit.');
}

async function showSettings(options: ProjectOptions): Promise<void> {
  const { api } = await openProject(options);
  const answer = await api.get<{ alerts: readonly Alert[] }>('/api/alerts/');
  if (options.json) printJson(answer);
  else printAlerts(answer.alerts);
}

async function change(kind: string, fields: object, options: ProjectOptions): Promise<void> {
  const { api } = await openProject(options);
  const answer = await api.put<Alert>(`/api/alerts/${pathStep(kind)}/`, fields);
  if (options.json) printJson(answer);
  else printAlerts([answer]);
}

function printAlerts(alerts: readonly Alert[]): void {
  printTable(
    ['kind', 'on', 'open', 'settings'],
    alerts.map(({ kind, enabled, since: _, open, ...settings }) => [
      kind,
      enabled ? 'yes' : 'no',
      String(open),
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
    ]),
  );
}
