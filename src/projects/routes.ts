import { z } from 'zod';
import { projectOf } from '../http/access.ts';
import type { App } from '../http/app.ts';
import { isTimezone } from '../lib/days.ts';
import { Problem } from '../lib/problem.ts';
import { pathId, storableText } from '../lib/tag-map.ts';
import { type ApiKey, type ApiKeys, scopes } from './api-keys.ts';
import { changeTimezone, refuseSecondTimezone, type TimezoneSources } from './change-timezone.ts';
import type { Client, Clients } from './clients.ts';
import type { Project } from './projects.ts';

export interface ProjectRoutesOptions extends TimezoneSources {
  readonly clients: Clients;
  readonly apiKeys: ApiKeys;
}

const name = storableText(200);
const timezone = z
  .string()
  .max(100)
  .refine(isTimezone, { error: 'must be the name of a timezone, such as Europe/Berlin', abort: true })
  .meta({ example: 'Europe/Berlin' });
const atRisk = z.number().min(-1_000_000).max(100).nullable().describe('Percent; null for never.');

export const projectFields = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(['revenue', 'internal']),
  timezone: z.string(),
  pending_timezone: z
    .string()
    .nullable()
    .describe('The timezone that the days are being rebuilt for, until it is in force.'),
  at_risk_below_pct: z.number().nullable(),
  created_at: z.string(),
});
const secretFields = z.object({
  id: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
const clientFields = z.object({
  client_id: z.string(),
  name: z.string().nullable(),
  created_at: z.string(),
  revoked_at: z.string().nullable(),
  secrets: z.array(secretFields),
});
const keyFields = z.object({
  id: z.string(),
  name: z.string().nullable(),
  scopes: z.array(z.enum(scopes)),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});

const inProject = z.object({ id: pathId });
const noContent = { 204: z.null() };

/** The control routes of the admin token (D2), and `GET /api/project/`. */
export function registerProjects(app: App, options: ProjectRoutesOptions): void {
  const { projects, clients, apiKeys, priceBooks, clock } = options;
  const config = { access: 'admin' } as const;
  const tags = ['Admin'];

  const findProject = async (id: string): Promise<Project> => {
    const project = await projects.find(id);
    if (!project) throw new Problem('not_found', 'There is no project with this id.');
    return project;
  };
  const expiry = z.iso
    .datetime({ offset: true, error: 'must be a time as in 2026-12-31T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .refine((ms) => ms > clock(), { error: 'must be in the future', params: { code: 'out_of_range' } })
    .nullish()
    .transform((ms) => ms ?? null)
    .meta({ type: ['string', 'null'], format: 'date-time' });

  app.get(
    '/api/project/',
    {
      config: { access: 'read' },
      schema: { summary: 'The project of the key', tags: ['Projects'], response: { 200: projectFields } },
    },
    async (request) => toProjectWire(projectOf(request)),
  );

  app.post(
    '/admin/projects/',
    {
      config,
      schema: {
        summary: 'Make a project',
        tags,
        body: z.strictObject({
          name,
          type: z.enum(['revenue', 'internal']).default('revenue'),
          timezone: timezone.default('UTC'),
          at_risk_below_pct: atRisk.default(null),
        }),
        response: { 201: projectFields },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const project = await projects.create({
        name: body.name,
        type: body.type,
        timezone: body.timezone,
        atRiskBelowPct: body.at_risk_below_pct,
      });
      await priceBooks.activateFor(project.id);
      return reply.code(201).send(toProjectWire(project));
    },
  );
  app.get(
    '/admin/projects/',
    {
      config,
      schema: { summary: 'All projects', tags, response: { 200: z.object({ projects: z.array(projectFields) }) } },
    },
    async () => ({ projects: (await projects.list()).map(toProjectWire) }),
  );
  app.get(
    '/admin/projects/:id/',
    { config, schema: { summary: 'A project', tags, params: inProject, response: { 200: projectFields } } },
    async (request) => toProjectWire(await findProject(request.params.id)),
  );
  app.patch(
    '/admin/projects/:id/',
    {
      config,
      schema: {
        summary: 'Change a project',
        description:
          'The type never changes. A new timezone rebuilds the days of the project; until it is in force it is `pending_timezone`.',
        tags,
        params: inProject,
        body: z.strictObject({
          name: name.optional(),
          timezone: timezone.optional(),
          at_risk_below_pct: atRisk.optional(),
        }),
        response: { 200: projectFields },
      },
    },
    async (request) => {
      const project = await findProject(request.params.id);
      const { name: newName, timezone: newTimezone, at_risk_below_pct: atRiskBelowPct } = request.body;
      if (newTimezone !== undefined) refuseSecondTimezone(project, newTimezone);
      await projects.change(project.id, {
        ...(newName !== undefined && { name: newName }),
        ...(atRiskBelowPct !== undefined && { atRiskBelowPct }),
      });
      if (newTimezone !== undefined) await changeTimezone(project, newTimezone, options);
      return toProjectWire(await findProject(project.id));
    },
  );
  app.delete(
    '/admin/projects/:id/',
    { config, schema: { summary: 'Delete a project with all its data', tags, params: inProject, response: noContent } },
    async (request, reply) => {
      if (!(await projects.delete(request.params.id)))
        throw new Problem('not_found', 'There is no project with this id.');
      clients.forgetAll();
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/admin/projects/:id/clients/',
    {
      config,
      schema: {
        summary: 'Make a client with a secret, which is shown this once',
        tags,
        params: inProject,
        body: z.strictObject({ name: name.nullish() }),
        response: { 201: clientFields.extend({ secret: z.string() }) },
      },
    },
    async (request, reply) => {
      const project = await findProject(request.params.id);
      const { client, secret } = await clients.create(project.id, request.body.name ?? null);
      return reply.code(201).send({ ...toClientWire(client), secret });
    },
  );
  app.get(
    '/admin/projects/:id/clients/',
    {
      config,
      schema: {
        summary: 'The clients of a project',
        tags,
        params: inProject,
        response: { 200: z.object({ clients: z.array(clientFields) }) },
      },
    },
    async (request) => {
      const project = await findProject(request.params.id);
      return { clients: (await clients.list(project.id)).map(toClientWire) };
    },
  );
  app.delete(
    '/admin/projects/:id/clients/:client_id/',
    {
      config,
      schema: {
        summary: 'Revoke a client',
        tags,
        params: inProject.extend({ client_id: pathId }),
        response: noContent,
      },
    },
    async (request, reply) => {
      const project = await findProject(request.params.id);
      if (!(await clients.revoke(project.id, request.params.client_id.toLowerCase()))) {
        throw new Problem('not_found', 'This project has no client with this id.');
      }
      return reply.code(204).send(null);
    },
  );
  app.post(
    '/admin/projects/:id/clients/:client_id/secrets/',
    {
      config,
      schema: {
        summary: 'A further secret of a client, shown this once',
        tags,
        params: inProject.extend({ client_id: pathId }),
        body: z.strictObject({ expires_at: expiry }).nullish(),
        response: {
          201: z.object({
            id: z.string(),
            secret: z.string(),
            created_at: z.string(),
            expires_at: z.string().nullable(),
          }),
        },
      },
    },
    async (request, reply) => {
      const project = await findProject(request.params.id);
      const made = await clients.addSecret(
        project.id,
        request.params.client_id.toLowerCase(),
        request.body?.expires_at ?? null,
      );
      if (!made) throw new Problem('not_found', 'This project has no client with this id.');
      return reply.code(201).send({
        id: made.id,
        secret: made.secret,
        created_at: toTime(made.createdAt),
        expires_at: toTimeOrNull(made.expiresAt),
      });
    },
  );
  app.delete(
    '/admin/projects/:id/clients/:client_id/secrets/:secret_id/',
    {
      config,
      schema: {
        summary: 'Revoke a secret',
        tags,
        params: inProject.extend({ client_id: pathId, secret_id: pathId }),
        response: noContent,
      },
    },
    async (request, reply) => {
      const project = await findProject(request.params.id);
      const { client_id: clientId, secret_id: secretId } = request.params;
      if (!(await clients.revokeSecret(project.id, clientId.toLowerCase(), secretId))) {
        throw new Problem('not_found', 'This client has no secret with this id.');
      }
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/admin/projects/:id/api-keys/',
    {
      config,
      schema: {
        summary: 'Make an API key, which is shown this once',
        tags,
        params: inProject,
        body: z.strictObject({
          name: name.nullish(),
          scopes: z
            .array(z.enum(scopes))
            .min(1, { error: 'must not be empty' })
            .default(['read', 'write'])
            .transform((given) => scopes.filter((scope) => given.includes(scope))),
          expires_at: expiry,
        }),
        response: { 201: keyFields.extend({ api_key: z.string() }) },
      },
    },
    async (request, reply) => {
      const project = await findProject(request.params.id);
      const { body } = request;
      const key = await apiKeys.create({
        projectId: project.id,
        name: body.name ?? null,
        scopes: body.scopes,
        expiresAt: body.expires_at,
      });
      return reply.code(201).send({ ...toKeyWire(key), api_key: key.apiKey });
    },
  );
  app.get(
    '/admin/projects/:id/api-keys/',
    {
      config,
      schema: {
        summary: 'The API keys of a project',
        tags,
        params: inProject,
        response: { 200: z.object({ api_keys: z.array(keyFields) }) },
      },
    },
    async (request) => {
      const project = await findProject(request.params.id);
      return { api_keys: (await apiKeys.list(project.id)).map(toKeyWire) };
    },
  );
  app.delete(
    '/admin/projects/:id/api-keys/:key_id/',
    {
      config,
      schema: {
        summary: 'Revoke an API key',
        tags,
        params: inProject.extend({ key_id: pathId }),
        response: noContent,
      },
    },
    async (request, reply) => {
      const project = await findProject(request.params.id);
      if (!(await apiKeys.revoke(project.id, request.params.key_id))) {
        throw new Problem('not_found', 'This project has no API key with this id.');
      }
      return reply.code(204).send(null);
    },
  );
}

const toTime = (ms: number): string => new Date(ms).toISOString();
const toTimeOrNull = (ms: number | null): string | null => (ms === null ? null : toTime(ms));

export const toProjectWire = (project: Project) => ({
  id: project.id,
  name: project.name,
  type: project.type,
  timezone: project.timezone,
  pending_timezone: project.pendingTimezone,
  at_risk_below_pct: project.atRiskBelowPct,
  created_at: toTime(project.createdAt),
});

const toClientWire = (client: Client) => ({
  client_id: client.id,
  name: client.name,
  created_at: toTime(client.createdAt),
  revoked_at: toTimeOrNull(client.revokedAt),
  secrets: client.secrets.map((secret) => ({
    id: secret.id,
    created_at: toTime(secret.createdAt),
    last_used_at: toTimeOrNull(secret.lastUsedAt),
    expires_at: toTimeOrNull(secret.expiresAt),
    revoked_at: toTimeOrNull(secret.revokedAt),
  })),
});

const toKeyWire = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  created_at: toTime(key.createdAt),
  last_used_at: toTimeOrNull(key.lastUsedAt),
  expires_at: toTimeOrNull(key.expiresAt),
  revoked_at: toTimeOrNull(key.revokedAt),
});
