import { Command, InvalidArgumentError } from 'commander';
import type { MadeKeyWire } from '../accounts/api-key-routes.ts';
import { AdminApi, type AdminOptions, asAdminCommand, pathStep } from './api.ts';
import { calledAs } from './called-as.ts';
import type { DemoType } from './demo/events.ts';
import { type DemoService, fillDemo } from './demo/fill.ts';
import { openIntake } from './post-events.ts';
import { printJson, toCount } from './print.ts';
import { startBar } from './progress-bar.ts';

interface DemoCommandOptions extends AdminOptions {
  readonly name?: string;
  readonly type: DemoType;
  readonly days: number;
}

const defaultDays = 90;

export function demoCommand(): Command {
  const command = new Command('demo')
    .description('Make a project with realistic, made-up data.')
    .option('--name <name>', 'name of the project')
    .option('--type <type>', 'revenue (margin by customer) or internal (key metrics by user)', toType, 'revenue')
    .option('--days <days>', 'number of days, ending today', toDays, defaultDays);
  return asAdminCommand(command, 'farthing demo').action(runDemo);
}

async function runDemo(options: DemoCommandOptions): Promise<void> {
  const { type, days, json } = options;
  const api = new AdminApi(options);
  const name = options.name ?? (type === 'revenue' ? 'Demo' : 'Demo, internal');
  const bar = startBar(
    days,
    `Interrupted: the project ${name} is incomplete. Find its id with "${calledAs} projects list", delete it with "${calledAs} projects delete ID --yes", and run the same command again.`,
    '{bar} {value} of {total} days | {eta_formatted} left',
  );
  const { project, events } = await fillDemo(toDemoService(api), {
    name,
    type,
    days,
    now: Date.now(),
    onProgress: (done) => bar.update(done),
  }).finally(() => bar.stop());
  const key = await api.post<MadeKeyWire>(`/admin/projects/${pathStep(project)}/api-keys/`, {
    name: 'demo',
    scopes: ['read', 'write'],
  });
  if (json) printJson({ project, name, events, api_key: key.api_key, url: `${api.url}/?project=${project}` });
  else {
    console.log(`The project ${name} (${project}) has ${toCount(events)} events of ${days} days.`);
    console.log(
      `Open ${api.url}/ and sign in with the admin token, or with this API key of the project: ${key.api_key}`,
    );
    console.log(`Delete it with: ${calledAs} projects delete ${project} --yes`);
  }
}

const toDemoService = (api: AdminApi): DemoService => ({
  post: (path, body, project) => (project === undefined ? api : api.ofProject(project)).post(path, body),
  put: (path, body, project) => api.ofProject(project).put(path, body),
  postEvents: async ({ client_id: clientId, secret }, events) => {
    const lines = Buffer.from(events.map((event) => JSON.stringify(event)).join('\n'));
    const { faults } = await openIntake({ url: `${api.url}/intake/${clientId}/`, secret })(lines);
    if (faults.length > 0) throw new Error('An event of the demo is not valid');
  },
});

function toType(text: string): DemoType {
  if (text === 'revenue' || text === 'internal') return text;
  throw new InvalidArgumentError('It must be revenue or internal.');
}

const mostDays = 365;

function toDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= mostDays) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${mostDays}.`);
}
