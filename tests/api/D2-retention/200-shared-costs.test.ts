import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { picos } from '../../support/decimal.ts';
import { noon } from '../../support/noon.ts';
import { expectProblem } from '../../support/problem.ts';
import { freezeBefore } from '../../support/retention.ts';

const farthing = sharedFarthing();
const day = '2024-05-15';
const gpu = { external_id: 'gpu', name: 'GPU', amount: 10, date_from: day, allocate_by: 'tokens' };

const page = z.looseObject({ rows: z.array(z.looseObject({})) });
const ask = async (project: Project, route: string, fields: Json) =>
  page.parse(
    expectStatus(
      await project.api('POST', `/api/${route}/`, { aggregate: 'all', include_shared: true, ...fields }),
      200,
    ),
  ).rows;
const share = async (project: Project, ...entries: Json[]) =>
  expectStatus(await project.api('POST', '/api/shared-costs/', { entries }), 201);

test('D31.2: frozen days share by what their totals are by, and only what these cannot tell is refused or null', async () => {
  const project = await farthing.createProject({ timezone: noon.timezone, tag_dimensions: ['env'] });
  const on = (tags: Json, cost = 1, timestamp = `${day}T12:00:00Z`) => costEvent({ cost, tags, timestamp });
  await project.post(
    on({ customer: 'acme', feature: 'chat', env: 'prod', team: 'a' }),
    on({ customer: 'acme', feature: 'search', env: 'test' }),
    on({ customer: 'beta', feature: 'chat', user: 'ann' }),
    on({ customer: 'acme' }, 1, '2024-05-20T12:00:00Z'),
  );
  const calls = { ...gpu, amount: 6, allocate_by: 'calls' };
  const shared = [
    { ...calls, external_id: 'all' },
    { ...calls, external_id: 'chat', date_to: '2024-05-16', scope: { features: ['chat'] } },
    { ...calls, external_id: 'env', amount: 4, scope: { tags: { env: ['prod'] } } },
  ];
  await share(project, ...shared);
  const range = { date_from: '2024-05-14', date_to: '2024-05-16' };
  const allocation = async () =>
    expectStatus(
      await project.api('GET', `/api/shared-cost-allocation/?date_from=${range.date_from}&date_to=${range.date_to}`),
      200,
    );
  const groups = ['feature', 'tag:env', 'user', 'model'];
  // Not every entry is shared by each of these: so an entry alone is asked for.
  const alone = async () => {
    for (const one of shared.slice(1)) {
      expectStatus(await project.api('DELETE', `/api/shared-costs/${one.external_id}/`), 204);
    }
    const answers = [];
    for (const group_by of groups.filter((name) => name !== 'user')) {
      answers.push(await ask(project, 'costs', { ...range, group_by }));
    }
    answers.push(await ask(project, 'costs', { ...range, group_by: 'tag:env', customers: ['acme'] }));
    await share(project, ...shared);
    return answers;
  };
  const before = await allocation();
  expect(before).toMatchObject({
    shared_costs: [{ unallocated: 0 }, { unallocated: 3, unallocated_days: 1 }, { unallocated: 0 }],
  });

  await freezeBefore(project, '2024-05-18');
  const shares = (rows: readonly Json[]) => rows.map(({ shared_cost }) => shared_cost);
  const sharesOf = async (route: string, fields: Json) => shares(await ask(project, route, { ...range, ...fields }));
  expect(await sharesOf('costs', { aggregate: 'day' })).toEqual([0, 13, 3]);
  expect(await sharesOf('usage', { aggregate: 'week' })).toEqual([16]);
  expect(await sharesOf('costs', { customers: ['acme'], aggregate: 'day' })).toEqual([0, 9.5, 0]);
  // A day without chat is of nobody.
  expect(await sharesOf('margin', { group_by: 'customer' })).toEqual([3, 9.5, 3.5]);
  expect(await allocation()).toEqual(before);
  expect((await alone()).map(shares)).toEqual([[4, 2], [2, 2, 2], [6], [2, 2]]);
  // Which calls of a feature had a tag is in no total; nor which of an environment were of chat.
  const ofFeature = await project.api('POST', '/api/costs/', { ...range, group_by: 'feature', include_shared: true });
  expect(expectProblem(ofFeature, 400, 'beyond_retention').detail).toMatch(/share of env: .* from 2024-05-18/);
  const ofTag = await project.api('POST', '/api/costs/', { ...range, group_by: 'tag:env', include_shared: true });
  expect(expectProblem(ofTag, 400, 'beyond_retention').detail).toContain('share of chat: ');
  // No total is by a tag that the project does not name.
  const ofTeam = { ...calls, scope: { tags: { team: ['a'] } } };
  await share(project, { ...ofTeam, external_id: 'team' }, { ...ofTeam, external_id: 'idle', date_from: '2024-05-16' });
  const byCustomer = await project.api('POST', '/api/margin/', {
    ...range,
    group_by: 'customer',
    include_shared: true,
  });
  expect(expectProblem(byCustomer, 400, 'beyond_retention').detail).toMatch(/share of .*team: /);
  expect(await ask(project, 'costs', range)).toMatchObject([{ shared_cost: 28 }]);
  const { shared_costs: listed } = before as { shared_costs: Json[] };
  const [ofAll, ofChat, ofEnv] = listed;
  const named = (external_id: string) => ({ external_id, name: 'GPU', amount: 6 });
  expect(await allocation()).toEqual({
    shared_costs: [
      ...[ofAll, ofChat, ofEnv],
      // No call at all had the tag on a day without calls.
      { ...named('idle'), unallocated: 6, unallocated_days: 1 },
      { ...named('team'), unallocated: null, unallocated_days: null },
    ],
  });
});

test('D31.2: users of frozen days share as their totals are by, to the last digit in all', async () => {
  const project = await farthing.createProject({ type: 'internal', timezone: noon.timezone });
  const on = (user: string, feature: string, cost: number, customer = '') =>
    costEvent({ cost, tags: { user, feature, customer }, timestamp: `${day}T12:00:00Z` });
  await project.post(
    ...[on('ann', 'chat', 1.7, 'b'), on('ann', 'search', 0.3, 'a'), on('bob', 'chat', 0.1, 'c'), on('bob', '', 2.3)],
    ...[on('', 'chat', 0.7, 'a'), costEvent({ cost: 1, timestamp: '2024-05-20T12:00:00Z' })],
    ...['ann', 'ann', 'bob'].map((user) => metricEvent(user)),
  );
  for (const [name, features] of Object.entries({ done: undefined, chatted: ['chat'] })) {
    const metric = { event_type: 'ticket.resolved', aggregation: 'count', ...(features && { features }) };
    expectStatus(await project.api('PUT', `/api/key-metrics/${name}/`, metric), 201);
  }
  const users = ['ann', 'bob'].map((name) => ({ user_name: name, tags: { team: name === 'ann' ? 'red' : 'blue' } }));
  expectStatus(await project.api('POST', '/api/user-tags/', { users }), 200);
  const ofChat = { ...gpu, allocate_by: 'cost', scope: { features: ['chat'] } };
  await share(
    project,
    { ...gpu, external_id: 'all', allocate_by: 'calls' },
    { ...gpu, external_id: 'of cost', amount: -1, allocate_by: 'cost', date_to: '2024-05-16' },
    { ...ofChat, external_id: 'chat', amount: 3, date_to: '2024-05-17' },
  );
  const range = { date_from: '2024-05-14', date_to: '2024-05-17' };
  const questions = [
    { group_by: 'user' },
    { group_by: 'user_tag:team' },
    { users: ['', 'bob'] },
    { user_tags: { team: ['red'] } },
    { group_by: 'user', filter_users_based_on_features: ['search'] },
    { aggregate: 'day' },
  ];
  // Those of days that are not frozen are the model's: tests/property/shared-costs.test.ts.
  await freezeBefore(project, '2024-05-18');
  const answers: Json[][] = [];
  for (const fields of questions) answers.push(await ask(project, 'performance', { ...range, ...fields }));

  // Ann has 2 of 5 calls, 2.0 of 5.1 USD, and 1.7 of 2.5 USD of chat. A day without calls is of nobody.
  const shareOfAnn = 4 - (0.5 * 2) / 5.1 + 1.7 / 2.5;
  const near = (value: number) => expect.closeTo(value, 10);
  const [byUser, byTeam, ofOthers, ofRed, searching] = answers;
  const ann = { cost: near(2 + shareOfAnn), shared_cost: near(shareOfAnn) };
  const chat = 1.7 + 2 - (0.5 * 1.7) / 5.1 + 1.7 / 2.5;
  const key_metrics = {
    done: { value: 2, total_cost: near(2 + shareOfAnn), cost_per_unit: near(1 + shareOfAnn / 2) },
    chatted: { value: 2, total_cost: near(chat), cost_per_unit: near(chat / 2) },
  };
  expect(byUser?.[1]).toMatchObject({ user: 'ann', ...ann, key_metrics });
  expect([byTeam?.[2], ofRed?.[0], searching?.[0]]).toEqual([
    expect.objectContaining({ tag: 'red', ...ann }),
    expect.objectContaining({ ...ann, key_metrics }),
    expect.objectContaining({ user: 'ann', ...ann, key_metrics }),
  ]);
  expect(searching).toHaveLength(1);
  expect(ofOthers).toMatchObject([{ shared_cost: near(12 - shareOfAnn) }]);
  const sharedIn = (rows: readonly Json[]) => rows.reduce((sum, row) => sum + picos(Number(row.shared_cost)), 0n);
  for (const rows of answers.slice(0, 2)) expect(sharedIn(rows)).toBe(picos(12));
  expect(answers.at(-1)?.map((row) => row.shared_cost)).toEqual([0, 10.5, 0.5, 1]);
  // No total is by user and provider.
  await share(project, { ...gpu, external_id: 'openai', scope: { providers: ['openai'] } });
  const refused = await project.api('POST', '/api/performance/', { ...range, group_by: 'user', include_shared: true });
  expect(expectProblem(refused, 400, 'beyond_retention').detail).toContain('share of openai: ask from 2024-05-18 on');
  expect(await ask(project, 'performance', range)).toMatchObject([{ shared_cost: 22 }]);
});

const metricEvent = (user: string): Json => ({
  ...{ event_id: randomUUID(), event_type: 'ticket.resolved' },
  ...{ timestamp: `${day}T12:00:00Z`, tags: { user } },
});
