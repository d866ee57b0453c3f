import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem.ts';
import { version } from '../version.ts';
import type { App } from './app.ts';
import { describeProblem, problemMediaType } from './problem-reply.ts';

/** How long the server waits for the other end of a connection, in milliseconds (D3.7). */
export interface Patience {
  /** For all headers of a request. */
  readonly headersMs: number;
  /** For all of a request: 16 MiB take two minutes at 1 Mbit/s. */
  readonly requestMs: number;
  /** For a body, before it must have come at `bodyBytesPerSecond` on average. */
  readonly bodyGraceMs: number;
  /** The least speed of a body, in bytes a second on the wire. */
  readonly bodyBytesPerSecond: number;
  /** For any byte in either direction; longer than the longest answer takes. */
  readonly idleMs: number;
  /** For the next request on a connection. */
  readonly keepAliveMs: number;
  /** For the rest of a request after its answer, so that its sender sees the answer. */
  readonly lingerMs: number;
  /** Between two checks of these limits. */
  readonly checkMs: number;
  /** For the requests under way when the service stops: a stop takes at most 10 seconds (D13.3). */
  readonly stopMs: number;
}

const patienceOfUse: Patience = {
  headersMs: 20_000,
  requestMs: 120_000,
  bodyGraceMs: 10_000,
  bodyBytesPerSecond: 16_384,
  idleMs: 120_000,
  keepAliveMs: 72_000,
  lingerMs: 5_000,
  checkMs: 5_000,
  stopMs: 5_000,
};

export const resolvePatience = (patience: Partial<Patience> = {}): Patience => ({ ...patienceOfUse, ...patience });

/** The settings of the HTTP server that enforce these limits. */
export const toServerOptions = ({ headersMs, requestMs, idleMs, keepAliveMs, checkMs }: Patience) => ({
  connectionTimeout: idleMs,
  keepAliveTimeout: keepAliveMs,
  requestTimeout: requestMs,
  // Node's own refusal of a request without a host is no problem document.
  http: { headersTimeout: headersMs, connectionsCheckingInterval: checkMs, requireHostHeader: false },
});

/** Cuts off a request that is still being sent `lingerMs` after its answer: a body may have no end. */
export function cutOffUnreadRequests(app: App, { lingerMs }: Patience): void {
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete)
      setTimeout(() => {
        if (!raw.complete) raw.destroy();
      }, lingerMs).unref();
    done();
  });
}

/** How often idle connections are closed while the service stops, in milliseconds. */
const idleCheckMs = 50;

/** Keeps open connections from delaying a stop (D13.3): closed after the last answer, or after `stopMs`. */
export function closeConnectionsWhenStopping(app: App, { stopMs }: Patience): void {
  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', async () => {
    timers.push(
      setInterval(() => app.server.closeIdleConnections(), idleCheckMs),
      setTimeout(() => app.server.closeAllConnections(), stopMs),
    );
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    if (timers.length === 0) return done();
    done(
      new Problem('unavailable', 'The service is stopping; send the request again in a moment.', {
        headers: { 'retry-after': '1' },
      }),
    );
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (timers.length > 0) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onClose', async () => {
    for (const timer of timers) clearTimeout(timer);
  });
}

const whyBroken: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(
    'headers_too_large',
    'The request line and the headers hold at most 16 KiB together; send fewer or shorter ones.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request_timeout', 'Send the whole request without long pauses.'),
};
const notHttp = new Problem('invalid_request', 'Correct the request line and the headers, and send the request again.');

/** Answers a request that node:http refuses (malformed, too large or too slow) with a problem. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, { lingerMs }: Patience): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else endWith(whyBroken[error.code ?? ''] ?? notHttp, socket, lingerMs);
}

const noProxy = new Problem('method_not_allowed', 'This is not a proxy; use GET, HEAD or POST.', {
  headers: { Allow: 'GET, HEAD, POST' },
});

/** Answers CONNECT, which node:http gives to no route, and what it would refuse without a problem document. */
export function answerWhatNodeKeeps(app: App, { lingerMs }: Patience): void {
  // What nobody knows may be expected in vain (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    endWith(noProxy, socket, lingerMs);
  });
}

/** Answers with a problem on the bare socket, and closes it. */
function endWith(cause: Problem, socket: Socket, lingerMs: number): void {
  const problem = describeProblem(cause, randomUUID());
  const body = JSON.stringify(problem);
  const headers = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Farthing-Version: ${version}`,
    ...Object.entries(cause.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
  // A client that never closes its half would keep the connection open.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
