import type { FastifyRequest } from 'fastify';

/**
 * Who may use a route:
 * - `public`: anybody;
 * - `admin`: the admin token;
 * - `project_admin`: the admin token, for the project that `Farthing-Project` names;
 * - `read`, `write`: an API key with this scope, or the admin token with `Farthing-Project`;
 * - `read_or_write`: an API key with either scope, or the admin token; the route asks for the one that its body needs;
 * - `client`: a client with its secret, which the intake checks itself.
 *
 * The cookie of a session opens what the key, the token or the role of the member that signed in opens (D2, D34.2).
 */
export type Access = 'public' | 'admin' | 'project_admin' | 'read' | 'write' | 'read_or_write' | 'client';

/** What members are in a project. Each may do all that those before it may. */
export const roles = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof roles)[number];

/** What a member needs to be: a role in the project, or an admin of the instance. */
export type NeededRole = Role | 'admin';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** The role of a member that the route needs, where it is less than its access says. */
    role?: Role;
    /** Which project this role is in: the one that `:id` of the path names, or several, which the handler asks for. */
    roleIn?: 'path' | 'handler';
  }
}

const roleByAccess: Readonly<Record<Access, NeededRole | undefined>> = {
  public: undefined,
  client: undefined,
  read: 'viewer',
  // For what its body writes, the route asks for more.
  read_or_write: 'viewer',
  write: 'editor',
  project_admin: 'admin',
  admin: 'admin',
};

/** What a member needs to be to use a route; undefined where members have no part. */
export const roleNeeded = (access: Access, role: Role | undefined): NeededRole | undefined =>
  role ?? roleByAccess[access];

/** The token of `Authorization: Bearer …`, or undefined. */
export function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}
