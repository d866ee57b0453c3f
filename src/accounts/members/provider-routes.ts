import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Actor, actingAs } from '../../lib/actor.ts';
import type { App } from '../../lib/http/app.ts';
import {
  clearSignInCookie,
  readSignInCookie,
  setSessionCookie,
  setSignInCookie,
} from '../../lib/http/session-cookie.ts';
import { parseJson } from '../../lib/json.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';
import type { Members } from '../members.ts';
import type { Sessions } from '../sessions.ts';
import { type Checks, type Identity, type OpenIdProvider, SignInRefused } from './provider.ts';
import { refusalHeaders, renderRefusal } from './refusal-page.ts';

export interface ProviderRoutesOptions extends ControlSources {
  readonly provider: OpenIdProvider;
  readonly members: Members;
  readonly sessions: Sessions;
}

const checksFields = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string() });

/** `GET /session/provider/` sends the browser to the OpenID provider, which sends it to `…/callback/` (D34.1). */
export function registerProvider(app: App, options: ProviderRoutesOptions): void {
  const { provider, clock } = options;
  const route = { config: { access: 'public', isPage: true }, schema: { hide: true } } as const;

  app.get('/session/provider/', route, async (request, reply) => {
    try {
      const { url, checks } = await provider.begin();
      setSignInCookie(request, reply, Buffer.from(JSON.stringify(checks)).toString('base64url'));
      return await reply
        .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
        .redirect(url.href, 303);
    } catch (error) {
      return refuse(request, reply, error);
    }
  });
  app.get('/session/provider/callback/', route, async (request, reply) => {
    try {
      const checks = readChecks(request);
      // Whatever follows, this sign-in is used.
      clearSignInCookie(request, reply);
      if (!checks) throw new SignInRefused('mismatch', 'the browser did not begin it');
      const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
      const identity = await provider.finish(query, checks);
      const signedIn = await signIn(request, identity, options);
      const seconds = Math.ceil((signedIn.session.expiresAt - clock()) / 1_000);
      setSessionCookie(request, reply, signedIn.id, seconds);
      return await reply
        .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
        .redirect('/sign-in/#provider', 303);
    } catch (error) {
      return refuse(request, reply, error);
    }
  });
}

async function signIn(
  request: FastifyRequest,
  identity: Identity,
  { control, members, sessions, provider }: ProviderRoutesOptions,
) {
  let memberId: string | undefined;
  const actor: Actor = {
    kind: 'member',
    // The transaction finds the member, or makes one, before it records what it has changed.
    get id() {
      return memberId;
    },
    ...{ name: identity.email, address: request.ip, request: 'GET /session/provider/callback/' },
  };
  const id = await actingAs(actor, () =>
    control.transaction().execute(async (transaction) => {
      const found = await members.bind(identity, { takesStrangers: provider.takesStrangers }, transaction);
      if (typeof found === 'string') throw new SignInRefused(found, `the member is ${found}`);
      memberId = found.id;
      return { member: found.id, session: await sessions.signInMember(found.id, transaction) };
    }),
  );
  members.forget(id.member);
  const session = await sessions.find(id.session);
  if (!session) throw new SignInRefused('stranger', 'the member was removed meanwhile');
  return { id: id.session, session };
}

function readChecks(request: FastifyRequest): Checks | undefined {
  try {
    const value: unknown = parseJson(Buffer.from(readSignInCookie(request) ?? '', 'base64url').toString('utf8'));
    return checksFields.safeParse(value).data;
  } catch {
    return undefined;
  }
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof SignInRefused)) throw error;
  request.log.warn({ reason: error.reason }, `a sign-in was refused: ${error.message}`);
  const { status, html } = renderRefusal(error.reason);
  return reply.code(status).headers(refusalHeaders).type('text/html; charset=utf-8').serializer(String).send(html);
}
