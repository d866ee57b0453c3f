// Several instances on the same stores are one service: data sent to one is known to all.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { PostgresSignalBus, type Signal, signals } from '../../src/storage/control/signals.ts';
import { connect, costEvent, type Farthing } from '../support/client.ts';
import { isLong, usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { ProviderServer } from '../support/provider-server.ts';
import { testAnswers } from './answers.ts';
import { testBudgets } from './budgets.ts';
import { Deployment } from './deployment.ts';
import { testFaults } from './faults.ts';
import { testMembers } from './members.ts';
import { testProviderAccounts } from './provider-accounts.ts';

let deployment: Deployment;
let provider: ProviderServer;
/** Of two, the first is the third as well. */
let farthings: [Farthing, Farthing, Farthing];
const instances = usualOrLong(2, 3);

beforeAll(async () => {
  provider = await ProviderServer.start();
  deployment = await Deployment.start(instances, {
    FARTHING_PROVIDER_URLS: provider.setting,
    FARTHING_SECRETS_KEY: 'a key of the tests, of 32 characters or more',
  });
  const [first, second, third = first] = deployment.instances.map(({ url }) => connect(url, deployment.adminToken));
  if (!first || !second || !third) throw new Error('there are two instances');
  farthings = [first, second, third];
});

afterAll(async () => {
  await deployment?.close();
  await provider?.close();
});

const within = { within: 10_000, every: 500 };
const range = { date_from: '2024-05-15', date_to: '2024-05-15' };

test('D1.6: instances that start at once on empty stores make one project, and migrate once', async () => {
  for (const farthing of farthings) {
    const { body } = await farthing.admin('GET', '/admin/projects/');
    expect(body).toMatchObject({ projects: [{ name: 'default' }] });
  }
  const { url } = deployment.engine;
  const { username, password, origin } = new URL(url);
  const answer = await fetch(
    `${origin}/?query=${encodeURIComponent('SELECT count() = uniqExact(id) FROM migrations')}`,
    {
      headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
    },
  );
  expect((await answer.text()).trim()).toBe('1');
});

test('D4.7: each instance has in its answers what it acknowledged, and one of them assembles', async () => {
  const project = await farthings[0].createProject();
  let posted = 0;
  for (let round = 0; round < usualOrLong(1, 5); round += 1) {
    for (const farthing of farthings) {
      const here = project.through(farthing);
      const customer = `customer ${posted}`;
      const answer = await here.intake({ body: costEvent({ cost: 1, tags: { customer } }) });
      expect(answer.status).toBe(200);
      posted += 1;
      const costs = await here.api('POST', '/api/costs/', { ...range, group_by: 'customer', customers: [customer] });
      expect(costs.body).toMatchObject({ rows: [{ customer, cost: 1 }] });
    }
  }
  const held = await Promise.all(
    deployment.instances.map(async ({ url }) =>
      /^farthing_lease_held 1$/m.test(await (await fetch(`${url}/metrics`)).text()),
    ),
  );
  expect(held.filter(Boolean)).toHaveLength(1);
});

test('D4.1: a .before sent to one instance and an .after sent to another are one call', async () => {
  const project = await farthings[0].createProject();
  const event_id = randomUUID();
  const [, second, third] = farthings;
  const before = { event_id, event_type: 'x.before', model: 'm1', tags: { customer: 'acme' } };
  expect((await project.through(second).intake({ body: before })).status).toBe(200);
  const after = { event_id, event_type: 'x.after', cost: 2, timestamp: '2024-05-15T12:00:00Z' };
  expect((await project.through(third).intake({ body: after })).status).toBe(200);
  const { body } = await project.through(third).api('POST', '/api/costs/', { ...range, group_by: 'customer' });
  expect(body).toMatchObject({ rows: [{ customer: 'acme', cost: 2 }] });
});

test('D1.4: a creation, change or revocation on one instance holds on all within ten seconds', async () => {
  const [first, second, third] = farthings;
  const project = await first.createProject({ at_risk_below_pct: 10 });
  const there = project.through(second);
  const { id, api_key: token } = await project.createKey({ scopes: ['read'] });
  const { id: secretId, secret } = await project.createSecret(project.clientId);
  const ask = () => second.send('POST', '/api/costs/', { body: range, token });
  const post = () => second.send('POST', project.intakePath, { body: costEvent({ cost: 0 }), token: secret });
  expect((await ask()).status).toBe(200);
  expect((await post()).status).toBe(200);
  const status = async (of: Promise<{ status: number }>, wanted: number) =>
    (await of).status === wanted ? true : undefined;

  await first.admin('DELETE', `${project.adminPath}/api-keys/${id}/`);
  await poll('the key is refused on another instance', within, () => status(ask(), 401));
  await first.admin('DELETE', `${project.adminPath}/clients/${project.clientId}/secrets/${secretId}/`);
  await poll('the secret is refused on another instance', within, () => status(post(), 401));

  await there.api('POST', '/api/customer-tags/', { customers: [{ customer_name: 'acme', tags: { plan: 'pro' } }] });
  await there.api('POST', '/api/prices/', { model: 'm1', input_per_mtok: 1_000_000, output_per_mtok: 0 });
  const event = { event_id: randomUUID(), event_type: 'x.after', model: 'm1', prompt_tokens: 3, completion_tokens: 0 };
  const tagged = { ...event, timestamp: '2024-05-15T12:00:00Z', tags: { customer: 'acme' } };
  const third_ = project.through(third);
  expect((await third_.intake({ body: tagged })).status).toBe(200);
  const answer = await third_.api('POST', '/api/costs/', { ...range, customer_tags: { plan: 'pro' } });
  expect(answer.body).toMatchObject({ rows: [{ cost: 3 }] });

  await first.admin('PATCH', `${project.adminPath}/`, { name: 'renamed' });
  await poll('another instance has the new name', within, async () => {
    const { body } = await second.send('GET', '/api/project/', { token: project.apiKey });
    return (body as { name?: string }).name === 'renamed' ? true : undefined;
  });
  await first.admin('DELETE', `${project.adminPath}/`);
  await poll('the deleted project is refused on another instance', within, () =>
    status(second.send('POST', '/api/costs/', { body: range, token: project.apiKey }), 401),
  );
});

test('D5.5, D13.2: a rebuild asked of an instance without the lease is carried out by the one that has it', async () => {
  const holder = await deployment.holder();
  const other = farthings[(holder.index + 1) % instances];
  if (!other) throw new Error('there is another instance');
  const project = await other.createProject();
  await project.post(costEvent({ cost: 7 }));
  const { body } = await other.admin('POST', `${project.adminPath}/rebuilds/`, {});
  const { id } = body as { id: string };
  await poll('the rebuild is done', { within: 15_000 }, async () => {
    const state = await other.admin('GET', `${project.adminPath}/rebuilds/${id}/`);
    return (state.body as { state?: string }).state === 'done' ? true : undefined;
  });
  expect(await project.totalCost()).toBe(7);
});

test('signals reach every other instance, and again after the connection was lost', async () => {
  const url = inject('postgresUrl');
  const errors: Error[] = [];
  const [here, there] = ['here', 'there'].map(
    (name) => new PostgresSignalBus(url, name, (cause) => errors.push(cause)),
  );
  if (!here || !there) throw new Error('there are two');
  const heard: [string, Signal][] = [];
  await Promise.all([here.open(), there.open()]);
  here.onSignal((signal) => heard.push(['here', signal]));
  there.onSignal((signal) => heard.push(['there', signal]));
  here.send('stored');
  await poll('it is heard', { within: 5_000 }, () => (heard.length > 0 ? true : undefined));
  expect(heard).toEqual([['there', 'stored']]);
  expect([here.hearsOthers, there.hearsOthers]).toEqual([false, true]);

  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const drop =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'farthing signals' AND datname = current_database()";
  await admin.query(drop);
  await admin.end();
  await poll('both have noticed', { within: 5_000 }, () => (errors.length >= 2 ? true : undefined));
  await poll('both listen again', { within: 10_000 }, () => (here.isListening && there.isListening ? true : undefined));
  // What was said meanwhile may be lost, so that all of it counts as said.
  expect(heard.filter(([name]) => name === 'here')).toEqual(signals.map((signal) => ['here', signal]));
  // The last word is heard too.
  heard.length = 0;
  here.send('released');
  await here.close();
  await poll('it is heard', { within: 5_000 }, () => (heard.length > 0 ? true : undefined));
  expect(heard).toEqual([['there', 'released']]);
  await there.close();
});

if (isLong) describe('what they answer', () => testAnswers(() => deployment));

describe('budgets', () => testBudgets(() => deployment));

describe('members', () => testMembers(() => farthings));

// Last: these end and hang the instances that the others ask.
describe('provider accounts', () =>
  testProviderAccounts(
    () => deployment,
    () => provider,
  ));
describe('faults', () => testFaults(() => deployment));
