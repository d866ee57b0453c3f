// Requests sent byte for byte: `fetch` normalizes paths and refuses what a hostile client would send.
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Answer } from './client.ts';

export interface RawRequest {
  readonly method: string;
  /** Sent as it is, without encoding. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

/** A request that gets no answer within this time hangs; in milliseconds. */
const answerWithinMs = 25_000;
const tickMs = 250;

/** Runs an action after this process has run for `ms`. Time in which the whole machine is suspended does not count. */
function afterRunningFor(ms: number, action: () => void): () => void {
  let left = ms;
  const timer = setInterval(() => {
    left -= tickMs;
    if (left > 0) return;
    clearInterval(timer);
    action();
  }, tickMs);
  return () => clearInterval(timer);
}

export interface RawClient {
  send(sent: RawRequest): Promise<Answer>;
  close(): void;
}

/** A client that sends paths and bodies unchanged, over few connections. */
export function openRawClient(url: string, maxSockets = 8): RawClient {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets });
  const sendOnce = (sent: RawRequest) =>
    new Promise<Answer>((resolve, fail) => {
      const { method, path, body } = sent;
      const reject = (cause: Error) => {
        letGo();
        fail(outgoing.reusedSocket && 'code' in cause && cause.code === 'ECONNRESET' ? new ClosedMeanwhile() : cause);
      };
      const headers = { ...sent.headers, ...(body && { 'content-length': String(body.length) }) };
      const outgoing = request({ agent, hostname, port, method, path, headers }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const received = new Headers();
          for (const [name, value] of Object.entries(incoming.headers)) received.set(name, String(value));
          letGo();
          resolve({ status: incoming.statusCode ?? 0, headers: received, text, body: parseJson(text) });
        });
      });
      const letGo = afterRunningFor(answerWithinMs, () =>
        outgoing.destroy(new Error(`no answer within ${answerWithinMs} ms`)),
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const send = (sent: RawRequest) =>
    sendOnce(sent).catch((cause: unknown) => {
      if (cause instanceof ClosedMeanwhile) return sendOnce(sent);
      throw cause;
    });
  return { send, close: () => agent.destroy() };
}

/** The server closed a kept-alive connection while a request was being sent over it. */
class ClosedMeanwhile extends Error {}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A bare connection, for bytes that are not HTTP. */
export interface Wire {
  readonly socket: Socket;
  /** The bytes received so far. */
  received(): string;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
}

export function openWire(url: string): Wire {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('error', () => undefined);
  });
  return { socket, received: () => text, closed };
}
