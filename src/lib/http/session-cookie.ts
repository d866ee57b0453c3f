import cookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';
import type { App } from './app.ts';

/** The cookie of a sign-in (D2): a random id that holds no data. */
export const sessionCookie = 'farthing_session';

/** Adds cookies to the app. They are parsed only where one is read, not on every request. */
export function takeCookies(app: App): void {
  app.register(cookie, { hook: false });
}

/** The id of the session that a request names, or undefined. */
export function readSessionId(request: FastifyRequest): string | undefined {
  const header = request.headers.cookie;
  return header === undefined ? undefined : request.server.parseCookie(header)[sessionCookie] || undefined;
}

const attributes = { path: '/', httpOnly: true, sameSite: 'strict' } as const;

/** Sets the session of a browser, for `seconds`. The cookie is Secure when the request came over TLS. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, id: string, seconds: number): void {
  reply.setCookie(sessionCookie, id, { ...attributes, secure: isSecure(request), maxAge: seconds });
}

/** The cookie of a sign-in with a provider, which comes back from another site. */
const signInCookie = 'farthing_sign_in';
const signInAttributes = { path: '/session/provider', httpOnly: true, sameSite: 'lax' } as const;
/** How long people take to sign in at the provider at most, in seconds. */
const signInSeconds = 600;

export function setSignInCookie(request: FastifyRequest, reply: FastifyReply, value: string): void {
  reply.setCookie(signInCookie, value, { ...signInAttributes, secure: isSecure(request), maxAge: signInSeconds });
}

export const readSignInCookie = (request: FastifyRequest): string | undefined =>
  request.server.parseCookie(request.headers.cookie ?? '')[signInCookie];

export function clearSignInCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(signInCookie, { ...signInAttributes, secure: isSecure(request) });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, { ...attributes, secure: isSecure(request) });
}

/** `X-Forwarded-Proto` counts only from a trusted proxy (`FARTHING_TRUSTED_PROXIES`). */
const isSecure = (request: FastifyRequest): boolean => request.protocol === 'https';

/**
 * Refuses what a page of another site sent: browsers add the cookie there too, but no page can set `Origin`.
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
