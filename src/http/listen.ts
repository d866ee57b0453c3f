import type { AddressInfo } from 'node:net';
import type { App } from './app.ts';

/** Listens, and gives the URL. */
export async function listen(app: App, host: string, port: number): Promise<string> {
  await app.listen({ host, port });
  const { port: actual } = app.server.address() as AddressInfo;
  return toUrl(host, actual);
}

export const toUrl = (host: string, port: number): string =>
  `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
