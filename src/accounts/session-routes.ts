import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { roles } from '../lib/http/access.ts';
import type { App } from '../lib/http/app.ts';
import { problemWith } from '../lib/http/problem-schema.ts';
import { clearSessionCookie, readSessionId, requireSameOrigin, setSessionCookie } from '../lib/http/session-cookie.ts';
import { timeField, toTime } from '../lib/times.ts';
import { scopes } from './api-keys.ts';
import { unauthenticated } from './principal.ts';
import { exampleProject, projectFields, toProjectWire } from './project-record.ts';
import type { Projects } from './projects.ts';
import type { Session, Sessions } from './sessions.ts';

export interface SessionRoutesOptions {
  readonly sessions: Sessions;
  readonly projects: Projects;
  readonly clock: Clock;
  /** The host of the OpenID provider that members sign in with, so that no link signs in; undefined without one. */
  readonly provider: string | undefined;
}

const linkSecret = z.string().min(1).describe('The secret of a one-time link: the text after its #.');
const exampleLink = 'fi_9pYq0x3VbTnW5kZs7LdR2mHcJ8gFa1Ue6XoBiNtC';
const noLink = 'This link is used, expired or unknown; ask whoever invited you for a new one.';

const signInBody = z
  .strictObject({
    api_key: z.string().min(1).optional().describe('An API key of a project.'),
    admin_token: z.string().min(1).optional().describe('The admin token of the instance.'),
    invitation: linkSecret.optional(),
  })
  .refine((given) => Object.values(given).filter((value) => value !== undefined).length === 1, {
    error: 'must have either api_key, admin_token or invitation',
  })
  .meta({
    oneOf: [{ required: ['api_key'] }, { required: ['admin_token'] }, { required: ['invitation'] }],
    examples: [{ api_key: 'fk_9pYq0x3VbTnW5kZs7LdR2mHcJ8gFa1Ue6XoBiNtC' }],
  });

const sessionFields = z.object({
  kind: z.enum(['key', 'admin', 'member']).describe('Signed in with an API key, with the admin token, or as a member.'),
  project: projectFields.optional().describe('The project of a key.'),
  scopes: z.array(z.enum(scopes)).optional().describe('The scopes of a key.'),
  member: z
    .object({ id: z.string(), email: z.string(), name: z.string().nullable(), is_admin: z.boolean() })
    .optional()
    .describe('The member.'),
  roles: z
    .array(z.object({ role: z.enum(roles), project: projectFields }))
    .optional()
    .describe('The roles of a member in projects.'),
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
export function registerSessions(app: App, { sessions, projects, clock, provider }: SessionRoutesOptions): void {
  // Public, because these routes check the credentials themselves.
  const config = { access: 'public' } as const;
  const tags = ['Session'];
  const noSession = problemWith().describe('No session: there is no cookie, or its session has ended.');

  const toSessionWire = async ({ principal, expiresAt }: Session) => {
    const end = toTime(expiresAt);
    if (principal.kind === 'admin') return { kind: 'admin' as const, expires_at: end };
    if (principal.kind === 'member') {
      const { id, email, name, isAdmin, roles: given } = principal.member;
      const found = await Promise.all(
        [...given].map(async ([projectId, role]) => ({ role, project: await projects.find(projectId) })),
      );
      return {
        kind: 'member' as const,
        member: { id, email, name, is_admin: isAdmin },
        roles: found.flatMap(({ role, project }) => (project ? [{ role, project: toProjectWire(project) }] : [])),
        expires_at: end,
      };
    }
    const { projectId, scopes: given } = principal.key;
    const project = await projects.find(projectId);
    if (!project) return undefined;
    return { kind: 'key' as const, project: toProjectWire(project), scopes: [...given], expires_at: end };
  };

  /** @throws Problem `unauthenticated` */
  const signIn = async (
    { api_key: apiKey, admin_token: adminToken, invitation }: z.output<typeof signInBody>,
    from: { readonly address: string; readonly request: string },
  ) => {
    if (invitation !== undefined) {
      const signedIn = provider !== undefined ? undefined : await sessions.signInByLink(invitation, from);
      if (signedIn) return signedIn;
      throw unauthenticated(noLink);
    }
    const signedIn = await sessions.signIn(apiKey === undefined ? { adminToken: adminToken ?? '' } : { apiKey });
    if (signedIn) return signedIn;
    throw unauthenticated(`The ${apiKey === undefined ? 'admin token' : 'API key'} is not valid; send a valid one.`);
  };

  app.post('/session/', {
    config,
    schema: {
      summary: 'Sign in',
      description:
        'Takes an API key or the admin token and sets the cookie `farthing_session`, which replaces it for at most 12 hours; or the secret of a one-time link, which is used up, and signs a member in for at most 30 days, 7 without a request. ' +
        'The cookie is HttpOnly, SameSite=Strict, and Secure over TLS. The session ends with its key, token or member. ' +
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
        401: problemWith().describe('The key, token or link is not valid.'),
      },
    },
    handler: async (request, reply) => {
      const signedIn = await signIn(request.body, { address: request.ip, request: 'POST /session/' });
      const answer = await toSessionWire(signedIn.session);
      if (!answer) throw unauthenticated('The API key is not valid; send a valid one.');
      const seconds = Math.ceil((signedIn.session.expiresAt - clock()) / 1_000);
      setSessionCookie(request, reply, signedIn.id, seconds);
      return answer;
    },
  });
  app.post('/session/link/', {
    config,
    schema: {
      summary: 'Whom a link signs in',
      description: 'The link stays unused. Only the holder of the link may know this, so its secret is needed.',
      tags,
      security: [],
      body: z.strictObject({ invitation: linkSecret }).meta({ examples: [{ invitation: exampleLink }] }),
      response: {
        200: z
          .object({ email: z.string(), name: z.string().nullable() })
          .meta({ description: 'The member.', examples: [{ email: 'ada@example.com', name: 'Ada' }] }),
        401: problemWith().describe('The link is not valid.'),
      },
    },
    handler: async (request) => {
      const member = provider === undefined ? await sessions.findByLink(request.body.invitation) : undefined;
      if (!member) throw unauthenticated(noLink);
      return { email: member.email, name: member.name };
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
  app.get('/session/ways/', {
    config,
    schema: {
      summary: 'How people sign in here',
      description: 'For the sign-in of the page: API keys and the admin token always sign in.',
      tags,
      security: [],
      response: {
        200: z
          .object({
            provider: z
              .string()
              .nullable()
              .describe(
                'The host of the OpenID provider that members sign in with at `/session/provider/`; null for links.',
              ),
          })
          .meta({ description: 'The ways.', examples: [{ provider: 'accounts.google.com' }] }),
      },
    },
    handler: async () => ({ provider: provider ?? null }),
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
