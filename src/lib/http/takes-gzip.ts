import type { IncomingMessage } from 'node:http';

/** Whether the client accepts gzip. */
export const takesGzip = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /\bgzip\b/i.test(String(headers['accept-encoding'] ?? ''));
