import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { addDays, dayOf } from '../../support/model.ts';
import { noon } from '../../support/noon.ts';
import { addGrant, listGrants, onlyGrant } from './support.ts';

const farthing = sharedFarthing();

/** A project with calls of provider `p`, unless an event names another. */
async function projectWith(...events: (Json & { cost: number })[]): Promise<Project> {
  return await fill(await farthing.createProject(), events);
}

async function fill(project: Project, events: (Json & { cost: number })[]): Promise<Project> {
  if (events.length > 0) await project.post(...events.map((event) => costEvent({ provider: 'p', ...event })));
  return project;
}

const today = dayOf(Date.now(), noon.timezone);
/** A project in which it is noon now, with calls of provider `p`, each `ago` days ago. */
async function projectOfDays(...calls: { ago: number; cost: number }[]): Promise<Project> {
  const events = calls.map(({ ago, cost }) => ({
    cost,
    timestamp: `${addDays(today, -ago)}T00:00:00${noon.offset}`,
  }));
  return await fill(await farthing.createProject({ timezone: noon.timezone }), events);
}

test('D7.1: a grant is answered and listed as posted', async () => {
  const project = await projectWith();
  const made = await addGrant(project, {
    name: 'Start-up programme',
    provider: 'OpenAI',
    models: ['gpt-5*', 'o3'],
    amount: '2500.000000000001',
    starts_on: '2024-02-29',
    expires_on: '2100-12-31',
    priority: -3,
  });
  expect(made).toMatchObject({
    name: 'Start-up programme',
    provider: 'OpenAI',
    models: ['gpt-5*', 'o3'],
    amount: 2500.000000000001,
    starts_on: '2024-02-29',
    expires_on: '2100-12-31',
    priority: -3,
  });
  expect(Math.abs(Date.parse(made.created_at) - Date.now())).toBeLessThan(60_000);
  expect(await listGrants(project)).toEqual([{ ...made, used: 0, remaining: 2500.000000000001, runs_out_on: null }]);
});

test('D7.1: an absent or null field restricts nothing; grants are listed in order of creation', async () => {
  const project = await projectWith();
  const first = await addGrant(project, { priority: 5 });
  const second = await addGrant(project, { name: null, models: null, expires_on: null });
  expect(first).toMatchObject({ name: null, models: null, expires_on: null, priority: 5 });
  expect(second).toMatchObject({ name: null, models: null, expires_on: null, priority: 0 });
  expect((await listGrants(project)).map(({ id }) => id)).toEqual([first.id, second.id]);
});

const amounts: [name: string, amount: number | string, shown: number][] = [
  ['a number', 0.1, 0.1],
  ['a number with an exponent', 1e-12, 1e-12],
  ['a decimal string', '0.10', 0.1],
  ['the most', '1000000000', 1e9],
];

test.each(amounts)('D7.1: the amount may be %s', async (_name, amount, shown) => {
  const project = await projectWith();
  expect((await addGrant(project, { amount })).amount).toBe(shown);
});

test('D7.4: a grant shows its used and remaining amounts, and the GET includes acknowledged events (D4.7)', async () => {
  const project = await projectWith({ cost: 1.25 }, { cost: 0.5, provider: 'P' }, { cost: 100, provider: 'q' });
  await addGrant(project);
  expect(await onlyGrant(project)).toMatchObject({ used: 1.75, remaining: 8.25, runs_out_on: null });
  await project.post(costEvent({ provider: 'p', cost: 0.25 }));
  const answer = await project.api('GET', '/api/credit-grants/');
  expect(Date.parse(answer.headers.get('farthing-as-of') ?? '')).toBeGreaterThan(0);
  expect(await onlyGrant(project)).toMatchObject({ used: 2, remaining: 8 });
});

test('D7.3: a grant that covers a third of a day is used up without a remainder', async () => {
  const project = await projectWith({ cost: 1, model: 'x' }, { cost: 2, model: 'y' });
  await addGrant(project, { amount: 1 });
  expect(await onlyGrant(project)).toMatchObject({ used: 1, remaining: 0, runs_out_on: '2024-05-15' });
});

longTest('D7.2: a grant is used only for its models and on its days', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm-1', timestamp: '2024-03-01T00:00:00Z' },
    { cost: 2, model: 'm-2', timestamp: '2024-03-31T23:59:59.999Z' },
    { cost: 4, model: 'M-2', timestamp: '2024-03-15T12:00:00Z' },
    { cost: 8, model: 'n', timestamp: '2024-03-15T12:00:00Z' },
    { cost: 16, model: 'm-1', timestamp: '2024-02-29T23:59:59.999Z' },
    { cost: 32, model: 'm-1', timestamp: '2024-04-01T00:00:00Z' },
  );
  await addGrant(project, { amount: 1_000, models: ['m-*'], starts_on: '2024-03-01', expires_on: '2024-03-31' });
  expect(await onlyGrant(project)).toMatchObject({ used: 3, remaining: 997 });
});

longTest('D7.2: days are those of the timezone of the project', async () => {
  const project = await farthing.createProject({ timezone: 'Pacific/Kiritimati' });
  await project.post(
    costEvent({ cost: 1, provider: 'p', timestamp: '2024-02-29T09:59:59.999Z' }),
    costEvent({ cost: 2, provider: 'p', timestamp: '2024-02-29T10:00:00Z' }),
  );
  await addGrant(project, { starts_on: '2024-03-01' });
  expect((await onlyGrant(project)).used).toBe(2);
});

test('D7.2: several grants share a day in their order', async () => {
  const project = await projectWith({ cost: 10 });
  const last = await addGrant(project, { amount: 5, priority: 1, expires_on: '2024-05-15' });
  const third = await addGrant(project, { amount: 3 });
  const second = await addGrant(project, { amount: 3, starts_on: '2023-12-31' });
  const first = await addGrant(project, { amount: 3, expires_on: '2024-12-31' });
  const used = Object.fromEntries((await listGrants(project)).map((grant) => [grant.id, grant.used]));
  expect(used).toEqual({ [first.id]: 3, [second.id]: 3, [third.id]: 3, [last.id]: 1 });
});

test('D7.4: runs_out_on is the day on which the rest is used up at the rate of the last 30 days', async () => {
  const project = await projectOfDays(
    { ago: 0, cost: 1 },
    { ago: 9, cost: 2 },
    { ago: 29, cost: 3 },
    { ago: 30, cost: 40 },
  );
  await addGrant(project, { amount: 52, starts_on: addDays(today, -100) });
  // 6 in 30 days are 0.2 a day, and 6 are left.
  expect(await onlyGrant(project)).toMatchObject({ used: 46, remaining: 6, runs_out_on: addDays(today, 30) });
});

test('D7.4: a grant with credit left at its expiry has no runs_out_on; the rate of a recent grant counts from its start', async () => {
  const project = await projectOfDays({ ago: 0, cost: 1 }, { ago: 1, cost: 1 });
  await addGrant(project, { amount: 4, starts_on: addDays(today, -1), expires_on: addDays(today, 2) });
  expect((await onlyGrant(project)).runs_out_on).toBe(addDays(today, 2));
  const other = await projectOfDays({ ago: 0, cost: 1 }, { ago: 1, cost: 1 });
  await addGrant(other, { amount: 4, starts_on: addDays(today, -1), expires_on: addDays(today, 1) });
  expect((await onlyGrant(other)).runs_out_on).toBeNull();
});

test('D7.4: a grant that starts tomorrow is not used', async () => {
  const project = await projectOfDays({ ago: 0, cost: 1 }, { ago: -1, cost: 2 });
  await addGrant(project, { starts_on: addDays(today, 1) });
  expect(await onlyGrant(project)).toMatchObject({ used: 0, remaining: 10, runs_out_on: null });
});

test('D7: a deleted grant covers nothing, and the next grant takes its place', async () => {
  const project = await projectWith({ cost: 10 });
  const first = await addGrant(project, { amount: 4, priority: -1 });
  const second = await addGrant(project, { amount: 5 });
  expect(await project.totalCost({ apply_credits: true })).toBe(1);
  const deleted = await project.api('DELETE', `/api/credit-grants/${first.id}/`);
  expect(expectStatus(deleted, 204)).toBeUndefined();
  expect(await project.totalCost({ apply_credits: true })).toBe(5);
  expect((await listGrants(project)).map(({ id }) => id)).toEqual([second.id]);
});

longTest('D7.3: credits that earlier days have used are not there for the days asked for', async () => {
  const project = await projectWith(
    { cost: 8, timestamp: '2024-05-01T12:00:00Z' },
    { cost: 5, timestamp: '2024-05-10T12:00:00Z' },
  );
  await addGrant(project, { amount: 10 });
  const day = { date_from: '2024-05-10', date_to: '2024-05-10', aggregate: 'all', apply_credits: true };
  expect((await project.costs(day)).rows).toMatchObject([{ cost: 3 }]);
});

test('D1.1: grants and calls of other projects do not count', async () => {
  const [project, other] = await Promise.all([projectWith({ cost: 3 }), projectWith({ cost: 8 })]);
  await addGrant(other, { amount: 5 });
  expect(await project.totalCost({ apply_credits: true })).toBe(3);
  expect(await listGrants(project)).toEqual([]);
  expect(await other.totalCost({ apply_credits: true })).toBe(3);
  expect((await onlyGrant(other)).used).toBe(5);
});

test('D2: the admin token with Farthing-Project manages the grants of that project', async () => {
  const project = await projectWith();
  const headers = { 'farthing-project': project.id };
  const body = { provider: 'p', amount: 1, starts_on: '2024-01-01' };
  const options = { token: farthing.adminToken, headers };
  expectStatus(await farthing.send('POST', '/api/credit-grants', { ...options, body }), 201);
  const { id } = await onlyGrant(project);
  expectStatus(await farthing.send('DELETE', `/api/credit-grants/${id}`, options), 204);
  expect(await listGrants(project)).toEqual([]);
});
