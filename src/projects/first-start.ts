import { randomUUID } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PriceBooks } from '../pricing/price-books.ts';
import { type ApiKeys, scopes } from './api-keys.ts';
import type { Clients } from './clients.ts';
import type { Projects } from './projects.ts';

export interface FirstStartOptions {
  readonly projects: Projects;
  readonly clients: Clients;
  readonly apiKeys: ApiKeys;
  readonly priceBooks: PriceBooks;
  readonly now: number;
}

/** What a first start made: the only time that its secrets are seen. */
export interface FirstProject {
  readonly clientId: string;
  readonly secret: string;
  readonly apiKey: string;
  readonly today: string;
}

/** In an empty store, makes the project `default` with one client and one API key (D1.6). */
export async function makeFirstProject(options: FirstStartOptions): Promise<FirstProject | undefined> {
  const { projects, clients, apiKeys, priceBooks, now } = options;
  if (await projects.hasEver()) return undefined;
  const fields = { name: 'default', type: 'revenue', timezone: 'UTC', atRiskBelowPct: null } as const;
  const project = await projects.create(fields, priceBooks);
  const { client, secret } = await clients.create(project.id, 'default');
  const { apiKey } = await apiKeys.create({ projectId: project.id, name: 'default', scopes, expiresAt: null });
  return { clientId: client.id, secret, apiKey, today: new Date(now).toISOString().slice(0, 10) };
}

/** The ready-to-paste commands of the first start: post an event, and read what it cost. */
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
  return `Farthing has made the project "default". These secrets are shown this once: keep them somewhere safe.

  client id      ${clientId}
  client secret  ${secret}
  API key        ${apiKey}

Post a call:

curl -sS ${url}/intake/${clientId}/ \\
  -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(event)}'

See what it cost:

curl -sS ${url}/api/costs/ \\
  -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ date_from: today, group_by: 'customer' })}'
`;
}

/** Keeps the note in the data folder, mode 0600, where nobody is at a terminal to read it. */
export function keepFirstProject(note: string, dataDir: string): string {
  const path = join(dataDir, 'first-start.txt');
  writeFileSync(path, note, { mode: 0o600 });
  chmodSync(path, 0o600);
  return path;
}
