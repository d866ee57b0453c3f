import type { FastifyRequest } from 'fastify';
import { type Access, bearerToken, type Role, roleNeeded } from '../lib/http/access.ts';
import type { App } from '../lib/http/app.ts';
import { readSessionId, requireSameOrigin, takeCookies } from '../lib/http/session-cookie.ts';
import { equalHashes, hashSecret } from '../lib/ids.ts';
import { noProject, Problem } from '../lib/problem.ts';
import type { ApiKeys, Scope } from './api-keys.ts';
import {
  adminNeeded,
  hasRole,
  idOf,
  keyNotValid,
  type Operation,
  type Principal,
  requireMay,
  toActor,
  unauthenticated,
} from './principal.ts';
import type { Project, Projects } from './projects.ts';
import type { Sessions } from './sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The project of a `read`, `write`, `read_or_write` or `project_admin` route. */
    project: Project | undefined;
    /** Who asks; undefined on routes that the guard leaves to themselves. */
    principal: Principal | undefined;
  }
}

/** The project of a request to a `read`, `write`, `read_or_write` or `project_admin` route. */
export function projectOf(request: FastifyRequest): Project {
  if (!request.project) throw new Error('This route was registered without access to a project');
  return request.project;
}

/** Who asks, on a route that is not public. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('This route was registered as public');
  return request.principal;
}

/** The caller, for the log of changes: `admin`, or the id of the API key or of the member. */
export const callerOf = (request: FastifyRequest): string => idOf(principalOf(request));

/** For a `read_or_write` route: the scope that this request needs. @throws Problem `forbidden` */
export function requireScope(request: FastifyRequest, scope: Scope): void {
  const role = scope === 'read' ? 'viewer' : 'editor';
  requireMay(principalOf(request), { access: scope, role, project: projectOf(request).id });
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
  app.decorateRequest('principal', undefined);
  app.addHook('onRoute', ({ url, config }) => {
    if (!config?.access) throw new Error(`The route ${url} does not say who may use it`);
    if ((config.role !== undefined && config.access === 'admin') !== (config.roleIn !== undefined))
      throw new Error(`The route ${url} does not say in which project its role is`);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const access = request.routeOptions.config.access;
    if (access === undefined || access === 'public' || access === 'client') return done();
    admit(request, access, options).then(() => done(), done);
  });
}

/** Admits a request, and sets its project and principal. @throws Problem `unauthenticated`, `forbidden` or `not_found` */
async function admit(request: FastifyRequest, access: Operation['access'], options: AccessOptions): Promise<void> {
  const { role: declared, roleIn } = request.routeOptions.config;
  const role = roleNeeded(access, declared) ?? 'admin';
  const principal = await identify(request, access, options);
  request.principal = principal;
  request.actor = toActor(principal);
  const caller = idOf(principal);
  if (access === 'admin') {
    if (declared !== undefined && roleIn === 'handler' && isSomewhere(principal, declared)) {
      // Which projects the request is about is in its body or query: the handler asks for each.
    } else {
      const project = roleIn === 'path' ? String(Object(request.params).id) : undefined;
      requireMay(principal, { access, role, project });
    }
    request.sender = { project: 'admin', caller };
    return;
  }
  const project = await findProject(request, principal, options.projects);
  requireMay(principal, { access, role, project: project.id });
  request.project = project;
  request.sender = { project: project.id, caller };
}

const isSomewhere = (principal: Principal, role: Role): boolean =>
  principal.kind === 'member' && [...principal.member.roles.keys()].some((one) => hasRole(principal.member, role, one));

const keyNeeded = 'Send an API key of the project: Authorization: Bearer <API key>.';

/**
 * Who sends a request: by its `Authorization`, or else by the cookie of a session.
 * @throws Problem `unauthenticated`; `forbidden` for a cookie with a request of another site
 */
async function identify(
  request: FastifyRequest,
  access: Access,
  { adminTokenHash, apiKeys, sessions }: AccessOptions,
): Promise<Principal> {
  const isForAdmin = access === 'admin' || access === 'project_admin';
  if (request.headers.authorization !== undefined) {
    const token = bearerToken(request);
    if (token === undefined) throw unauthenticated(isForAdmin ? adminNeeded : keyNeeded);
    const hash = hashSecret(token);
    if (equalHashes(hash, adminTokenHash)) return { kind: 'admin' };
    const key = await apiKeys.findByHash(hash);
    if (!key) throw unauthenticated(isForAdmin ? adminNeeded : keyNotValid);
    return { kind: 'key', key };
  }
  const id = readSessionId(request);
  if (id === undefined) throw unauthenticated(isForAdmin ? adminNeeded : keyNeeded);
  const session = await sessions.find(id);
  if (!session) throw unauthenticated('The session has ended; sign in again.');
  if (request.method !== 'GET' && request.method !== 'HEAD') requireSameOrigin(request);
  return session.principal;
}

/** The project of a key, or the one that the header names. */
async function findProject(request: FastifyRequest, principal: Principal, projects: Projects): Promise<Project> {
  if (principal.kind === 'key') {
    const project = await projects.find(principal.key.projectId);
    if (!project) throw unauthenticated(keyNotValid);
    return project;
  }
  const id = request.headers['farthing-project'];
  if (typeof id !== 'string' || id === '') {
    const who = principal.kind === 'admin' ? 'With the admin token' : 'As a member';
    throw new Problem('forbidden', `${who}, name the project in the header Farthing-Project: prj_….`);
  }
  const project = await projects.find(id);
  // A member who is not in a project learns nothing of it.
  const isHidden = principal.kind === 'member' && project !== undefined && !hasRole(principal.member, 'viewer', id);
  if (!project || isHidden)
    throw new Problem(
      'not_found',
      `${noProject}: correct the header Farthing-Project; GET /admin/projects/ lists yours.`,
    );
  return project;
}
