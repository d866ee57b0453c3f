import { test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';
import { signIn } from './session.ts';

const farthing = sharedFarthing();
const { host, port } = new URL(farthing.url);
const tagged = { customers: [{ customer_name: 'acme', tags: { plan: 'pro' } }], upsert: true };

const strangers: [string, Record<string, string>][] = [
  ['no Origin', {}],
  ['Origin null', { origin: 'null' }],
  ['another host', { origin: `http://elsewhere.example:${port}` }],
  ['another port', { origin: 'http://127.0.0.1:1' }],
  ['another scheme', { origin: `https://${host}` }],
  ['a longer host', { origin: `${farthing.url}.elsewhere.example` }],
  ['a path', { origin: `${farthing.url}/` }],
  // The sender is not configured as a trusted proxy.
  [
    'a forwarded host',
    { origin: 'https://elsewhere.example', 'x-forwarded-host': 'elsewhere.example', 'x-forwarded-proto': 'https' },
  ],
];

test.each(strangers)('D2: a write with a cookie and %s is a 403', async (_name, headers) => {
  const project = await farthing.createProject();
  const { cookie } = await signIn(farthing, { api_key: project.apiKey });
  const write = await farthing.send('POST', '/api/customer-tags/', { body: tagged, headers: { cookie, ...headers } });
  expectProblem(write, 403, 'forbidden');
  const read = await farthing.send('POST', '/api/costs/', {
    body: { date_from: '2024-05-01' },
    headers: { cookie, ...headers },
  });
  expectProblem(read, 403, 'forbidden');
  const signOut = await farthing.send('DELETE', '/session/', { headers: { cookie, ...headers } });
  expectProblem(signOut, 403, 'forbidden');
  expectStatus(await farthing.send('GET', '/api/project/', { headers: { cookie, ...headers } }), 200);
});

test('D2: an admin’s write with a cookie needs the Origin too', async () => {
  const { cookie } = await signIn(farthing, { admin_token: farthing.adminToken });
  const made = await farthing.send('POST', '/admin/projects/', { body: { name: 'forged' }, headers: { cookie } });
  expectProblem(made, 403, 'forbidden');
  const headers = { cookie, origin: farthing.url };
  expectStatus(await farthing.send('POST', '/admin/projects/', { body: { name: 'mine' }, headers }), 201);
});

test('D2: a write with a cookie and the Origin of the service is accepted', async () => {
  const project = await farthing.createProject();
  const { cookie } = await signIn(farthing, { api_key: project.apiKey });
  for (const origin of [farthing.url, farthing.url.toUpperCase()]) {
    const headers = { cookie, origin };
    expectStatus(await farthing.send('POST', '/api/customer-tags/', { body: tagged, headers }), 200);
  }
});
