import type { FastifyRequest } from 'fastify';
import { type Access, bearerToken } from '../lib/http/access.ts';
import type { App } from '../lib/http/app.ts';
import { readSessionId, requireSameOrigin, takeCookies } from '../lib/http/session-cookie.ts';
import { equalHashes, hashSecret } from '../lib/ids.ts';
import { Problem } from '../lib/problem.ts';
import type { ApiKey, ApiKeys, Scope } from './api-keys.ts';
import type { Project, Projects } from './projects.ts';
import type { Sessions } from './sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The project of a `read`, `write`, `read_or_write` or `project_admin` route. */
    project: Project | undefined;
    /** The caller: `admin`, or the id of the API key. */
    caller: string | undefined;
    /** The scopes of the API key; undefined for the admin token, which may do all. */
    scopes: readonly Scope[] | undefined;
  }
}

const unauthenticated = (detail: string) =>
  new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } });

/** The project of a request to a `read`, `write`, `read_or_write` or `project_admin` route. */
export function projectOf(request: FastifyRequest): Project {
  if (!request.project) throw new Error('This route was registered without access to a project');
  return request.project;
}

/** The caller, for the log of changes: `admin`, or the id of the API key. */
export const callerOf = (request: FastifyRequest): string => request.caller ?? 'admin';

/** For a `read_or_write` route: the scope that this request needs. @throws Problem `forbidden` */
export function requireScope({ scopes }: FastifyRequest, scope: Scope): void {
  if (scopes === undefined || scopes.includes(scope)) return;
  throw new Problem(
    'forbidden',
    `This request needs a key with the scope ${scope}; this key has ${scopes.join(', ')}.`,
  );
}

export interface AccessOptions {
  readonly adminTokenHash: string;
  readonly apiKeys: ApiKeys;
  readonly projects: Projects;
  readonly sessions: Sessions;
}

/** Guards every route by its `config.access`. Registering a route that names none fails. */
export function guardRoutes(app: App, options: AccessOptions): void {
  takeCookies(app);
  app.decorateRequest('project', undefined);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('scopes', undefined);
  app.addHook('onRoute', ({ url, config }) => {
    if (!config?.access) throw new Error(`The route ${url} does not say who may use it`);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const access = request.routeOptions.config.access;
    if (access === undefined || access === 'public' || access === 'client') return done();
    admit(request, access, options).then(() => done(), done);
  });
}

/** Admits a request, and sets its project and caller. @throws Problem `unauthenticated`, `forbidden` or `not_found` */
async function admit(
  request: FastifyRequest,
  access: Exclude<Access, 'public' | 'client'>,
  options: AccessOptions,
): Promise<void> {
  const { projects } = options;
  const caller = await identify(request, access, options);
  if (access === 'admin') {
    if (caller !== 'admin') throw unauthenticated(adminNeeded);
    request.sender = { project: 'admin', caller };
    request.actor = adminToken;
    return;
  }
  if (caller === 'admin') {
    request.project = await projectNamedBy(request, projects);
    request.sender = { project: request.project.id, caller };
    request.actor = adminToken;
    return;
  }
  const project = await projects.find(caller.projectId);
  if (!project) throw unauthenticated(keyNotValid);
  if (access === 'project_admin') {
    throw new Problem(
      'forbidden',
      'This route needs the admin token, with the header Farthing-Project: prj_…; an API key may not do this.',
    );
  }
  if (access !== 'read_or_write' && !caller.scopes.includes(access)) {
    throw new Problem(
      'forbidden',
      `This route needs a key with the scope ${access}; this key has ${caller.scopes.join(', ')}.`,
    );
  }
  request.project = project;
  request.sender = { project: project.id, caller: caller.id };
  request.caller = caller.id;
  request.actor = { kind: 'api_key', id: caller.id, name: caller.name ?? undefined };
  request.scopes = caller.scopes;
}

const adminToken = { kind: 'admin_token' } as const;

const adminNeeded = 'Send the admin token: Authorization: Bearer <admin token>.';
const keyNeeded = 'Send an API key of the project: Authorization: Bearer <API key>.';
const keyNotValid = 'The API key is unknown, expired or revoked; send a valid one.';

/**
 * Who sends a request: by its `Authorization`, or else by the cookie of a session.
 * @throws Problem `unauthenticated`; `forbidden` for a cookie with a request of another site
 */
async function identify(
  request: FastifyRequest,
  access: Access,
  { adminTokenHash, apiKeys, sessions }: AccessOptions,
): Promise<'admin' | ApiKey> {
  const isForAdmin = access === 'admin' || access === 'project_admin';
  if (request.headers.authorization !== undefined) {
    const token = bearerToken(request);
    if (token === undefined) throw unauthenticated(isForAdmin ? adminNeeded : keyNeeded);
    const hash = hashSecret(token);
    if (equalHashes(hash, adminTokenHash)) return 'admin';
    const key = await apiKeys.findByHash(hash);
    if (!key) throw unauthenticated(isForAdmin ? adminNeeded : keyNotValid);
    return key;
  }
  const id = readSessionId(request);
  if (id === undefined) throw unauthenticated(isForAdmin ? adminNeeded : keyNeeded);
  const session = await sessions.find(id);
  if (!session) throw unauthenticated('The session has ended; sign in again.');
  if (request.method !== 'GET' && request.method !== 'HEAD') requireSameOrigin(request);
  return session.caller;
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
