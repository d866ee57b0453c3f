// HTTP servers on this machine that take notifications, and answer as a test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  /** What has come, in order; requests without an answer too. */
  readonly received: readonly Received[];
  /** The requests that are open now. */
  readonly open: () => number;
  close(): Promise<void>;
}

/** Answers the nth request, counted from 0. It may leave it without an answer. */
export type Reply = (response: ServerResponse, nth: number, received: Received) => void;

export const answer =
  (status: number, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, headers).end();
  };

export async function startReceiver(reply: Reply = answer(204), host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        id: String(request.headers['webhook-id']),
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      reply(response, received.push(one) - 1, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    received,
    open: () => open,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Verifies a webhook as a receiver does, with the package of Standard Webhooks, and returns its payload. */
export const verify = (secret: string, { headers, body }: Received): unknown =>
  new Webhook(secret).verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });
