import { Command } from 'commander';
import type { ClientWire, MadeSecretWire } from '../accounts/client-routes.ts';
import { pathStep } from './api.ts';
import { orDash, printDone, printJson, printTable } from './print.ts';
import { openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

interface ClientOptions extends ProjectOptions {
  readonly name?: string;
}

const path = (project: string, ...rest: string[]) =>
  `/admin/projects/${[project, 'clients', ...rest].map(pathStep).join('/')}/`;

export function clientsCommand(): Command {
  const clients = new Command('clients').description('Manage the clients that post events, and their secrets.');
  const command = projectCommandsOf(clients);

  command('list', 'List the clients of a project.', 'farthing clients list').action(async (options: ClientOptions) => {
    const { id: project, api } = await openProject(options);
    const answer = await api.get<{ clients: ClientWire[] }>(path(project));
    if (options.json) return printJson(answer);
    printTable(
      ['client id', 'name', 'secret', 'last used', 'expires', 'revoked'],
      answer.clients.flatMap((client) =>
        client.secrets.map((secret) => [
          client.client_id,
          orDash(client.name),
          secret.id,
          orDash(secret.last_used_at),
          orDash(secret.expires_at),
          orDash(client.revoked_at ?? secret.revoked_at),
        ]),
      ),
    );
  });
  command('create', 'Make a client. Its secret is shown only once.', 'farthing clients create --name api')
    .option('--name <name>', 'name of the client')
    .action(async (options: ClientOptions) => {
      const { id: project, api } = await openProject(options);
      const made = await api.post<ClientWire & { secret: string }>(path(project), { name: options.name });
      if (options.json) return printJson(made);
      printTable(['client id', 'secret (shown only once)'], [[made.client_id, made.secret]]);
    });
  command(
    'add-secret <client-id>',
    'Add a secret, to replace the old one without an outage.',
    'farthing clients add-secret 4f0c…',
  ).action(async (client: string, options: ClientOptions) => {
    const { id: project, api } = await openProject(options);
    const made = await api.post<MadeSecretWire>(path(project, client, 'secrets'), {});
    if (options.json) return printJson(made);
    printTable(['id', 'secret (shown only once)'], [[made.id, made.secret]]);
  });
  command(
    'revoke-secret <client-id> <secret-id>',
    'Revoke one secret.',
    'farthing clients revoke-secret 4f0c… sec_…',
  ).action(async (client: string, secret: string, options: ClientOptions) => {
    const { id: project, api } = await openProject(options);
    await api.delete(path(project, client, 'secrets', secret));
    printDone(options, `Revoked ${secret}.`);
  });
  command('revoke <client-id>', 'Revoke a client with all its secrets.', 'farthing clients revoke 4f0c…').action(
    async (client: string, options: ClientOptions) => {
      const { id: project, api } = await openProject(options);
      await api.delete(path(project, client));
      printDone(options, `Revoked ${client}.`);
    },
  );
  return clients;
}
