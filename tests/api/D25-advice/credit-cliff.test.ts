import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  costEvent,
  expectStatus,
  type Json,
  onceCaughtUp,
  type Project,
  sharedFarthing,
} from '../../support/client.ts';
import { allMargin, postRevenue } from '../../support/margin.ts';
import { untilDayLasts } from '../../support/midnight.ts';
import { expectProblem } from '../../support/problem.ts';
import { dayAgo } from './support.ts';

const farthing = sharedFarthing();

beforeAll(async () => void (await untilDayLasts()));

const margin = z.strictObject({ revenue: z.number(), cost: z.number(), margin: z.number(), margin_pct: z.number() });
const margins = { now: margin, after: margin };
const cliff = z.strictObject({
  date_from: z.string(),
  date_to: z.string(),
  credits_left: z.number(),
  ends_on: z.string().nullable(),
  ...margins,
  customers: z.array(
    z.strictObject({ customer: z.string(), turns: z.boolean(), turns_on: z.string().nullable(), ...margins }),
  ),
  others: z.strictObject({ count: z.number().int(), turns: z.number().int(), ...margins }),
});

const askCliff = async (project: Project) =>
  cliff.parse(expectStatus(await onceCaughtUp(() => project.api('GET', '/api/credit-cliff/')), 200));

const range = () => ({ date_from: dayAgo(28), date_to: dayAgo(1) });
const spend = (customer: string, cost: number, provider: string, daysAgo = 3): Json =>
  costEvent({ cost, provider, model: 'm1', timestamp: `${dayAgo(daysAgo)}T12:00:00Z`, tags: { customer } });

test('D7, D8, D25: the cliff is the margin with credits and without them, and names who turns', async () => {
  const project = await farthing.createProject();
  const grant = { provider: 'openai', amount: 400, starts_on: dayAgo(60), expires_on: dayAgo(-20) };
  const granted = Object(expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201));
  await project.post(
    spend('turns', 15, 'openai'),
    spend('turns more', 90, 'openai'),
    spend('stays', 20, 'openai'),
    spend('lost already', 30, 'anthropic'),
    // Neither today nor before the 28 days.
    spend('stays', 1_000, 'anthropic', 0),
    spend('stays', 1_000, 'anthropic', 29),
  );
  const entry = { date_from: dayAgo(28), date_to: dayAgo(1) };
  expectStatus(
    await postRevenue(project, [
      { external_id: 'r1', customer: 'turns', amount: 10, ...entry },
      { external_id: 'r2', customer: 'turns more', amount: 30, ...entry },
      { external_id: 'r3', customer: 'stays', amount: 100, ...entry },
      { external_id: 'r4', customer: 'lost already', amount: 5, ...entry },
    ]),
    200,
  );
  const answer = await askCliff(project);
  expect(answer).toMatchObject({ ...range(), credits_left: 275, ends_on: grant.expires_on });
  const listed = await project.api('GET', '/api/credit-grants/');
  expect(listed.body).toMatchObject({ credit_grants: [{ id: granted.id, remaining: 275 }] });
  expect(answer.customers.map(({ customer, turns, turns_on: on }) => [customer, turns, on])).toEqual([
    ['turns more', true, grant.expires_on],
    ['turns', true, grant.expires_on],
    ['lost already', false, null],
    ['stays', false, null],
  ]);
  const question = { ...range(), aggregate: 'all', group_by: 'customer' };
  for (const [side, apply_credits] of [
    ['now', true],
    ['after', false],
  ] as const) {
    const rows = new Map((await allMargin(project, { ...question, apply_credits })).map((row) => [row.customer, row]));
    for (const one of answer.customers) expect(rows.get(one.customer)).toMatchObject(one[side]);
    const [whole] = await allMargin(project, { ...range(), aggregate: 'all', apply_credits });
    expect(whole).toMatchObject(answer[side]);
  }
  expect(answer.others).toMatchObject({ count: 0, turns: 0, now: { revenue: 0, cost: 0 } });
});

test('D7, D25: a customer turns when the grants of its own providers end, not when those of another do', async () => {
  const project = await farthing.createProject();
  const [first, last] = [dayAgo(-10), dayAgo(-90)];
  for (const [provider, expires_on] of [
    ['openai', first],
    ['anthropic', last],
  ]) {
    const grant = { provider, amount: 10_000, starts_on: dayAgo(60), expires_on };
    expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);
  }
  await project.post(
    spend('at openai', 20, 'OpenAI'),
    spend('at anthropic', 20, 'anthropic'),
    spend('at both', 5, 'openai'),
    spend('at both', 20, 'anthropic'),
  );
  const entry = { amount: 10, date_from: dayAgo(28), date_to: dayAgo(1) };
  const names = ['at openai', 'at anthropic', 'at both'];
  const entries = names.map((customer) => ({ external_id: customer, customer, ...entry }));
  expectStatus(await postRevenue(project, entries), 200);
  const { ends_on: endsOn, customers } = await askCliff(project);
  expect(endsOn).toBe(last);
  expect(Object.fromEntries(customers.map(({ customer, turns_on: on }) => [customer, on]))).toEqual({
    'at openai': first,
    'at anthropic': last,
    'at both': last,
  });
});

test('D25: without credits both margins are the same, and no end is known', async () => {
  const project = await farthing.createProject();
  await project.post(spend('acme', 15, 'openai'));
  const answer = await askCliff(project);
  expect(answer).toMatchObject({ credits_left: 0, ends_on: null, customers: [{ customer: 'acme', turns: false }] });
  expect(answer.now).toEqual(answer.after);
});

test('section 7, D25: an internal project has no margins that could turn', async () => {
  const project = await farthing.createProject({ type: 'internal' });
  expectProblem(await project.api('GET', '/api/credit-cliff/'), 400, 'wrong_project_type');
});
