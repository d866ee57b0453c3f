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
 * The cookie of a session opens what the key or token that signed in opens (D2).
 */
export type Access = 'public' | 'admin' | 'project_admin' | 'read' | 'write' | 'read_or_write' | 'client';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
}

/** The token of `Authorization: Bearer …`, or undefined. */
export function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}
