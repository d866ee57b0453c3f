import { randomFillSync } from 'node:crypto';
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

/**
 * Posts over many connections, one request at a time on each, for some seconds. The bytes are prepared before, so that nearly
 * all of the machine is left to the server.
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
  const latencies: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const until = startedAt + 1_000 * seconds;
  const work = (number: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true });
      let sentAt = 0;
      let turn = number;
      const send = () => {
        const template = templates[turn % templates.length];
        turn += 1;
        if (!template) throw new Error('there is no body to send');
        // A copy: the socket may still hold the bytes of an earlier request.
        const bytes = Buffer.from(template.bytes);
        for (const at of template.idsAt) renew(bytes, at);
        sentAt = performance.now();
        socket.write(bytes);
      };
      let received = '';
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (more) => {
        received += more.toString('latin1');
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1];
        const headEnd = received.indexOf('\r\n\r\n');
        if (headEnd < 0 || length === undefined || received.length < headEnd + 4 + Number(length)) return;
        latencies.push(performance.now() - sentAt);
        if (!received.startsWith('HTTP/1.1 200')) failures += 1;
        received = '';
        if (performance.now() < until) return send();
        socket.destroy();
        resolve();
      });
    });
  await Promise.all(Array.from({ length: connections }, (_, number) => work(number)));
  const elapsed = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  return { perSecond: latencies.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99), failures };
}
