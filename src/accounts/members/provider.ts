import type * as OpenId from 'openid-client';
import { hostOf, type Reach, RequestFault, requestGuarded } from '../../lib/guarded-request.ts';
import type { OidcSettings } from '../../lib/oidc-settings.ts';
import { memberName } from './wire.ts';

/** What the browser keeps between the request to the provider and its answer. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who has signed in at the provider, with a verified e-mail address in an allowed domain. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string | null;
}

export type RefusalReason =
  | 'away'
  | 'cancelled'
  | 'mismatch'
  | 'expired'
  | 'unverified'
  | 'domain'
  | 'stranger'
  | 'taken';

/** A sign-in that is refused. The message is for the log, and has no token. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** How long what the provider says of itself is used, in milliseconds. */
const discoveryMs = 3_600_000;
const timeoutMs = 10_000;
const maxAnswerBytes = 1_048_576;
/** How far the provider's clock may differ, in seconds. */
const mostSkewSeconds = 60;

/** The OpenID provider that members sign in with (D34.1): authorization code with PKCE, state and nonce. */
export class OpenIdProvider {
  readonly #settings: OidcSettings;
  readonly #redirectUrl: string;
  readonly #reach: Reach;
  #opened: { readonly at: number; readonly config: Promise<OpenId.Configuration> } | undefined;

  /** @param publicUrl the address of the service as browsers see it */
  constructor(settings: OidcSettings, publicUrl: string) {
    this.#settings = settings;
    this.#redirectUrl = `${publicUrl.replace(/\/+$/, '')}/session/provider/callback/`;
    // The operator has named the issuer, so it alone may have a private address.
    this.#reach = { hosts: new Set([hostOf(new URL(settings.issuer))]) };
  }

  /** The host by which people know it. */
  get host(): string {
    return new URL(this.#settings.issuer).host;
  }

  /** Whether somebody with an e-mail address in an allowed domain becomes a member, without a role. */
  get takesStrangers(): boolean {
    return this.#settings.allowedDomains !== undefined;
  }

  /** Where to send the browser, and what it keeps. @throws SignInRefused `away` */
  async begin(): Promise<{ readonly url: URL; readonly checks: Checks }> {
    const openId = await import('openid-client');
    const config = await this.#open();
    const checks = {
      state: openId.randomState(),
      nonce: openId.randomNonce(),
      verifier: openId.randomPKCECodeVerifier(),
    };
    const url = openId.buildAuthorizationUrl(config, {
      redirect_uri: this.#redirectUrl,
      scope: 'openid email profile',
      code_challenge: await openId.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      state: checks.state,
      nonce: checks.nonce,
    });
    return { url, checks };
  }

  /** Reads the provider's answer, the query string with `?`, once. @throws SignInRefused */
  async finish(query: string, { state, nonce, verifier }: Checks): Promise<Identity> {
    const openId = await import('openid-client');
    const config = await this.#open();
    try {
      const tokens = await openId.authorizationCodeGrant(config, new URL(this.#redirectUrl + query), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      // An issuer for every tenant of a provider would let each of them bind members.
      if (claims?.iss !== config.serverMetadata().issuer)
        throw new SignInRefused('mismatch', 'the ID token is of no or another issuer');
      const further =
        typeof claims.email === 'string' ? claims : await openId.fetchUserInfo(config, tokens.access_token, claims.sub);
      return this.#identify(claims.iss, claims.sub, further);
    } catch (error) {
      throw toRefusal(error, openId);
    }
  }

  /** Why members cannot sign in now; undefined if they can. */
  async findFault(): Promise<string | undefined> {
    try {
      await this.#open();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #identify(issuer: string, subject: string, claims: Readonly<Record<string, unknown>>): Identity {
    const name = memberName.safeParse(typeof claims.name === 'string' ? claims.name.slice(0, 200) : null);
    // Of A to Z alone: others have the lower case of a letter that an address of somebody else has.
    const email =
      typeof claims.email === 'string' ? claims.email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : '';
    if (!/^[^@\s\p{C}]+@[^@\s\p{C}]+$/u.test(email) || email.length > 254 || !isVerified(claims, issuer))
      throw new SignInRefused('unverified', 'the e-mail address is missing or not verified');
    const domain = email.slice(email.lastIndexOf('@') + 1);
    const { allowedDomains } = this.#settings;
    if (allowedDomains !== undefined && !allowedDomains.includes(domain))
      throw new SignInRefused('domain', 'the domain of the e-mail address is not allowed');
    return { issuer, subject, email, name: name.data ?? null };
  }

  async #open(): Promise<OpenId.Configuration> {
    const now = performance.now();
    if (this.#opened === undefined || now - this.#opened.at > discoveryMs)
      this.#opened = { at: now, config: this.#discover() };
    const opened = this.#opened;
    try {
      return await opened.config;
    } catch (cause) {
      // The next sign-in asks again.
      if (this.#opened === opened) this.#opened = undefined;
      throw new SignInRefused('away', `the OpenID provider ${this.host} ${whyAway(cause)}`);
    }
  }

  async #discover(): Promise<OpenId.Configuration> {
    const openId = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    const config = await openId.discovery(
      url,
      clientId,
      { client_secret: clientSecret, [openId.clockTolerance]: mostSkewSeconds },
      undefined,
      {
        // A setting allows http only on this machine.
        execute: [
          openId.enableNonRepudiationChecks,
          ...(url.protocol === 'http:' ? [openId.allowInsecureRequests] : []),
        ],
        timeout: timeoutMs / 1_000,
        [openId.customFetch]: (asked, options) => this.#fetch(asked, options),
      },
    );
    return config;
  }

  async #fetch(url: string, { method, headers, body, signal }: OpenId.CustomFetchOptions): Promise<Response> {
    const answer = await requestGuarded(
      new URL(url),
      {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        body: body == null ? undefined : String(body),
        ...{ timeoutMs, maxBytes: maxAnswerBytes, signal: signal ?? AbortSignal.timeout(timeoutMs) },
      },
      this.#reach,
    );
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: answer.headers });
  }
}

const microsoft = /^https:\/\/(?:login\.microsoftonline\.com|login\.microsoftonline\.us|sts\.windows\.net)\//;

/** Microsoft says by a claim of its own that the owner of the domain has verified the address. */
export const isVerified = (claims: Readonly<Record<string, unknown>>, issuer: string): boolean =>
  claims.email_verified === true ||
  (claims.email_verified === undefined &&
    microsoft.test(issuer) &&
    [true, 1, '1', 'true'].includes(claims.xms_edov as never));

/** Why the provider could not be asked, in words that have no token. */
function whyAway(cause: unknown): string {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (error instanceof RequestFault) return error.message;
  }
  return `does not answer as one: ${cause instanceof Error ? cause.message : String(cause)}`;
}

function toRefusal(error: unknown, openId: typeof OpenId): SignInRefused {
  if (error instanceof SignInRefused) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RequestFault) return new SignInRefused('away', cause.message);
  }
  if (error instanceof openId.AuthorizationResponseError)
    return new SignInRefused(error.error === 'access_denied' ? 'cancelled' : 'mismatch', `it answered ${error.error}`);
  if (error instanceof openId.ResponseBodyError) {
    const isUsed = error.error === 'invalid_grant';
    return new SignInRefused(isUsed ? 'expired' : 'away', `its token endpoint answered ${error.error}`);
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (unreadable.has(code)) return new SignInRefused('away', `${message} ${code}`);
  return new SignInRefused('mismatch', [message, code, claimOf(error)].join(' ').trim());
}

/** The library's codes for a provider that fails, answers too late, or answers something else. */
const unreadable: ReadonlySet<string> = new Set([
  ...['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_PARSE_ERROR', 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
  'OAUTH_RESPONSE_IS_NOT_JSON',
]);

/** The name of the claim that is wrong, which leads to a clock or a client id; its value stays out of the log. */
function claimOf(error: unknown): string {
  for (let cause = error; typeof cause === 'object' && cause !== null; cause = Object(cause).cause) {
    const { claim } = Object(cause);
    if (typeof claim === 'string') return claim;
  }
  return '';
}
