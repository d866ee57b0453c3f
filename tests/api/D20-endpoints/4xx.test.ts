import { expect, test } from 'vitest';
import { expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const path = '/api/notification-endpoints/';
const url = 'https://hooks.example.com/';
const webhook = { kind: 'webhook', url };
const idOf = (body: unknown) => String(Object(body).id);

const faulty: readonly (readonly [string, Json, string[]])[] = [
  ['an empty object', {}, ['/kind']],
  ['an unknown kind', { kind: 'pager', url }, ['/kind']],
  ['an unknown field', { ...webhook, secret: 'whsec_mine' }, ['/secret']],
  ['a webhook without a URL', { kind: 'webhook' }, ['/url']],
  ['a webhook with an address', { ...webhook, address: 'ann@example.com' }, ['/address']],
  ['no URL at all', { ...webhook, url: 'hooks' }, ['/url']],
  ['http', { ...webhook, url: 'http://hooks.example.com/' }, ['/url']],
  ['a user in the URL', { ...webhook, url: 'https://ann@hooks.example.com/' }, ['/url']],
  ['no alerts', { ...webhook, alerts: [] }, ['/alerts']],
  ['an unknown alert', { ...webhook, alerts: ['budget', 'weather'] }, ['/alerts/1']],
  ['an alert twice', { ...webhook, alerts: ['budget', 'budget'] }, ['/alerts']],
  ['e-mail where it is off', { kind: 'email', address: 'ann@example.com' }, ['/kind']],
  [
    'every fault at once',
    { kind: 'x', url: 'ftp://a', alerts: [1], enabled: 'yes' },
    ['/kind', '/url', '/alerts/0', '/enabled'],
  ],
];

test.each(faulty)('D11.1, D20.5: %s is a 400', async (_name, body, pointers) => {
  const project = await farthing.createProject();
  expectInvalid(await project.api('POST', path, body), pointers);
  expect(Object(expectStatus(await project.api('GET', path), 200)).endpoints).toEqual([]);
});

test('D20.5: that e-mail is off says which settings turn it on', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('POST', path, { kind: 'email', address: 'ann@example.com' });
  const problem = expectInvalid(answer, ['/kind']);
  expect(problem.errors?.[0]?.message).toContain('FARTHING_SMTP_URL');
});

const privateHosts = [
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '017700000001',
  '2130706433',
  '10.1.2.3',
  '169.254.169.254',
  '100.64.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::a00:1]',
  '[fd00::1]',
  'localhost',
];

test.each(privateHosts)(
  'D20.5: a private address, %s, is a 400 for webhooks and Slack, when made and when changed',
  async (host) => {
    const project = await farthing.createProject();
    for (const kind of ['webhook', 'slack'])
      expectInvalid(await project.api('POST', path, { kind, url: `https://${host}/` }), ['/url']);
    const made = expectStatus(await project.api('POST', path, webhook), 201);
    expectInvalid(await project.api('PATCH', `${path}${idOf(made)}/`, { url: `https://${host}/` }), ['/url']);
    expect(expectStatus(await project.api('GET', `${path}${idOf(made)}/`), 200)).toMatchObject({ url });
  },
);

test('D20.5: an endpoint takes no field of another kind, and only webhooks have a secret to rotate', async () => {
  const project = await farthing.createProject();
  const slack = expectStatus(await project.api('POST', path, { kind: 'slack', url }), 201);
  const one = `${path}${idOf(slack)}/`;
  expectInvalid(await project.api('PATCH', one, { address: 'ann@example.com' }), ['/address']);
  expectInvalid(await project.api('PATCH', one, { kind: 'webhook' }), ['/kind']);
  expectProblem(await project.api('POST', `${one}rotate-secret/`), 409, 'conflict');
});

test('D20.5: a project has at most 20 endpoints, and deleting one makes room', async () => {
  const project = await farthing.createProject();
  const answers = await Promise.all(Array.from({ length: 20 }, () => project.api('POST', path, webhook)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expectProblem(await project.api('POST', path, webhook), 409, 'conflict');
  const [first] = answers;
  expectStatus(await project.api('DELETE', `${path}${idOf(first?.body)}/`), 204);
  expectStatus(await project.api('POST', path, webhook), 201);
});

test('D20.5: a project makes at most ten tests in a minute: an endpoint may be of somebody else', async () => {
  const project = await farthing.createProject();
  const made = expectStatus(await project.api('POST', path, { ...webhook, url: 'https://hooks.invalid/' }), 201);
  const one = `${path}${idOf(made)}/test/`;
  // At once, so that none sees the tests of the others.
  const answers = await Promise.all(Array.from({ length: 14 }, () => project.api('POST', one)));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
  for (const refused of answers.filter(({ status }) => status !== 202)) {
    expectProblem(refused, 429, 'rate_limited');
    expect(refused.headers.get('retry-after')).toBe('60');
  }
});

test('D2, D20.5: endpoints of another project are a 404 on every route', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const one = `${path}${idOf(expectStatus(await project.api('POST', path, webhook), 201))}/`;
  for (const [method, below] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', 'test/'],
    ['POST', 'rotate-secret/'],
    ['GET', 'attempts/'],
  ] as const) {
    const body = method === 'PATCH' ? { enabled: false } : undefined;
    expectProblem(await other.api(method, `${one}${below}`, body), 404, 'not_found');
  }
  expect(expectStatus(await project.api('GET', one), 200)).toMatchObject({ enabled: true });
});
