import type { FastifyRequest } from 'fastify';
import { equalHashes, hashSecret } from '../lib/ids.ts';
import { Problem } from '../lib/problem.ts';
import type { ApiKeys } from '../projects/api-keys.ts';
import type { Project, Projects } from '../projects/projects.ts';
import type { App } from './app.ts';

/**
 * Who may use a route: anybody (`public`), the admin token (`admin`), an API key of a project with the scope named
 * (or the admin token with `Farthing-Project`), or a client with its secret, which the intake checks itself (`client`).
 */
export type Access = 'public' | 'admin' | 'read' | 'write' | 'client';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** The project that the key of a `read` or `write` route belongs to. */
    project: Project | undefined;
    /** Who asks: `admin`, or the id of the API key. */
    caller: string | undefined;
  }
}

const unauthenticated = (detail: string) =>
  new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } });

/** The token of `Authorization: Bearer …`, or undefined. */
export function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}

/** The project of a request to a `read` or `write` route. */
export function projectOf(request: FastifyRequest): Project {
  if (!request.project) throw new Error('This route was registered without access read or write');
  return request.project;
}

/** Who asks, for logs of what was done: `admin`, or the id of the API key. */
export const callerOf = (request: FastifyRequest): string => request.caller ?? 'admin';

export interface AccessOptions {
  readonly adminTokenHash: string;
  readonly apiKeys: ApiKeys;
  readonly projects: Projects;
}

/** Guards every route by its `config.access`. A route that names none does not register. */
export function guardRoutes(app: App, { adminTokenHash, apiKeys, projects }: AccessOptions): void {
  const isAdmin = (token: string) => equalHashes(hashSecret(token), adminTokenHash);

  app.decorateRequest('project', undefined);
  app.decorateRequest('caller', undefined);
  app.addHook('onRoute', ({ url, config }) => {
    if (!config?.access) throw new Error(`The route ${url} does not say who may use it`);
  });
  app.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (access === undefined || access === 'public' || access === 'client') return;

    const token = bearerToken(request);
    if (access === 'admin') {
      if (!token || !isAdmin(token))
        throw unauthenticated('Send the admin token: Authorization: Bearer <admin token>.');
      return;
    }
    if (!token) throw unauthenticated('Send an API key of the project: Authorization: Bearer <API key>.');
    if (isAdmin(token)) {
      request.project = await projectNamedBy(request, projects);
      return;
    }
    const key = await apiKeys.authenticate(token);
    const project = key && (await projects.find(key.projectId));
    if (!key || !project) throw unauthenticated('The API key is unknown, expired or revoked; send a valid one.');
    if (!key.scopes.includes(access)) {
      throw new Problem(
        'forbidden',
        `This route needs a key with the scope ${access}; this key has ${key.scopes.join(', ')}.`,
      );
    }
    request.project = project;
    request.caller = key.id;
  });
}

async function projectNamedBy(request: FastifyRequest, projects: Projects): Promise<Project> {
  const id = request.headers['farthing-project'];
  if (typeof id !== 'string' || id === '') {
    throw new Problem('forbidden', 'With the admin token, name the project in the header Farthing-Project: prj_….');
  }
  const project = await projects.find(id);
  if (!project) throw new Problem('not_found', 'There is no project with the id in the header Farthing-Project.');
  return project;
}
