import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createApp } from '../../src/lib/http/create-app.ts';
import { clearSessionCookie, setSessionCookie, takeCookies } from '../../src/lib/http/session-cookie.ts';

function makeApp(trustedProxies?: readonly string[]) {
  return createApp(
    pino({ level: 'silent' }),
    (routes) => {
      takeCookies(routes);
      routes.get('/in', { config: { access: 'public' } }, async (request, reply) => {
        setSessionCookie(request, reply, 'id', 60);
        return {};
      });
      routes.get('/out', { config: { access: 'public' } }, async (request, reply) => {
        clearSessionCookie(request, reply);
        return {};
      });
    },
    { trustedProxies },
  );
}

test('D2: the cookie is Secure when a trusted proxy took the request over TLS, and only then', async () => {
  const overTls = { 'x-forwarded-proto': 'https' };
  const cookie = async (trustedProxies: readonly string[] | undefined, headers: Record<string, string>, url = '/in') =>
    (await makeApp(trustedProxies).inject({ url, headers })).headers['set-cookie'];
  expect(await cookie(['loopback'], overTls)).toBe(
    'farthing_session=id; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Strict',
  );
  expect(await cookie(['loopback'], overTls, '/out')).toMatch(/^farthing_session=; Max-Age=0; .*; Secure/);
  for (const without of [cookie(['loopback'], {}), cookie(undefined, overTls), cookie(['10.0.0.0/8'], overTls)]) {
    expect(await without).toBe('farthing_session=id; Max-Age=60; Path=/; HttpOnly; SameSite=Strict');
  }
});

test('D13.1: trusted proxies are addresses, ranges, or names of ranges', () => {
  const read = (FARTHING_TRUSTED_PROXIES: string) => readConfig({ FARTHING_TRUSTED_PROXIES }).trustedProxies;
  expect(read('')).toBeUndefined();
  expect(read('10.0.0.7, 192.168.0.0/16 ,fd00::/8,loopback')).toEqual([
    '10.0.0.7',
    '192.168.0.0/16',
    'fd00::/8',
    'loopback',
  ]);
  for (const wrong of [
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0',
    'loopback/8',
    '10.0.0.1,',
    'fd00::/129',
  ]) {
    expect(() => read(wrong), wrong).toThrow(/FARTHING_TRUSTED_PROXIES: must be addresses/);
  }
});
