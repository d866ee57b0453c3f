import { createHash } from 'node:crypto';
import type { RefusalReason } from './provider.ts';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color:#1c1917}a{color:#1d4ed8}' +
  '@media(prefers-color-scheme:dark){body{background:#0c0a09;color:#f5f5f4}a{color:#93c5fd}}';

const texts: Readonly<Record<RefusalReason, readonly [status: number, title: string, advice: string]>> = {
  away: [
    503,
    'The sign-in provider does not answer',
    'Try again in a moment. If it stays away, whoever runs Farthing sees the cause with <code>farthing doctor</code>, and signs in with the admin token.',
  ],
  cancelled: [403, 'The sign-in was cancelled', 'Nothing was changed. Sign in again when you want to.'],
  mismatch: [
    400,
    'This sign-in is not the one that began here',
    'It may have begun in another browser, or too long ago. Sign in again, in one window. If that does not help, the log of Farthing says why.',
  ],
  expired: [400, 'This sign-in was used, or took too long', 'Sign in again.'],
  unverified: [
    403,
    'Your e-mail address is not verified',
    'Verify it at your sign-in provider, or ask whoever runs it to pass the verified address on, and sign in again.',
  ],
  domain: [
    403,
    'Your e-mail address may not sign in here',
    'Sign in with the address of your company, or ask whoever runs Farthing to allow its domain.',
  ],
  stranger: [
    403,
    'You are not a member',
    'Ask an owner of the project to invite this e-mail address, and sign in again.',
  ],
  taken: [
    403,
    'This e-mail address belongs to another member',
    'Ask an admin to remove that member and to invite you again.',
  ],
};

/** Headers of a page without any script. */
export const refusalHeaders = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** A page that says why a sign-in is refused, and what to do. */
export function renderRefusal(reason: RefusalReason): { readonly status: number; readonly html: string } {
  const [status, title, advice] = texts[reason];
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Farthing: ${title}</title><style>${style}</style></head><body><h1>${title}</h1><p>${advice}</p><p><a href="/session/provider/">Sign in again</a> · <a href="/">Other ways to sign in</a></p></body></html>`;
  return { status, html };
}
