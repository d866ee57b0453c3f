// Connections that are slow, silent, many, or speak in odd ways.

import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.ts';
import { makeBatch, type Target } from '../target.ts';

const MiB = 1_048_576;

/** Keeps this many connections in a state, opening another for each that the service cuts off. */
async function keepOpen(target: Target, count: number, begin: (serial: number) => ReturnType<Target['open']>) {
  await target.repeat(count, async (serial) => {
    const socket = begin(serial);
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await target.wait(100);
  });
}

const unfinishedBodies: Attack = {
  name: 'unfinished bodies, with and without a key',
  run: async (target) => {
    const most = Buffer.alloc(4 * MiB - 1_000, ' ');
    const packed = gzipSync(
      makeBatch(10_000, () => ({ note: randomBytes(4).toString('hex'), more: 'x'.repeat(1_200) })),
    );
    await keepOpen(target, target.size(15, 60), (serial) => {
      const socket = target.open();
      if (serial % 3 === 0) {
        socket.write('POST /session/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n');
        socket.write(`content-length: ${4 * MiB}\r\n\r\n`);
        socket.write(most);
      } else if (serial % 3 === 1) {
        socket.write(target.head('POST', '/api/costs/', { 'content-length': String(4 * MiB) }));
        socket.write(most);
      } else {
        const length = { 'content-length': String(packed.length), 'content-encoding': 'gzip' };
        socket.write(target.head('POST', target.intakePath, length));
        socket.write(packed.subarray(0, -20));
      }
      return socket;
    });
  },
};

const slowBodies: Attack = {
  name: 'bodies and heads, byte by byte',
  run: async (target) => {
    await keepOpen(target, target.size(50, 300), (serial) => {
      const socket = target.open();
      const body = { 'content-length': String(MiB) };
      if (serial % 3 === 0) socket.write('GET /api/project/ HTTP/1.1\r\nx: ');
      else socket.write(target.head('POST', serial % 3 === 1 ? target.intakePath : '/api/costs/', body));
      const timer = setInterval(() => socket.write(' '), 50);
      socket.once('close', () => clearInterval(timer));
      return socket;
    });
  },
};

const manyConnections: Attack = {
  name: 'many connections, silent and short',
  run: async (target) => {
    const silent = keepOpen(target, target.size(200, 2_000), () => target.open());
    const short = keepOpen(target, 100, () => {
      const socket = target.open();
      socket.once('connect', () => setTimeout(() => socket.destroy(), 20));
      return socket;
    });
    await Promise.all([silent, short]);
  },
};

const pipelined: Attack = {
  name: 'thousands of requests in one write',
  run: async (target) => {
    const event = () => makeBatch(1, () => ({})).slice(1, -1);
    await keepOpen(target, 8, (serial) => {
      const socket = target.open({ stalls: serial % 2 === 0 });
      const question = JSON.stringify({ date_from: '2024-01-01' });
      const questions = target.head('POST', '/api/costs/', { 'content-length': String(question.length) }) + question;
      const events = Array.from({ length: 500 }, () => {
        const body = event();
        target.ledger.unsure += 1;
        return target.head('POST', target.intakePath, { 'content-length': String(body.length) }) + body;
      });
      socket.write(target.head('GET', '/healthz').repeat(2_000));
      socket.write(events.join(''));
      socket.write(questions.repeat(200));
      setTimeout(() => socket.destroy(), 5_000);
      return socket;
    });
  },
};

const upgrades: Attack = {
  name: 'upgrades, expectations and odd methods',
  run: async (target) => {
    const socketKey = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
    const heads = [
      target.head('GET', '/api/project/', { connection: 'Upgrade', upgrade: 'websocket', ...socketKey }),
      target.head('POST', '/mcp', {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABk',
      }),
      target.head('CONNECT', 'neighbour:443'),
      target.head('OPTIONS', '*'),
      target.head('QUERY', '/api/costs/'),
      target.head('TRACE', '/api/costs/'),
      target.head('POST', '/api/costs/', { expect: '100-continue', 'content-length': '100' }),
      target.head('POST', '/api/costs/', { expect: 'nonsense', 'content-length': '2' }),
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      `${target.head('GET', '/healthz', { host: 'a' }).slice(0, -2)}host: b\r\n\r\n`,
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      `GET /healthz HTTP/1.1\r\n${'x: y\r\n'.repeat(3_000)}\r\n`,
    ];
    await keepOpen(target, 60, (serial) => {
      const socket = target.open();
      socket.write(heads[serial % heads.length] ?? '');
      setTimeout(() => socket.destroy(), 200);
      return socket;
    });
  },
};

const hugeQueries: Attack = {
  name: 'huge query strings and paths',
  run: async (target) => {
    const long = 'x'.repeat(14_000);
    const many = Array.from({ length: 3_000 }, (_, key) => `a${key}`).join('&');
    const paths = [
      `/api/events/?event_type=${long}`,
      `/api/events/?${many}`,
      `/api/customers/?search=${'%25'.repeat(4_000)}`,
      `/api/customers/?${'search=a&'.repeat(1_500)}`,
      `/api/runs/${long}/`,
      `/api/calls/${'%00'.repeat(4_000)}/`,
      `/api/budgets/${'%F0%9F%98%80'.repeat(1_000)}/check/?of=${long.slice(0, 1_000)}`,
      `/api/coverage/?date_from=${long}`,
      `/${'../'.repeat(4_000)}`,
      `/api/${'a/'.repeat(7_000)}`,
    ];
    await target.repeat(32, (serial) => target.ask({ method: 'GET', path: paths[serial % paths.length] ?? '/' }));
  },
};

/** Asks and goes away, again and again. */
const deserters: Attack = {
  name: 'questions whose askers go away',
  run: async (target) => {
    await target.post(
      makeBatch(target.size(500, 10_000), (index) => ({ tags: { customer: `c${index}` } })),
      {
        calls: target.size(500, 10_000),
      },
    );
    const questions = ['/api/costs/', '/api/usage/', '/api/waste/', '/api/changes/'];
    await keepOpen(target, 40, (serial) => {
      const body = JSON.stringify({ date_from: '2016-01-01', date_to: '2025-12-31', run_tags: { a: String(serial) } });
      const socket = target.open();
      const path = questions[serial % questions.length] ?? '/api/costs/';
      socket.write(target.head('POST', path, { 'content-length': String(body.length) }) + body);
      setTimeout(() => socket.destroy(), 30);
      return socket;
    });
  },
};

export const connectionAttacks: readonly Attack[] = [
  unfinishedBodies,
  slowBodies,
  manyConnections,
  pipelined,
  upgrades,
  hugeQueries,
  deserters,
];
