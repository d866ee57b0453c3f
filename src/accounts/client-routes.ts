import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { App } from '../lib/http/app.ts';
import { listAnswer } from '../lib/http/page-envelope.ts';
import { Problem } from '../lib/problem.ts';
import { pathId, storableText } from '../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../lib/times.ts';
import type { Client, Clients } from './clients.ts';
import { registerDeletion } from './deletion.ts';
import { expiryField } from './expiry-field.ts';
import { findProject, inProject } from './project-record.ts';
import type { Projects } from './projects.ts';

export interface ClientRoutesOptions {
  readonly projects: Projects;
  readonly clients: Clients;
  readonly clock: Clock;
}

const secretFields = z.object({
  id: z.string(),
  created_at: timeField,
  last_used_at: timeField.nullable().describe('May lag by a minute.'),
  expires_at: timeField.nullable(),
  revoked_at: timeField.nullable(),
});
const clientFields = z.object({
  client_id: z.string().describe('The UUID in the intake path.'),
  name: z.string().nullable(),
  created_at: timeField,
  revoked_at: timeField.nullable(),
  secrets: z.array(secretFields),
});

export type ClientWire = z.output<typeof clientFields>;

const madeSecretFields = z.object({
  id: z.string(),
  secret: z.string().describe('Shown only once.'),
  created_at: timeField,
  expires_at: timeField.nullable(),
});
export type MadeSecretWire = z.output<typeof madeSecretFields>;

const exampleClient = {
  client_id: '5045c1bc-35bb-4b21-9000-5e51e7ed8e36',
  name: 'api',
  created_at: '2026-11-21T05:26:30.428Z',
  revoked_at: null,
  secrets: [
    {
      id: 'sec_01M7Y94190C8GTEJGESSYKP6GG',
      created_at: '2026-11-21T05:26:30.432Z',
      last_used_at: '2026-11-21T05:31:07.119Z',
      expires_at: null,
      revoked_at: null,
    },
  ],
};
const exampleSecret = 'fs_X2bq7LrT0kZpVn5HcYw8JdMs3GfAe1Uo6IvQy9Bt';

const ofClient = inProject.extend({
  client_id: pathId.describe('The id of the client.').meta({ examples: [exampleClient.client_id] }),
});
const ofSecret = ofClient.extend({
  secret_id: pathId.describe('The id of the secret.').meta({ examples: ['sec_01M7Y94190C8GTEJGESSYKP6GG'] }),
});

/** Clients of a project and their secrets (D1.3, D2), with the admin token or for its owners. */
export function registerClients(app: App, { projects, clients, clock }: ClientRoutesOptions): void {
  const config = { access: 'admin', role: 'owner', roleIn: 'path' } as const;
  const tags = ['Admin'];

  app.post('/admin/projects/:id/clients/', {
    config,
    schema: {
      summary: 'Make a client',
      description: 'A client posts events with its id and a secret. The secret is shown only in this answer.',
      tags,
      params: inProject,
      body: z.strictObject({ name: storableText(200).nullish() }).meta({ examples: [{ name: 'api' }] }),
      response: {
        201: clientFields.extend({ secret: z.string().describe('Shown only once.') }).meta({
          description: 'The client with its first secret.',
          examples: [{ ...exampleClient, secret: exampleSecret }],
        }),
      },
    },
    handler: async (request, reply) => {
      const project = await findProject(projects, request.params.id);
      const { client, secret } = await clients.create(project.id, request.body.name ?? null);
      return reply.code(201).send({ ...toClientWire(client), secret });
    },
  });
  app.get('/admin/projects/:id/clients/', {
    config,
    schema: {
      summary: 'The clients of a project',
      description: 'All clients, including revoked ones, with the ids and times of their secrets.',
      tags,
      params: inProject,
      response: { 200: listAnswer('clients', clientFields, 'The clients.', exampleClient) },
    },
    handler: async (request) => {
      const project = await findProject(projects, request.params.id);
      return { clients: (await clients.list(project.id)).map(toClientWire) };
    },
  });
  registerDeletion(app, '/admin/projects/:id/clients/:client_id/', {
    projects,
    summary: 'Revoke a client',
    description: 'All its secrets stop working at once. Its events stay.',
    tags,
    params: ofClient,
    done: 'Revoked.',
    missing: 'This project has no client with this id.',
    run: ({ client_id: clientId }, projectId) => clients.revoke(projectId, clientId.toLowerCase()),
  });
  app.post('/admin/projects/:id/clients/:client_id/secrets/', {
    config,
    schema: {
      summary: 'Add a secret to a client',
      description:
        'The other secrets stay valid, so a secret can be replaced without an outage. It is shown only in this answer.',
      tags,
      params: ofClient,
      body: z
        .strictObject({ expires_at: expiryField(clock) })
        .nullish()
        .meta({ examples: [{ expires_at: '2027-12-31T00:00:00Z' }] }),
      response: {
        201: madeSecretFields.meta({
          description: 'The secret.',
          examples: [
            {
              id: 'sec_01M7Y94190C8GTEJGESSYKP6GG',
              secret: exampleSecret,
              created_at: '2026-11-21T05:26:30.432Z',
              expires_at: '2027-12-31T00:00:00.000Z',
            },
          ],
        }),
      },
    },
    handler: async (request, reply) => {
      const project = await findProject(projects, request.params.id);
      const { client_id: clientId } = request.params;
      const made = await clients.addSecret(project.id, clientId.toLowerCase(), request.body?.expires_at ?? null);
      if (!made) throw new Problem('not_found', 'This project has no client with this id.');
      return reply.code(201).send({
        id: made.id,
        secret: made.secret,
        created_at: toTime(made.created_at),
        expires_at: toTimeOrNull(made.expires_at),
      });
    },
  });
  registerDeletion(app, '/admin/projects/:id/clients/:client_id/secrets/:secret_id/', {
    projects,
    summary: 'Revoke a secret',
    description: 'It stops working at once on this instance, and within ten seconds on every other.',
    tags,
    params: ofSecret,
    done: 'Revoked.',
    missing: 'This client has no secret with this id.',
    run: ({ client_id: clientId, secret_id: secretId }, projectId) =>
      clients.revokeSecret(projectId, clientId.toLowerCase(), secretId),
  });
}

const toClientWire = (client: Client) => ({
  client_id: client.id,
  name: client.name,
  created_at: toTime(client.created_at),
  revoked_at: toTimeOrNull(client.revoked_at),
  secrets: client.secrets.map((secret) => ({
    id: secret.id,
    created_at: toTime(secret.created_at),
    last_used_at: toTimeOrNull(secret.last_used_at),
    expires_at: toTimeOrNull(secret.expires_at),
    revoked_at: toTimeOrNull(secret.revoked_at),
  })),
});
