import { Command } from 'commander';
import type { ApiKeyWire } from '../accounts/api-key-routes.ts';
import { pathStep } from './api.ts';
import { orDash, printDone, printJson, printTable } from './print.ts';
import { openProject, type ProjectOptions, projectCommandsOf } from './project-option.ts';

interface KeyOptions extends ProjectOptions {
  readonly name?: string;
  readonly scopes?: string;
  readonly expiresAt?: string;
}

const path = (project: string, ...rest: string[]) =>
  `/admin/projects/${[project, 'api-keys', ...rest].map(pathStep).join('/')}/`;

export function keysCommand(): Command {
  const keys = new Command('keys').description('Manage the API keys of a project.');
  const command = projectCommandsOf(keys);

  command('list', 'List the API keys of a project.', 'farthing keys list').action(async (options: KeyOptions) => {
    const { id: project, api } = await openProject(options);
    const answer = await api.get<{ api_keys: ApiKeyWire[] }>(path(project));
    if (options.json) return printJson(answer);
    printTable(
      ['id', 'name', 'scopes', 'last used', 'expires', 'revoked'],
      answer.api_keys.map((key) => [
        key.id,
        orDash(key.name),
        key.scopes.join(', '),
        orDash(key.last_used_at),
        orDash(key.expires_at),
        orDash(key.revoked_at),
      ]),
    );
  });
  command('create', 'Make an API key, which is shown only once.', 'farthing keys create --scopes read --name dashboard')
    .option('--name <name>', 'name of the key')
    .option('--scopes <scopes>', 'read, write, or both separated by a comma', 'read,write')
    .option('--expires-at <time>', 'when it expires, such as 2026-12-31T00:00:00Z (default: never)')
    .action(async (options: KeyOptions) => {
      const { id: project, api } = await openProject(options);
      const made = await api.post<ApiKeyWire & { api_key: string }>(path(project), {
        name: options.name ?? null,
        scopes: options.scopes?.split(',').map((scope) => scope.trim()),
        expires_at: options.expiresAt ?? null,
      });
      if (options.json) return printJson(made);
      printTable(['id', 'scopes', 'API key (shown only once)'], [[made.id, made.scopes.join(', '), made.api_key]]);
    });
  command('revoke <key-id>', 'Revoke an API key.', 'farthing keys revoke key_…').action(
    async (key: string, options: KeyOptions) => {
      const { id: project, api } = await openProject(options);
      await api.delete(path(project, key));
      printDone(options, `Revoked ${key}.`);
    },
  );
  return keys;
}
