import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isVerified, OpenIdProvider, SignInRefused } from '../../src/accounts/members/provider.ts';
import { answerOf, type Claims, type OpenIdServer, startOpenId } from '../support/openid.ts';

const publicUrl = 'http://farthing.example';
let server: OpenIdServer;
let provider: OpenIdProvider;

const connect = (allowedDomains?: readonly string[], issuer = server.issuer) => {
  const { id: clientId, secret: clientSecret } = server.client;
  return new OpenIdProvider({ issuer, clientId, clientSecret, allowedDomains }, publicUrl);
};

beforeAll(async () => {
  server = await startOpenId(`${publicUrl}/session/provider/callback/`);
  server.accounts.ada = { email: 'Ada@example.com', email_verified: true, name: 'Ada' };
  server.accounts.eve = { email: 'eve@example.com', email_verified: false };
  server.accounts.bob = { email: 'bob@example.com.evil.example', email_verified: true };
  server.accounts.nobody = {};
  // Whose K is the Kelvin sign, which is a k in lower case.
  server.accounts.kelvin = { email: 'mi\u212ae@example.com', email_verified: true };
  server.accounts.steering = { email: 'a\u001b[2J\0@example.com', email_verified: true };
  server.accounts.named = { email: 'Named@example.com', email_verified: true, name: 'a\0b' };
  provider = connect(['example.com']);
});
beforeEach(() => {
  server.spoil = undefined;
  server.account = 'ada';
});
afterAll(() => server.close());

const begin = async (as = provider) => {
  const { url, checks } = await as.begin();
  return { url, checks, answer: await answerOf(url, server.issuer) };
};
/** Signs in, or says why not. */
async function tryTo(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SignInRefused) return error.reason;
    throw error;
  }
}
const signIn = () =>
  tryTo(async () => {
    const { checks, answer } = await begin();
    return await provider.finish(answer.search, checks);
  });
const identity = { issuer: expect.any(String), subject: 'ada', email: 'ada@example.com', name: 'Ada' };

test('D34.1: somebody signs in with the code, once, with PKCE, state and nonce', async () => {
  const { url, checks, answer } = await begin();
  const asked = Object.fromEntries(url.searchParams);
  expect(asked).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', scope: 'openid email profile' });
  expect(asked.redirect_uri).toBe(`${publicUrl}/session/provider/callback/`);
  expect(url.href).not.toContain(checks.verifier);
  expect(await provider.finish(answer.search, checks)).toEqual({ ...identity, issuer: server.issuer });
  // The code is used; that of another sign-in is not of this browser.
  expect(await tryTo(() => provider.finish(answer.search, checks))).toBe('expired');
});

test('D34.1: an answer that is not of this sign-in or this provider is refused', async () => {
  const [mine, other] = [await begin(), await begin()];
  const spoiled = (name: string, value: string | null) => {
    const query = new URLSearchParams(mine.answer.search);
    if (value === null) query.delete(name);
    else query.set(name, value);
    return tryTo(() => provider.finish(`?${query}`, mine.checks));
  };
  expect(await tryTo(() => provider.finish(mine.answer.search, other.checks))).toBe('mismatch');
  expect(await spoiled('state', 'another')).toBe('mismatch');
  expect(await spoiled('state', null)).toBe('mismatch');
  expect(await spoiled('iss', 'http://another.example')).toBe('mismatch');
  expect(await spoiled('iss', null)).toBe('mismatch');
  expect(await spoiled('code', null)).toBe('mismatch');
  expect(await spoiled('code', 'guessed')).toBe('expired');
  const verifier = { ...other.checks, state: mine.checks.state };
  expect(await tryTo(() => provider.finish(mine.answer.search, verifier))).toBe('expired');
  expect(await tryTo(() => provider.finish('', mine.checks))).toBe('mismatch');
  server.account = undefined;
  expect(await signIn()).toBe('cancelled');
});

test('D34.1: an ID token that is wrong, expired, unsigned or of others is refused; a minute of skew is not', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const claimed = (change: Claims) => (claims: Claims) => server.sign({ ...claims, ...change });
  const faults: Readonly<Record<string, (claims: Claims) => string>> = {
    nonce: claimed({ nonce: 'another' }),
    'no nonce': claimed({ nonce: undefined }),
    issuer: claimed({ iss: 'http://another.example' }),
    audience: claimed({ aud: 'another' }),
    audiences: claimed({ aud: ['another', 'third'] }),
    expired: claimed({ exp: now - 600, iat: now - 1_200 }),
    'not yet': claimed({ nbf: now + 600 }),
    'without an end': claimed({ exp: undefined }),
    'without a subject': claimed({ sub: undefined }),
    unsigned: (claims) => server.sign(claims, { alg: 'none' }),
    'signed by another': (claims) => server.sign(claims, { key: other }),
    cut: (claims) => server.sign(claims).slice(0, -9),
  };
  const said: Record<string, unknown> = {};
  for (const [name, token] of Object.entries(faults)) {
    server.spoil = { token };
    said[name] = await signIn();
  }
  expect(said).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, 'mismatch'])));
  // The log says which claim is wrong, such as that of a clock, and nothing of its value.
  const named = { exp: { exp: now - 600 }, aud: { aud: 'another' }, iss: { iss: 'x:y' }, nonce: { nonce: 'another' } };
  for (const [claim, change] of Object.entries(named)) {
    server.spoil = { token: claimed(change) };
    const { checks, answer } = await begin();
    const refused = await provider.finish(answer.search, checks).catch((error: Error) => error.message);
    expect(refused).toMatch(new RegExp(`OAUTH_JWT_\\w+ ${claim}$`));
  }
  server.spoil = { token: claimed({ exp: now - 30, iat: now - 90 }) };
  expect(await signIn()).toMatchObject(identity);
});

test('D34.1: only a verified e-mail address in an allowed domain signs in', async () => {
  const said: Record<string, unknown> = {};
  for (const account of ['eve', 'bob', 'nobody', 'kelvin', 'steering', 'named']) {
    server.account = account;
    said[account] = await signIn();
  }
  expect(said).toEqual({
    ...{ eve: 'unverified', bob: 'domain', nobody: 'unverified', steering: 'unverified' },
    // Nobody else's address: that of mike@example.com, who may be an admin.
    kelvin: expect.objectContaining({ email: 'mi\u212ae@example.com' }),
    named: expect.objectContaining({ email: 'named@example.com', name: null }),
  });
  const entra = 'https://login.microsoftonline.com/tenant/v2.0';
  expect(isVerified({ email: 'a@b.c', xms_edov: true }, entra)).toBe(true);
  expect(isVerified({ email: 'a@b.c', xms_edov: '1' }, entra)).toBe(true);
  for (const [claims, issuer] of [
    [{ xms_edov: false }, entra],
    [{ xms_edov: true, email_verified: false }, entra],
    [{ xms_edov: true }, 'https://login.microsoftonline.com.evil.example/'],
    [{ email_verified: 'true' }, entra],
    [{}, entra],
  ] as const)
    expect(isVerified(claims, issuer)).toBe(false);
});

test('D34.1: a provider that is away is asked again later; private addresses that it names are never asked', async () => {
  const { checks, answer } = await begin();
  server.spoil = { isAway: true };
  expect(await tryTo(() => provider.finish(answer.search, checks))).toBe('away');
  // Behind a gateway it answers something; whoever signs in has done nothing wrong.
  for (const failsAs of [200, 429, 500, 502]) {
    server.spoil = { failsAs };
    expect([failsAs, await signIn()]).toEqual([failsAs, 'away']);
  }
  server.spoil = { isAway: true };
  const fresh = connect();
  expect(await tryTo(() => fresh.begin())).toBe('away');
  expect(await fresh.findFault()).toContain('could not be reached');
  server.spoil = undefined;
  expect(await fresh.findFault()).toBeUndefined();
  expect((await fresh.begin()).url.origin).toBe(server.issuer);

  const inside = connect();
  server.spoil = { discovery: { token_endpoint: 'http://127.0.0.2:1/token' } };
  const led = await begin(inside);
  await expect(inside.finish(led.answer.search, led.checks)).rejects.toThrow('must start with https://');
  server.spoil = { discovery: { issuer: 'http://another.example' } };
  expect(await tryTo(() => connect().begin())).toBe('away');
});
