import type { IncomingMessage } from 'node:http';

export const takesGzip = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /\bgzip\b/i.test(String(headers['accept-encoding'] ?? ''));

/** Headers of a page that loads only what this service serves, and what is given besides. */
export const pageSecurity = (from: { readonly styles: string; readonly images: string; readonly fonts: string }) => ({
  'content-security-policy': [
    ...["default-src 'none'", "script-src 'self'"],
    ...[`style-src ${from.styles}`, `img-src ${from.images}`, `font-src ${from.fonts}`],
    ...["connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
});
