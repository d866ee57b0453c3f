// A real OpenID provider in this process, whose answers a test may spoil on their way, and a browser's part in a sign-in.
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, default as Provider } from 'oidc-provider';

export type Claims = Readonly<Record<string, unknown>>;

export interface OpenIdServer {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** What accounts say of themselves, by subject. */
  readonly accounts: Record<string, Claims>;
  /** Who signs in next; undefined cancels. */
  account: string | undefined;
  /** Makes another ID token of its claims, or answers nothing. */
  spoil:
    | {
        readonly token?: (claims: Claims) => string;
        readonly isAway?: boolean;
        readonly discovery?: Claims;
        /** What its token endpoint answers instead, as HTML. */
        readonly failsAs?: number;
      }
    | undefined;
  /** A signed token, by the provider's key or another. */
  sign(claims: Claims, options?: { readonly key?: KeyObject; readonly alg?: string }): string;
  close(): Promise<void>;
}

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startOpenId(redirectUri: string): Promise<OpenIdServer> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened: OpenIdServer = {
    issuer,
    client: { id: 'farthing', secret: 'the-secret-of-the-client' },
    accounts: {},
    account: undefined,
    spoil: undefined,
    sign: (claims, { key = privateKey, alg = 'RS256' } = {}) => {
      const text = `${base64({ alg, kid: 'of-the-test', typ: 'JWT' })}.${base64(claims)}`;
      return alg === 'none' ? `${text}.` : `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
    },
    close: () => end(server),
  };
  const configuration: Configuration = {
    clients: [
      {
        client_id: opened.client.id,
        client_secret: opened.client.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'of-the-test', use: 'sig', alg: 'RS256' } as never],
    },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...opened.accounts[id] }),
    }),
    // Nobody is asked whether this service may know who signs in.
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    renderError: (context, out) => {
      context.body = JSON.stringify(out);
    },
  };
  const provider = new Provider(issuer, configuration);
  const callback = provider.callback();

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { spoil } = opened;
    if (spoil?.isAway) {
      request.socket.destroy();
      return;
    }
    if (spoil?.failsAs !== undefined && request.url === '/token') {
      response.writeHead(spoil.failsAs, { 'content-type': 'text/html' }).end('<p>Try again later</p>');
      return;
    }
    if (request.url?.startsWith('/interaction/')) {
      const result =
        opened.account === undefined ? { error: 'access_denied' } : { login: { accountId: opened.account } };
      void provider.interactionFinished(request, response, result);
      return;
    }
    const isToken = request.url === '/token' && spoil?.token !== undefined;
    const isDiscovery = request.url?.endsWith('/openid-configuration') && spoil?.discovery !== undefined;
    if (isToken || isDiscovery) rewrite(response, (body) => spoilAnswer(body, spoil));
    void callback(request, response);
  }
  return opened;
}

function spoilAnswer(body: Record<string, unknown>, spoil: NonNullable<OpenIdServer['spoil']>): object {
  if (typeof body.id_token !== 'string') return { ...body, ...spoil.discovery };
  const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
  return { ...body, id_token: spoil.token?.(claims) };
}

/** Answers with other JSON than what is written. */
function rewrite(response: ServerResponse, change: (body: Record<string, unknown>) => object): void {
  const end = response.end.bind(response);
  response.end = ((text: string | Buffer) => {
    const body = JSON.stringify(change(JSON.parse(String(text)) as Record<string, unknown>));
    response.setHeader('content-length', Buffer.byteLength(body));
    return end(body);
  }) as typeof response.end;
}

const end = (server: Server) =>
  new Promise<void>((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });

/** Follows the provider's redirects with its cookies, as a browser does, to the address that it sends the browser back to. */
export async function answerOf(url: string | URL, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(url);
  for (let steps = 0; steps < 10; steps += 1) {
    if (at.origin !== issuer) return at;
    const answer = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`${at.pathname} answered ${answer.status}: ${await answer.text()}`);
    at = new URL(next, at);
  }
  throw new Error('the provider redirects without an end');
}
