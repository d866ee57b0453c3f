import type { AddressInfo } from 'node:net';
import type { App } from './app.ts';

/** Connections that wait to be accepted, as Linux allows. One beyond retries after seconds, and waits longest. */
const backlog = 4_096;

/** Listens; returns the URL. */
export async function listen(app: App, host: string, port: number): Promise<string> {
  await app.listen({ host, port, backlog });
  const { port: actual } = app.server.address() as AddressInfo;
  return toUrl(host, actual);
}

export const toUrl = (host: string, port: number): string =>
  `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
