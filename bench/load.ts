import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

export interface Load {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly connections: number;
  readonly seconds: number;
  /** The bodies of requests; each time one is sent, every event id in it is replaced by a new one. */
  readonly bodies: readonly string[];
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers with a status other than 200. */
  readonly failures: number;
}

const idPattern = /"event_id":"([0-9a-f-]{36})"/g;
const hexDigits = Buffer.from('0123456789abcdef');

/** A connection that has one request under way at a time. */
interface Connection {
  /** Sends a request; resolves with whether its answer has the status 200. */
  readonly exchange: (bytes: Buffer) => Promise<boolean>;
  readonly close: () => void;
}

async function openConnection(host: string, port: number): Promise<Connection> {
  const socket = connect({ host, port, noDelay: true });
  let received = '';
  let answer: (isOk: boolean) => void = () => undefined;
  let fail: (cause: Error) => void = () => undefined;
  socket.on('data', (more) => {
    received += more.toString('latin1');
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1];
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0 || length === undefined || received.length < headEnd + 4 + Number(length)) return;
    const isOk = received.startsWith('HTTP/1.1 200');
    received = '';
    answer(isOk);
  });
  socket.on('error', (cause) => fail(cause));
  await once(socket, 'connect');
  return {
    exchange: (bytes) =>
      new Promise((resolve, reject) => {
        answer = resolve;
        fail = reject;
        socket.write(bytes);
      }),
    close: () => socket.destroy(),
  };
}

/** How many connections are opened at once. */
const openedAtOnce = 32;

/**
 * Posts over many connections, one request at a time on each, for some seconds. Each connection has had an answer before
 * the time begins, so that requests are measured and not how soon a busy server accepts a thousand connections.
 * The bytes are prepared before, so that nearly all of the machine is left to the server.
 */
export async function runLoad({ host, port, path, token, connections, seconds, bodies }: Load): Promise<Measured> {
  const templates = bodies.map((body) => {
    const head = `POST ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const idsAt = [...body.matchAll(idPattern)].map(({ index }) => head.length + index + '"event_id":"'.length);
    return { bytes: Buffer.from(head + body), idsAt };
  });
  const random = Buffer.alloc(16);
  const renew = (bytes: Buffer, at: number) => {
    randomFillSync(random);
    for (let digit = 0, place = at; digit < 32; digit += 1, place += 1) {
      if (bytes[place] === 0x2d) place += 1;
      bytes[place] = hexDigits[((random[digit >> 1] ?? 0) >> (digit % 2 === 0 ? 4 : 0)) & 15] ?? 0x30;
    }
  };
  const requestOf = (turn: number): Buffer => {
    const template = templates[turn % templates.length];
    if (!template) throw new Error('there is no body to send');
    // A copy: the socket may still hold the bytes of an earlier request.
    const bytes = Buffer.from(template.bytes);
    for (const at of template.idsAt) renew(bytes, at);
    return bytes;
  };
  const opened: Connection[] = [];
  while (opened.length < connections) {
    const more = Array.from({ length: Math.min(openedAtOnce, connections - opened.length) }, async (_, number) => {
      const connection = await openConnection(host, port);
      if (!(await connection.exchange(requestOf(number)))) throw new Error('a request before the load was refused');
      return connection;
    });
    opened.push(...(await Promise.all(more)));
  }
  const latencies: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const until = startedAt + 1_000 * seconds;
  const work = async ({ exchange, close }: Connection, number: number) => {
    for (let turn = number; performance.now() < until; turn += 1) {
      const bytes = requestOf(turn);
      const sentAt = performance.now();
      if (!(await exchange(bytes))) failures += 1;
      latencies.push(performance.now() - sentAt);
    }
    close();
  };
  await Promise.all(opened.map(work));
  const elapsed = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { perSecond: latencies.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99), failures };
}
