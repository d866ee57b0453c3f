import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { authenticationFailed, passwordRequired } from './exception.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Throws unless the request carries these credentials, as basic authentication or in ClickHouse's own headers. */
export function authenticate(request: IncomingMessage, expected: Credentials): void {
  const given = basicCredentials(request.headers.authorization) ?? headerCredentials(request);
  if (given === undefined) throw passwordRequired();
  // Both are always compared, so that the time taken reveals nothing.
  const userIsRight = equalSecrets(given.username, expected.username);
  const passwordIsRight = equalSecrets(given.password, expected.password);
  if (!userIsRight || !passwordIsRight) throw authenticationFailed();
}

function basicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^basic\s+(.+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const separator = decoded.indexOf(':');
  if (separator === -1) return undefined;
  return { username: decoded.slice(0, separator), password: decoded.slice(separator + 1) };
}

function headerCredentials(request: IncomingMessage): Credentials | undefined {
  const username = request.headers['x-clickhouse-user'];
  const password = request.headers['x-clickhouse-key'];
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { username, password };
}

function equalSecrets(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
