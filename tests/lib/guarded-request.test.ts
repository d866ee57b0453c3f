import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postGuarded, type Reach, type Resolve, refusalOf, resolvesToPrivate } from '../../src/lib/guarded-request.ts';
import { answer, type Receiver, startReceiver } from '../notifications/receiver.ts';

/** What must never be reached: every request to it is a hole. */
let inner: Receiver;

beforeAll(async () => {
  inner = await startReceiver();
});

afterAll(async () => {
  expect(inner.received).toEqual([]);
  await inner.close();
});

const nowhere: Reach = { hosts: new Set() };
const post = { headers: {}, body: '{}', timeoutMs: 5_000, signal: new AbortController().signal };
const portOf = (url: string) => new URL(url).port;

/** Resolves every name to the addresses of each call in turn, and to the last ones from then on. */
function resolveTo(...turns: string[][]): Resolve {
  let call = 0;
  return (_host, take) => {
    const addresses = turns[Math.min(call, turns.length - 1)] ?? [];
    call += 1;
    setImmediate(() =>
      take(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  };
}

describe('literals in every notation', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '0x7f.1',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '167772161',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '100.64.0.1',
    '224.0.0.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[::]',
  ])('D20.5: https://%s is refused before any connection', async (host) => {
    const url = new URL(`https://${host}:${portOf(inner.url)}/`);
    expect(refusalOf(url, nowhere)).toBe('must have a public address');
    expect(await resolvesToPrivate(url, nowhere)).toBe(true);
    await expect(postGuarded(url, post, nowhere)).rejects.toThrow('must have a public address');
  });
});

test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'])(
  'D20.5: %s is refused by the address of its name',
  async (host) => {
    // Not every system resolves names below localhost; none of them may reach this machine.
    const url = new URL(`https://${host}:${portOf(inner.url)}/`);
    await expect(postGuarded(url, post, nowhere)).rejects.toThrow(/must have a public address|ENOTFOUND|EAI_AGAIN/);
  },
);

test.each([
  [['127.0.0.1']],
  [['::1']],
  [['10.0.0.1', '8.8.8.8']],
  [['8.8.8.8', '169.254.169.254']],
  [['::ffff:127.0.0.1']],
])('D20.5: a name with the addresses %j is refused', async (addresses) => {
  const reach = { hosts: new Set<string>(), resolve: resolveTo(addresses) };
  const url = new URL(`https://internal.example.com:${portOf(inner.url)}/`);
  expect(await resolvesToPrivate(url, reach)).toBe(true);
  await expect(postGuarded(url, post, reach)).rejects.toThrow('must have a public address');
});

test('D20.5: a name that is public when it is checked and private when it is connected to is refused', async () => {
  const reach = { hosts: new Set<string>(), resolve: resolveTo(['8.8.8.8'], ['127.0.0.1']) };
  const url = new URL(`https://rebinding.example.com:${portOf(inner.url)}/`);
  expect(await resolvesToPrivate(url, reach)).toBe(false);
  await expect(postGuarded(url, post, reach)).rejects.toThrow('must have a public address');
});

test('D20.5: a connection goes to the addresses that were checked: the name is resolved once', async () => {
  let calls = 0;
  const resolve: Resolve = (_host, take) => {
    calls += 1;
    take(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const receiver = await startReceiver();
  try {
    const url = new URL(receiver.url.replace('127.0.0.1', 'named.example.com'));
    const got = await postGuarded(url, post, { hosts: new Set(['named.example.com']), resolve });
    expect(got.status).toBe(204);
    expect(calls).toBe(1);
    expect(receiver.received[0]?.headers.host).toBe(url.host);
  } finally {
    await receiver.close();
  }
});

test('D20.5: a redirect is answered as it is, and its target is not asked', async () => {
  const redirecting = await startReceiver(answer(307, { location: inner.url }));
  try {
    const got = await postGuarded(new URL(redirecting.url), post, { hosts: new Set(['127.0.0.1']) });
    expect(got.status).toBe(307);
  } finally {
    await redirecting.close();
  }
});

test('D20.5: hosts that are named may be private and plain, in any notation; others beside them may not', async () => {
  const reach = { hosts: new Set(['127.0.0.1']) };
  const receiver = await startReceiver();
  try {
    expect((await postGuarded(new URL(receiver.url), post, reach)).status).toBe(204);
    expect((await postGuarded(new URL(receiver.url.replace('127.0.0.1', '0x7f.1')), post, reach)).status).toBe(204);
    const other = receiver.url.replace('127.0.0.1', '127.0.0.2');
    await expect(postGuarded(new URL(other), post, reach)).rejects.toThrow('must start with https://');
    await expect(postGuarded(new URL(other.replace('http', 'https')), post, reach)).rejects.toThrow('public address');
    expect(receiver.received).toHaveLength(2);
  } finally {
    await receiver.close();
  }
});

test.each([
  ['http://hooks.example.com/', 'must start with https://'],
  ['ftp://hooks.example.com/', 'must start with https://'],
  ['file:///etc/passwd', 'must start with https://'],
  ['https://user@hooks.example.com/', 'must not contain a user or a password'],
  ['https://user:password@hooks.example.com/', 'must not contain a user or a password'],
  ['https://8.8.8.8@127.0.0.1/', 'must not contain a user or a password'],
])('D20.5: %s is refused', (url, refusal) => {
  expect(refusalOf(new URL(url), nowhere)).toBe(refusal);
});

test('D20.5: a request ends when its time is over, also while its name is resolved', async () => {
  const reach = { hosts: new Set(['slow.example.com']), resolve: () => undefined };
  const startedAt = performance.now();
  const asked = postGuarded(new URL('http://slow.example.com/'), { ...post, timeoutMs: 200 }, reach);
  await expect(asked).rejects.toThrow('did not answer within 0.2 s');
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});

test('D20.5: over https a certificate that nobody vouches for is refused, and nothing is sent', async () => {
  const fixtures = `${import.meta.dirname}/../fixtures/tls`;
  let requests = 0;
  const server = createServer(
    { key: readFileSync(`${fixtures}/server-key.pem`), cert: readFileSync(`${fixtures}/server.pem`) },
    (_request, response) => {
      requests += 1;
      response.end();
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const asked = postGuarded(new URL(`https://127.0.0.1:${port}/`), post, { hosts: new Set(['127.0.0.1']) });
    await expect(asked).rejects.toThrow(/^could not be reached \((UNABLE_TO_VERIFY_LEAF_SIGNATURE|.*CERT.*)\)$/);
    expect(requests).toBe(0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('D20.5: a failure names its code and nothing of the URL', async () => {
  const closed = await startReceiver();
  await closed.close();
  const url = new URL(`${closed.url}?token=hush-hush`);
  await expect(postGuarded(url, post, { hosts: new Set(['127.0.0.1']) })).rejects.toThrow(
    /^could not be reached \(ECONNREFUSED\)$/,
  );
});
