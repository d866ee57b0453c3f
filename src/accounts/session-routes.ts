import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { App } from '../lib/http/app.ts';
import { problemWith } from '../lib/http/problem-schema.ts';
import { clearSessionCookie, readSessionId, requireSameOrigin, setSessionCookie } from '../lib/http/session-cookie.ts';
import { Problem } from '../lib/problem.ts';
import { timeField, toTime } from '../lib/times.ts';
import { scopes } from './api-keys.ts';
import { exampleProject, projectFields, toProjectWire } from './project-record.ts';
import type { Projects } from './projects.ts';
import type { Session, Sessions } from './sessions.ts';

export interface SessionRoutesOptions {
  readonly sessions: Sessions;
  readonly projects: Projects;
  readonly clock: Clock;
}

const signInBody = z
  .strictObject({
    api_key: z.string().min(1).optional().describe('An API key of a project.'),
    admin_token: z.string().min(1).optional().describe('The admin token of the instance.'),
  })
  .refine(({ api_key: apiKey, admin_token: adminToken }) => (apiKey === undefined) !== (adminToken === undefined), {
    error: 'must have either api_key or admin_token',
  })
  .meta({
    oneOf: [{ required: ['api_key'] }, { required: ['admin_token'] }],
    examples: [{ api_key: 'fk_9pYq0x3VbTnW5kZs7LdR2mHcJ8gFa1Ue6XoBiNtC' }],
  });

const sessionFields = z.object({
  kind: z.enum(['key', 'admin']).describe('Signed in with an API key or with the admin token.'),
  project: projectFields.optional().describe('The project of the key; left out for the admin token.'),
  scopes: z.array(z.enum(scopes)).optional().describe('The scopes of the key; left out for the admin token.'),
  expires_at: timeField.describe('The latest end of the session.'),
});
const exampleSession = {
  kind: 'key',
  project: exampleProject,
  scopes: ['read', 'write'],
  expires_at: '2026-11-21T21:04:11.482Z',
};

const setsCookie = { 'Set-Cookie': { type: 'string', description: 'The cookie `farthing_session`.' } };

/** `POST/GET/DELETE /session/` (D2): sign in, read the session, sign out. */
export function registerSessions(app: App, { sessions, projects, clock }: SessionRoutesOptions): void {
  // Public, because these routes check the credentials themselves.
  const config = { access: 'public' } as const;
  const tags = ['Session'];
  const noSession = problemWith().describe('No session: there is no cookie, or its session has ended.');

  const toSessionWire = async ({ caller, expiresAt }: Session) => {
    const end = toTime(expiresAt);
    if (caller === 'admin') return { kind: 'admin' as const, expires_at: end };
    const project = await projects.find(caller.projectId);
    if (!project) return undefined;
    return { kind: 'key' as const, project: toProjectWire(project), scopes: [...caller.scopes], expires_at: end };
  };

  app.post('/session/', {
    config,
    schema: {
      summary: 'Sign in',
      description:
        'Takes an API key or the admin token and sets the cookie `farthing_session`, which replaces it for at most 12 hours. ' +
        'The cookie is HttpOnly, SameSite=Strict, and Secure over TLS. The session ends with its key or token. ' +
        'With the cookie, a request other than GET needs an `Origin` header of this service.',
      tags,
      security: [],
      body: signInBody,
      response: {
        200: sessionFields.meta({
          description: 'Signed in; the cookie is set.',
          examples: [exampleSession],
          headers: setsCookie,
        }),
        401: problemWith().describe('The key or token is not valid.'),
      },
    },
    handler: async (request, reply) => {
      const { api_key: apiKey, admin_token: adminToken = '' } = request.body;
      const signedIn = await sessions.signIn(apiKey === undefined ? { adminToken } : { apiKey });
      const answer = signedIn && (await toSessionWire(signedIn.session));
      if (!answer) {
        throw unauthenticated(
          `The ${apiKey === undefined ? 'admin token' : 'API key'} is not valid; send a valid one.`,
        );
      }
      const seconds = Math.ceil((signedIn.session.expiresAt - clock()) / 1_000);
      setSessionCookie(request, reply, signedIn.id, seconds);
      return answer;
    },
  });
  app.get('/session/', {
    config,
    schema: {
      summary: 'Who is signed in',
      description: 'The session of the cookie. The `Authorization` header is ignored.',
      tags,
      security: [{ session: [] }],
      response: {
        200: sessionFields.meta({ description: 'The session.', examples: [exampleSession] }),
        401: noSession,
      },
    },
    handler: async (request) => {
      const id = readSessionId(request);
      const session = id === undefined ? undefined : await sessions.find(id);
      const answer = session && (await toSessionWire(session));
      if (!answer) throw unauthenticated('There is no session; sign in with POST /session/.');
      return answer;
    },
  });
  app.delete('/session/', {
    config,
    schema: {
      summary: 'Sign out',
      description: 'Ends the session and clears the cookie. Succeeds without a session, too.',
      tags,
      security: [{ session: [] }, {}],
      response: {
        204: z.null().meta({ description: 'Signed out; the cookie is cleared.', headers: setsCookie }),
        403: problemWith().describe('The `Origin` is not this service: another site may have sent the request.'),
      },
    },
    handler: async (request, reply) => {
      const id = readSessionId(request);
      if (id !== undefined) {
        requireSameOrigin(request);
        await sessions.signOut(id);
      }
      clearSessionCookie(request, reply);
      return reply.code(204).send(null);
    },
  });
}

const unauthenticated = (detail: string) =>
  new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } });
