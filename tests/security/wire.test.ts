// Bad HTTP over the wire: slow, endless, half-open, ambiguous or oversized.
import { METHODS } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { App } from '../../src/lib/http/app.ts';
import type { Patience } from '../../src/lib/http/connections.ts';
import { createApp } from '../../src/lib/http/create-app.ts';
import { poll } from '../support/poll.ts';
import { openWire, type Wire } from '../support/raw-http.ts';

const maxHeldBytes = 300_000;
/** More than a connection takes in when nobody reads. */
const large = { text: 'x'.repeat(16 * 1_048_576) };
let app: App;
let url = '';
/** The requests that reached a route. */
let reached: string[] = [];

/** A service whose patience is short: a test need not wait for long. */
const serve = (patience: Partial<Patience> = {}): App =>
  createApp(
    pino({ level: 'silent' }),
    (routes) => {
      const config = { access: 'read' } as const;
      routes.get('/thing/', { config }, async (request) => {
        reached.push(`GET ${request.headers['x-mark'] ?? ''}`);
        return { ok: true };
      });
      routes.post('/thing/', { config, schema: { body: z.unknown() } }, async (request) => {
        reached.push(`POST ${JSON.stringify(request.body).slice(0, 100)}`);
        return { ok: true };
      });
      routes.get('/large/', { config }, async () => {
        reached.push('GET large');
        return large;
      });
      routes.post('/refused/', {
        config,
        schema: { body: z.unknown() },
        onRequest: async (_request, reply) => reply.code(401).send({}),
        handler: async () => undefined,
      });
    },
    {
      maxHeldBytes,
      patience: {
        ...{ headersMs: 400, requestMs: 800, idleMs: 1_500, keepAliveMs: 500, lingerMs: 300, checkMs: 100 },
        ...patience,
      },
    },
  );

beforeAll(async () => {
  app = serve();
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await app.close();
});

beforeEach(() => {
  reached = [];
});

const statuses = (wire: Wire): number[] =>
  [...wire.received().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

async function exchange(text: string, address = url): Promise<{ wire: Wire; statuses: number[] }> {
  const wire = openWire(address);
  wire.socket.write(Buffer.from(text, 'latin1'));
  await Promise.race([wire.closed, sleep(60_000)]);
  const found = statuses(wire);
  wire.socket.destroy();
  return { wire, statuses: found };
}

/** The service closes it after a while of milliseconds, as `patience` says; how long a busy machine takes tells nothing. */
async function untilClosed(wire: Wire): Promise<void> {
  await poll('the connection is closed', { within: 60_000 }, () => wire.socket.closed || undefined);
}

/** Until the service has what was sent: a moment for the kernel, and then turns for the service. */
async function untilTaken(): Promise<void> {
  await sleep(100);
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}

test('D3.7: a head that comes byte by byte is cut off with a 408', async () => {
  const wire = openWire(url);
  const timer = setInterval(() => wire.socket.write('x'), 50);
  wire.socket.write('GET /thing/ HTTP/1.1\r\nhost: a\r\nx: ');
  await untilClosed(wire);
  clearInterval(timer);
  expect(statuses(wire)).toEqual([408]);
  expect(wire.received()).toContain('application/problem+json');
  expect(reached).toEqual([]);
});

test('D3.7: a body that comes byte by byte is cut off', async () => {
  const wire = openWire(url);
  wire.socket.write(
    'POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n',
  );
  const timer = setInterval(() => wire.socket.write(' '), 50);
  await untilClosed(wire);
  clearInterval(timer);
  expect(statuses(wire).filter((status) => status < 400)).toEqual([]);
  expect(reached).toEqual([]);
});

test.each([
  ['says nothing', ''],
  ['has said half a line', 'GET /thi'],
  ['has had its answer', 'GET /thing/ HTTP/1.1\r\nhost: a\r\nconnection: keep-alive\r\n\r\n'],
])('D3.7: a connection that %s does not stay open for ever', async (_name, text) => {
  const wire = openWire(url);
  if (text !== '') wire.socket.write(text);
  await untilClosed(wire);
});

test('D13.3: a request that is still being sent does not hold up a stop', async () => {
  const stopping = createApp(
    pino({ level: 'silent' }),
    (routes) => {
      routes.post('/thing/', { config: { access: 'public' }, schema: { body: z.unknown() } }, async () => ({
        ok: true,
      }));
    },
    { patience: { stopMs: 300, requestMs: 3_600_000, idleMs: 3_600_000 } },
  );
  const wire = openWire(await stopping.listen({ host: '127.0.0.1', port: 0 }));
  wire.socket.write('POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{');
  await untilTaken();
  // The request would have an hour.
  await stopping.close();
  await untilClosed(wire);
});

test.each(['/thing/', '/refused/'])('D3.7: a body to %s that never ends is answered and cut off', async (path) => {
  const wire = openWire(url);
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  let sent = 0;
  const write = () => {
    while (!wire.socket.destroyed && wire.socket.write(chunk)) sent += 0x10000;
  };
  wire.socket.on('drain', write);
  wire.socket.write(
    `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  write();
  await untilClosed(wire);
  expect(statuses(wire).every((status) => status >= 400)).toBe(true);
  expect(sent).toBeGreaterThan(0);
  expect(reached).toEqual([]);
});

test('D3.7: bodies that are held while others are read are bounded: 503 with Retry-After, and room again once they have gone', async () => {
  const head = 'POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 200001\r\n\r\n';
  // The first must not be given up while a busy machine takes the second.
  const patient = serve({ requestMs: 3_600_000, idleMs: 3_600_000 });
  const address = await patient.listen({ host: '127.0.0.1', port: 0 });
  const [first, second] = [openWire(address), openWire(address)];
  first.socket.write(`${head}"${'x'.repeat(199_990)}`);
  await untilTaken();
  second.socket.write(`${head}"${'x'.repeat(199_999)}"`);
  await poll('the second is answered', { within: 60_000 }, () => (statuses(second).length > 0 ? true : undefined));
  expect(statuses(second)).toEqual([503]);
  expect(second.received()).toMatch(/retry-after: [1-9]/i);
  first.socket.write(`${'x'.repeat(9)}"`);
  await poll('the first is answered', { within: 60_000 }, () => (statuses(first).length > 0 ? true : undefined));
  expect(statuses(first)).toEqual([200]);
  for (const wire of [first, second]) wire.socket.destroy();

  // One that breaks off gives its room back, too.
  const third = openWire(address);
  third.socket.write(`${head}"${'x'.repeat(150_000)}`);
  await untilTaken();
  third.socket.destroy();
  await untilTaken();
  const body = `"${'x'.repeat(199_999)}"`;
  const { statuses: last } = await exchange(`${head}${body}`, address);
  expect(last[0]).toBe(200);
  await patient.close();
});

test('D3.7: a body that comes more slowly than it must is a 408, whatever its bytes decode to, and gives its room back', async () => {
  const slow = createApp(
    pino({ level: 'silent' }),
    (routes) => {
      routes.register(async (own) => {
        own.removeAllContentTypeParsers();
        own.addContentTypeParser('application/json', (request: FastifyRequest, payload: Readable) =>
          own.readBody(request, payload, { maxBytes, encoding: request.headers['content-encoding'] }),
        );
        own.post('/decoded/', { config: { access: 'read' } }, async () => ({ ok: true }));
      });
    },
    { maxHeldBytes: maxBytes, patience: { bodyGraceMs: 300, bodyBytesPerSecond: 20_000, lingerMs: 300, checkMs: 50 } },
  );
  const address = await slow.listen({ host: '127.0.0.1', port: 0 });
  const compressed = gzipSync(Buffer.alloc(maxBytes - 1, ' '));
  const head = 'POST /decoded/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n';
  const wire = openWire(address);
  wire.socket.write(`${head}content-length: ${compressed.length}\r\n\r\n`);
  wire.socket.write(compressed.subarray(0, compressed.length - 1));
  await untilClosed(wire);
  expect(statuses(wire)).toEqual([408]);
  expect(wire.received()).toContain('"code":"request_timeout"');
  const next = openWire(address);
  next.socket.write(`${head}connection: close\r\ncontent-length: ${compressed.length}\r\n\r\n`);
  next.socket.write(compressed);
  await untilClosed(next);
  expect(statuses(next)).toEqual([200]);
  await slow.close();
});

const maxBytes = 5_000_000;

const getLarge = 'GET /large/ HTTP/1.1\r\nhost: a\r\n\r\n';

test('D3.7: a client that sends many requests and reads no answer has one of them handled', async () => {
  const wire = openWire(url);
  wire.socket.pause();
  wire.socket.write(getLarge.repeat(50));
  await poll('the first is handled', { within: 60_000 }, () => (reached.length > 0 ? true : undefined));
  await untilTaken();
  expect(reached).toEqual(['GET large']);
  wire.socket.destroy();
  await untilTaken();
  expect(reached).toEqual(['GET large']);
});

test('D3.7: requests that are sent without waiting for answers are answered in their order', async () => {
  const heads = Array.from({ length: 90 }, (_, mark) => `GET /thing/ HTTP/1.1\r\nhost: a\r\nx-mark: ${mark}\r\n\r\n`);
  const { statuses: found } = await exchange(
    `${heads.join('')}GET /nothing/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
  );
  expect(found).toEqual([...heads.map(() => 200), 404]);
  expect(reached).toEqual(heads.map((_head, mark) => `GET ${mark}`));
});

test('D3.7: a connection on which more than a hundred requests wait is cut off', async () => {
  const wire = openWire(url);
  wire.socket.pause();
  wire.socket.write(getLarge.repeat(102));
  wire.socket.resume();
  await untilClosed(wire);
  expect(reached.length).toBeLessThan(2);
});

const smuggled = 'GET /thing/ HTTP/1.1\r\nhost: a\r\nx-mark: smuggled\r\n\r\n';
const ambiguous: [name: string, text: string][] = [
  [
    'Content-Length and Transfer-Encoding',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'Transfer-Encoding and Content-Length',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'two lengths',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\ncontent-length: 60\r\n\r\n{}${smuggled}`,
  ],
  [
    'a length list',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2, 2\r\n\r\n{}${smuggled}`,
  ],
  [
    'a length with a sign',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: +2\r\n\r\n{}${smuggled}`,
  ],
  [
    'a length beyond 64 bits',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 18446744073709551618\r\n\r\n{}${smuggled}`,
  ],
  [
    'an encoding that is not the last',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    'an encoding spelled oddly',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  ['a space before the colon', `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-length : 2\r\n\r\n{}${smuggled}`],
  [
    'a chunk size that is none',
    `POST /thing/ HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n${smuggled}`,
  ],
  ['a NUL in a header', `GET /thing/ HTTP/1.1\r\nhost: a\r\nx: \0\r\n\r\n${smuggled}`],
  ['a bare carriage return', `GET /thing/ HTTP/1.1\r\nhost: a\r\nx: a\rb\r\n\r\n${smuggled}`],
  ['a header without a name', `GET /thing/ HTTP/1.1\r\nhost: a\r\n: x\r\n\r\n${smuggled}`],
  ['no HTTP at all', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${smuggled}`],
];

test.each(ambiguous)('D11.2: %s is refused, and nothing behind it is taken for a request', async (_name, text) => {
  const { statuses: answered } = await exchange(text);
  expect(answered).toEqual([400]);
  expect(reached).toEqual([]);
});

test.each([
  ['Host', 'a'],
  ['Authorization', 'Bearer fk_a'],
  ['Content-Type', 'application/json'],
  ['Content-Encoding', 'gzip'],
  ['Origin', 'http://a'],
  ['Farthing-Project', 'prj_a'],
  ['Farthing-Consistency', 'strict'],
  ['Stripe-Signature', 't=1'],
])('D11.2: two headers %s are a 400 that names it, also when they are equal', async (name, value) => {
  for (const second of [value, 'b']) {
    const twice = `${name}: ${value}\r\n${name.toLowerCase()}: ${second}\r\n`;
    const host = name === 'Host' ? '' : 'host: a\r\n';
    for (const path of ['/thing/', '/nothing/']) {
      const { wire, statuses: answered } = await exchange(
        `GET ${path} HTTP/1.1\r\n${host}${twice}connection: close\r\n\r\n`,
      );
      expect(answered).toEqual([400]);
      expect(wire.received()).toContain(
        JSON.stringify({ pointer: `/${name.toLowerCase()}`, code: 'duplicate', message: 'must be sent once' }),
      );
    }
  }
  expect(reached).toEqual([]);
});

test.each(['a b', 'a/b', 'http://a', 'a@b', 'a?b', 'a\\b', 'a,b c', 'ä', '[::1', 'a:b', ']'])(
  'D11.2: the host %j is a 400',
  async (host) => {
    const { statuses: answered } = await exchange(`GET /thing/ HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(answered).toEqual([400]);
    expect(reached).toEqual([]);
  },
);

test('D11.2: a request without a host is a problem, and an expectation that nobody knows changes nothing', async () => {
  const { wire, statuses: answered } = await exchange('GET /thing/ HTTP/1.1\r\nconnection: close\r\n\r\n');
  expect(answered).toEqual([400]);
  expect(wire.received()).toContain('application/problem+json');
  expect(wire.received()).toContain('{"pointer":"/host","code":"required"');
  expect(reached).toEqual([]);
  const head = 'host: a\r\nexpect: wonders\r\nconnection: close\r\n\r\n';
  expect((await exchange(`GET /thing/ HTTP/1.1\r\n${head}`)).statuses).toEqual([200]);
  expect((await exchange(`GET /nothing/ HTTP/1.1\r\n${head}`)).statuses).toEqual([404]);
});

test.each(['a', 'a.example:8787', '127.0.0.1', '[::1]:9', 'a_b-c.d', ''])(
  'D11.2: the host %j is taken',
  async (host) => {
    const { statuses: answered } = await exchange(`GET /thing/ HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(answered).toEqual([200]);
  },
);

test.each(['eventual', 'strict, relaxed', 'relaxed;q=1', 'RELAXED', ''])(
  'D4.7: Farthing-Consistency: %j is a 400 that says what it may be',
  async (value) => {
    const { wire, statuses: answered } = await exchange(
      `GET /thing/ HTTP/1.1\r\nhost: a\r\nfarthing-consistency: ${value}\r\nconnection: close\r\n\r\n`,
    );
    expect(answered).toEqual([400]);
    expect(wire.received()).toContain('must be strict or relaxed');
    expect(reached).toEqual([]);
  },
);

test('D11.2: CONNECT is a 405 with Allow, and a word that is no method a 400', async () => {
  const { wire, statuses: answered } = await exchange('CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n');
  expect(answered).toEqual([405]);
  expect(wire.received()).toMatch(/^allow: GET, HEAD, POST\r$/im);
  for (const word of ['FOO', 'get']) {
    expect((await exchange(`${word} /thing/ HTTP/1.1\r\nhost: a\r\n\r\n`)).statuses).toEqual([400]);
  }
  expect(reached).toEqual([]);
});

test('D11.2: whatever the method, a path that lacks it is a 405 with Allow, and an unknown path a 404', async () => {
  for (const method of METHODS.filter((name) => !['CONNECT', 'GET', 'HEAD', 'POST'].includes(name))) {
    for (const [path, status] of [
      ['/thing/', 405],
      ['/nothing/', 404],
    ] as const) {
      const body = 'content-type: text/odd\r\ncontent-length: 2\r\n\r\n{}';
      for (const rest of ['\r\n', body]) {
        const { wire, statuses: answered } = await exchange(
          `${method} ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${rest}`,
        );
        expect([method, path, ...answered]).toEqual([method, path, status]);
        expect(wire.received()).toContain('application/problem+json');
        if (status === 405) expect(wire.received()).toMatch(/^allow: GET, HEAD, POST\r$/m);
      }
    }
  }
  expect(reached).toEqual([]);
});

test('D11.2: what node refuses before a route sees it is a problem of the closed list', async () => {
  const { wire } = await exchange('GET /thing/ HTTP/1.1\r\n\r\n');
  expect(statuses(wire)).toEqual([400]);
  for (const [text, code] of [
    ['BREW /thing/ HTTP/1.1\r\nhost: a\r\n\r\n', 'invalid_request'],
    [`GET /thing/ HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
  ] as const) {
    const received = (await exchange(text)).wire.received();
    expect(received).toContain(`"code":"${code}"`);
    expect(received).toMatch(/^farthing-version: /im);
  }
});

test('D11.2: a folded header is one header, or refused: no second one is made of it', async () => {
  const { statuses: answered } = await exchange(
    `GET /thing/ HTTP/1.1\r\nhost: a\r\nx-other: a\r\n x-mark: folded\r\nconnection: close\r\n\r\n`,
  );
  expect([[200], [400]]).toContainEqual(answered);
  expect(reached.filter((line) => line.includes('folded'))).toEqual([]);
});

test('D11.2: headers of more than 16 KiB are a 431 as a problem', async () => {
  for (const headers of [`x: ${'a'.repeat(20_000)}\r\n`, 'x: a\r\n'.repeat(4_000)]) {
    const { wire, statuses: answered } = await exchange(`GET /thing/ HTTP/1.1\r\nhost: a\r\n${headers}\r\n`);
    expect(answered).toEqual([431]);
    expect(wire.received()).toContain('application/problem+json');
  }
  expect(reached).toEqual([]);
});
