import type { FastifyRequest } from 'fastify';

/**
 * Who may use a route: anybody (`public`), the admin token (`admin`), the admin token for the project that
 * `Farthing-Project` names (`project_admin`), an API key of a project with the scope named (`read`, `write`; or the admin
 * token with `Farthing-Project`), or a client with its secret, which the intake checks itself (`client`).
 * Where a key or the token opens a route, so does the cookie of a session that was signed in with it (D2).
 */
export type Access = 'public' | 'admin' | 'project_admin' | 'read' | 'write' | 'client';

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
