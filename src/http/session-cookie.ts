import cookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../lib/problem.ts';
import type { App } from './app.ts';

/** The cookie of a sign-in (D2): a random id, which says nothing by itself. */
export const sessionCookie = 'farthing_session';

/** Makes cookies known to the app. They are parsed where one is asked for, not once a request. */
export function takeCookies(app: App): void {
  app.register(cookie, { hook: false });
}

/** The id of the session that a request names, or undefined. */
export function readSessionId(request: FastifyRequest): string | undefined {
  const header = request.headers.cookie;
  return header === undefined ? undefined : request.server.parseCookie(header)[sessionCookie] || undefined;
}

const attributes = { path: '/', httpOnly: true, sameSite: 'strict' } as const;

/** Hands the browser its session, for `seconds`. The cookie is Secure when the request came over TLS. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, id: string, seconds: number): void {
  reply.setCookie(sessionCookie, id, { ...attributes, secure: isSecure(request), maxAge: seconds });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, { ...attributes, secure: isSecure(request) });
}

/** `X-Forwarded-Proto` counts only when it comes from a trusted proxy (`FARTHING_TRUSTED_PROXIES`). */
const isSecure = (request: FastifyRequest): boolean => request.protocol === 'https';

/**
 * Whether the page that sent this request is one of this service: a browser sends a cookie along with requests that other
 * pages make it send, but it never lets them set `Origin`.
 * @throws Problem `forbidden`
 */
export function requireSameOrigin(request: FastifyRequest): void {
  const own = `${request.protocol}://${request.host}`;
  if (request.headers.origin?.toLowerCase() === own.toLowerCase()) return;
  throw new Problem(
    'forbidden',
    `With a session, a request that is not a GET needs the header Origin: ${own}. ` +
      'Behind a proxy that ends TLS, name the proxy in FARTHING_TRUSTED_PROXIES. Without a browser, send Authorization instead.',
  );
}
