// Requests as they are, byte for byte: `fetch` tidies paths and refuses what a hostile client would send.
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Answer } from './client.ts';

export interface RawRequest {
  readonly method: string;
  /** As it is sent: nothing is encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

/** A request without an answer within this time has hung, in milliseconds. */
const answerWithinMs = 25_000;

export interface RawClient {
  send(sent: RawRequest): Promise<Answer>;
  close(): void;
}

/** A client that sends paths and bodies as they are, over few connections. */
export function openRawClient(url: string, maxSockets = 8): RawClient {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets });
  const send = (sent: RawRequest) =>
    new Promise<Answer>((resolve, reject) => {
      const { method, path, body } = sent;
      const headers = { ...sent.headers, ...(body && { 'content-length': String(body.length) }) };
      const outgoing = request({ agent, hostname, port, method, path, headers }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const received = new Headers();
          for (const [name, value] of Object.entries(incoming.headers)) received.set(name, String(value));
          resolve({ status: incoming.statusCode ?? 0, headers: received, text, body: parseJson(text) });
        });
      });
      outgoing.setTimeout(answerWithinMs, () => outgoing.destroy(new Error(`no answer within ${answerWithinMs} ms`)));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A bare connection, to write what is no HTTP. */
export interface Wire {
  readonly socket: Socket;
  /** What was received so far. */
  received(): string;
  /** Resolves when the other side has closed. */
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
