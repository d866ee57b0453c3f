import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { App } from '../lib/http/app.ts';
import { listAnswer } from '../lib/http/page-envelope.ts';
import { pathId, storableText } from '../lib/tag-map.ts';
import { timeField, toTime, toTimeOrNull } from '../lib/times.ts';
import { type ApiKey, type ApiKeys, scopes } from './api-keys.ts';
import { registerDeletion } from './deletion.ts';
import { expiryField } from './expiry-field.ts';
import { findProject, inProject } from './project-record.ts';
import type { Projects } from './projects.ts';

export interface ApiKeyRoutesOptions {
  readonly projects: Projects;
  readonly apiKeys: ApiKeys;
  readonly clock: Clock;
}

const keyFields = z.object({
  id: z.string(),
  name: z.string().nullable(),
  scopes: z.array(z.enum(scopes)),
  created_at: timeField,
  last_used_at: timeField.nullable().describe('May lag by a minute.'),
  expires_at: timeField.nullable(),
  revoked_at: timeField.nullable(),
});

export type ApiKeyWire = z.output<typeof keyFields>;

const madeKeyFields = keyFields.extend({ api_key: z.string().describe('Shown only once.') });
export type MadeKeyWire = z.output<typeof madeKeyFields>;

const exampleKey = {
  id: 'key_01M7Y941FKWY4H7YZZC39E96E8',
  name: 'dashboard',
  scopes: ['read'],
  created_at: '2026-11-21T05:26:30.643Z',
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
};

/** API keys of a project (D1.2, D2), with the admin token or for its owners. */
export function registerApiKeys(app: App, { projects, apiKeys, clock }: ApiKeyRoutesOptions): void {
  const config = { access: 'admin', role: 'owner', roleIn: 'path' } as const;
  const tags = ['Admin'];

  app.post('/admin/projects/:id/api-keys/', {
    config,
    schema: {
      summary: 'Make an API key',
      description: 'The key is shown only in this answer; only its SHA-256 is stored.',
      tags,
      params: inProject,
      body: z
        .strictObject({
          name: storableText(200).nullish(),
          scopes: z
            .array(z.enum(scopes))
            .min(1, { error: 'must not be empty' })
            .default(['read', 'write'])
            .transform((given) => scopes.filter((scope) => given.includes(scope))),
          expires_at: expiryField(clock),
        })
        .meta({ examples: [{ name: 'dashboard', scopes: ['read'] }] }),
      response: {
        201: madeKeyFields.meta({
          description: 'The key.',
          examples: [{ ...exampleKey, api_key: 'fk_9pYq0x3VbTnW5kZs7LdR2mHcJ8gFa1Ue6XoBiNtC' }],
        }),
      },
    },
    handler: async (request, reply) => {
      const project = await findProject(projects, request.params.id);
      const { body } = request;
      const key = await apiKeys.create({
        projectId: project.id,
        name: body.name ?? null,
        scopes: body.scopes,
        expiresAt: body.expires_at,
      });
      return reply.code(201).send({ ...toKeyWire(key), api_key: key.apiKey });
    },
  });
  app.get('/admin/projects/:id/api-keys/', {
    config,
    schema: {
      summary: 'The API keys of a project',
      description: 'All keys, including revoked ones, without their secrets.',
      tags,
      params: inProject,
      response: { 200: listAnswer('api_keys', keyFields, 'The keys.', exampleKey) },
    },
    handler: async (request) => {
      const project = await findProject(projects, request.params.id);
      return { api_keys: (await apiKeys.list(project.id)).map(toKeyWire) };
    },
  });
  registerDeletion(app, '/admin/projects/:id/api-keys/:key_id/', {
    projects,
    summary: 'Revoke an API key',
    description: 'It stops working at once on this instance, and within ten seconds on every other.',
    tags,
    params: inProject.extend({ key_id: pathId.describe('The id of the key.').meta({ examples: [exampleKey.id] }) }),
    done: 'Revoked.',
    missing: 'This project has no API key with this id.',
    run: ({ key_id: keyId }, projectId) => apiKeys.revoke(projectId, keyId),
  });
}

const toKeyWire = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  created_at: toTime(key.createdAt),
  last_used_at: toTimeOrNull(key.lastUsedAt),
  expires_at: toTimeOrNull(key.expiresAt),
  revoked_at: toTimeOrNull(key.revokedAt),
});
