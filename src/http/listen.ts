import type { AddressInfo } from 'node:net';
import type { App } from './app.ts';

/**
 * How many connections may wait to be taken: as many as Linux allows by itself. Of those beyond it, the kernel lets each try
 * again a second later, then three, then seven; under an overload these would be the ones that wait longest.
 */
const backlog = 4_096;

/** Listens, and gives the URL. */
export async function listen(app: App, host: string, port: number): Promise<string> {
  await app.listen({ host, port, backlog });
  const { port: actual } = app.server.address() as AddressInfo;
  return toUrl(host, actual);
}

export const toUrl = (host: string, port: number): string =>
  `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
