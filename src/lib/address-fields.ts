import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { hostOf } from './guarded-request.ts';

/** Whether the text is an address, a range such as 10.0.0.0/8, or the name of a set of ranges. */
const isProxy = (text: string): boolean => {
  const [address = '', bits] = text.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  if (most === undefined) return bits === undefined && ['loopback', 'linklocal', 'uniquelocal'].includes(address);
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
};
/** Addresses and ranges of proxies. */
export const addressList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isProxy), {
    error: 'must be addresses or ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal, separated by commas',
  });
/** Hosts in the form that a URL gives them: lower case, IPv6 without brackets. */
export const hostList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .transform((parts, context) =>
    parts.map((part) => {
      const url = `https://${isIPv6(part) ? `[${part}]` : part}`;
      const host = URL.canParse(url) ? new URL(url) : undefined;
      if (host !== undefined && /^[^/?#@]+$/.test(part) && host.port === '') {
        return hostOf(host);
      }
      context.issues.push({
        code: 'custom',
        input: part,
        message: 'must be names or addresses of hosts, separated by commas',
      });
      return z.NEVER;
    }),
  );

/** Addresses by provider: `openai=https://proxy.example/v1,anthropic=…`. */
export const providerUrls = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every((part) => /^(openai|anthropic|openrouter)=https?:\/\/[^\s?#]+[^/\s?#]$/.test(part)), {
    error: 'must be openai=, anthropic= or openrouter= and a URL without a slash at the end, separated by commas',
  })
  .transform(
    (parts): Readonly<Record<string, string>> =>
      Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)])),
  );

/** The address of an OpenID provider: over https, or on this machine. */
export const issuerUrl = z.string().refine(
  (text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    const isHere = ['localhost', '127.0.0.1', '::1'].includes(hostOf(url));
    return (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) && url.search === '' && url.hash === '';
  },
  { error: 'must be a URL that starts with https://' },
);

/** Domains of e-mail addresses, in lower case. */
export const domainList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().toLowerCase()))
  .refine((parts) => parts.every((part) => /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(part)), {
    error: 'must be domains such as example.com, separated by commas',
  });
