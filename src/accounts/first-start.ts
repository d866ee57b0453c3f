import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeSecretFile } from '../lib/secret-file.ts';
import { type ApiKeys, scopes } from './api-keys.ts';
import type { Clients } from './clients.ts';
import type { FirstPriceBook, Projects } from './projects.ts';

export interface FirstStartOptions {
  readonly projects: Projects;
  readonly clients: Clients;
  readonly apiKeys: ApiKeys;
  readonly priceBooks: FirstPriceBook;
  readonly now: number;
  /** Stores the secrets where the operator can find them. */
  readonly keep: (first: FirstProject) => void;
}

/** The project of a first start. Its secrets are available only here. */
export interface FirstProject {
  readonly clientId: string;
  readonly secret: string;
  readonly apiKey: string;
  readonly today: string;
}

/**
 * In an empty store, makes the project `default` with one client and one API key (D1.6). The secrets are stored before
 * the commit. So a killed start has either made no project, and the next start makes it, or its secrets can be found.
 */
export async function makeFirstProject(options: FirstStartOptions): Promise<FirstProject | undefined> {
  const { projects, clients, apiKeys, priceBooks, now, keep } = options;
  const fields = { name: 'default', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  let first: FirstProject | undefined;
  const project = await projects.createFirst(fields, priceBooks, async (transaction, { id: projectId }) => {
    const { client, secret } = await clients.createWithin(transaction, projectId, 'default');
    const key = { projectId, name: 'default', scopes, expiresAt: null };
    const { apiKey } = await apiKeys.create(key, transaction);
    first = { clientId: client.id, secret, apiKey, today: new Date(now).toISOString().slice(0, 10) };
    keep(first);
  });
  return project && first;
}

/** Where to look after the first start, and ready-to-paste commands that post an event and read its cost. */
export function describeFirstProject({ clientId, secret, apiKey, today }: FirstProject, url: string): string {
  const event = {
    event_id: randomUUID(),
    event_type: 'chat.after',
    model: 'gpt-4o-2024-08-06',
    provider: 'openai',
    tags: { customer: 'acme', feature: 'chat' },
    elapsed_ms: 840,
    prompt_tokens: 412,
    completion_tokens: 87,
  };
  return `Farthing has made the project "default". These secrets are shown only once: keep them somewhere safe.

  client id      ${clientId}
  client secret  ${secret}
  API key        ${apiKey}

Open ${url} in a browser and sign in with the API key.

In a shell, post a call:

curl -sS ${url}/intake/${clientId}/ \\
  -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(event)}'

See what it cost:

curl -sS ${url}/api/costs/ \\
  -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ date_from: today, group_by: 'customer' })}'
`;
}

const notePath = (dataDir: string): string => join(dataDir, 'first-start.txt');

/** Writes the note to the data folder, mode 0600; returns its path. */
export function keepFirstProject(note: string, dataDir: string): string {
  writeSecretFile(notePath(dataDir), note);
  return notePath(dataDir);
}

export function dropFirstProject(dataDir: string): void {
  rmSync(notePath(dataDir), { force: true });
}

/** The path of the note that an earlier first start left, if there is one. */
export function findFirstProject(dataDir: string): string | undefined {
  return existsSync(notePath(dataDir)) ? notePath(dataDir) : undefined;
}
