// What each kind of alert finds in real stores, and when it begins and ends.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Project } from '../../src/accounts/projects.ts';
import { deleteEndedFirings, listFirings, toFiring } from '../../src/alerting/alerts/firings.ts';
import { changeWatch } from '../../src/alerting/alerts/watches.ts';
import { putBudget } from '../../src/alerting/budgets/store.ts';
import type { AlertKind } from '../../src/alerting/kinds/kinds.ts';
import { dayOf } from '../../src/lib/days.ts';
import { dollar, formatMoney } from '../../src/lib/money.ts';
import { snapshotOf } from '../../src/pricing/catalogue.ts';
import { storeCatalogueUpdate } from '../../src/pricing/catalogue-updates.ts';
import { noteSeenCatalogue } from '../../src/pricing/check/newer-catalogue.ts';
import { addGrant } from '../../src/reports/facts/grants.ts';
import { eraseFirings } from '../../src/server/erasure/erase-facts.ts';
import { deleteRows } from '../../src/storage/control/control-store.ts';
import type { Json, LoggedEvent } from '../assembly/model.ts';
import { assembleAll, at, deliver, openNextWorld, startEngineOfFile, type World, Writer } from '../assembly/world.ts';
import { longTest } from '../support/long-test.ts';
import { catalogueJson } from '../support/price-upstream.ts';
import { addEndpoint, type Looker, makeProjectAt, readDeliveries, readMessages, startLooker } from './world.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A Tuesday. */
const begins = Date.UTC(2026, 4, 12, 12);

const engine = await startEngineOfFile();
let world: World;
let writer: Writer;
beforeEach(async () => {
  world = await openNextWorld(engine, world);
  writer = new Writer();
});
afterAll(async () => {
  await world?.close();
});

/** A call of a model that has no price. */
const unpriced = (model: string): Json => ({ model, prompt_tokens: 1 });

/** Receives and assembles calls now. */
async function receive(project: Project, ...calls: Json[]): Promise<void> {
  const { now } = world.clock;
  const events = calls.map((call) =>
    writer.receive(now, { event_id: randomUUID(), event_type: 'x.after', timestamp: at(now), ...call }),
  );
  await deliver({ ...world, projectId: project.id }, events);
  await assembleAll(world);
}

/** Receives calls of many days at once, when all are over, and moves the clock back. */
async function receiveInPast(calls: readonly Json[], project: Project): Promise<void> {
  const { now } = world.clock;
  world.clock.now = Math.max(...calls.map(({ timestamp }) => Date.parse(String(timestamp))));
  await receive(project, ...calls);
  world.clock.now = now;
}

/** Moves the clock, never back. */
function moveTo(time: number): void {
  world.clock.now = Math.max(world.clock.now, time);
}

/** Moves the clock, looks, and returns the firings of the kind, oldest first, as whether they are open. */
async function lookAt(time: number, project: Project, looker: Looker, kind: AlertKind) {
  moveTo(time);
  await looker.lookThrough();
  const question = { projectId: project.id, kind, state: undefined, limit: 100, cursor: undefined };
  const { rows } = await listFirings(world.control, question);
  return rows.reverse().map((row) => ({ ...toFiring(row), isOpen: row.ended_at === null }));
}

test('D20.3: a customer fires while it costs more than it pays in the month, and ends when it pays', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const looker = startLooker(world, project, { only: 'unprofitable_customer' });
  const pay = async (customer: string, dollars: number) => {
    const { now } = world.clock;
    const row = {
      project_id: project.id,
      external_id: randomUUID(),
      customer,
      amount: formatMoney(BigInt(dollars) * dollar),
      created_at: now,
      updated_at: now,
    };
    const days = { date_from: '2026-05-01', date_to: '2026-05-10' };
    await world.control
      .insertInto('revenue_entries')
      .values({ ...row, ...days })
      .execute();
  };
  await receive(
    project,
    { cost: 30, tags: { customer: 'acme' } },
    { cost: 30, tags: { customer: 'zed' } },
    { cost: 30 },
  );
  expect(await lookAt(begins, project, looker, 'unprofitable_customer')).toEqual([]);
  await pay('acme', 20);
  await pay('zed', 40);
  const [fired, ...others] = await lookAt(begins + hour, project, looker, 'unprofitable_customer');
  expect(others).toEqual([]);
  expect(fired).toMatchObject({
    isOpen: true,
    subject: { customer: 'acme' },
    title: 'acme costs more than it pays',
    text: 'From 2026-05-01 to 2026-05-12, acme paid $20.00 and cost $30.00: a margin of -$10.00, or -50.0%.',
    path: '/customers/acme?from=2026-05-01&to=2026-05-12',
    numbers: { revenue: 20, cost: 30, margin: -10, margin_pct: -50, margin_below_pct: 0 },
  });
  await pay('acme', 100);
  expect(await lookAt(begins + 2 * hour, project, looker, 'unprofitable_customer')).toMatchObject([
    { id: fired?.id, isOpen: false },
  ]);
});

test('D20.3: what a project had before it is watched does not fire; what begins later does', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const endpoint = await addEndpoint(world, project);
  await receive(project, unpriced('old llm'));
  const looker = startLooker(world, project, { only: 'unpriced_model' });
  // Its first look comes a day late, as after an upgrade.
  expect(await lookAt(begins + day, project, looker, 'unpriced_model')).toEqual([]);
  await receive(project, unpriced('old llm'), unpriced('new llm'));
  const [fired, ...others] = await lookAt(begins + day + hour, project, looker, 'unpriced_model');
  expect([fired?.subject, others]).toEqual([{ model: 'new llm' }, []]);
  // Eight days later none of these calls is looked at: both end, and only the one that fired says so.
  expect(await lookAt(begins + 9 * day, project, looker, 'unpriced_model')).toMatchObject([
    { id: fired?.id, isOpen: false },
  ]);
  await receive(project, unpriced('old llm'));
  const again = await lookAt(begins + 9 * day + hour, project, looker, 'unpriced_model');
  expect(again.map(({ subject, isOpen }) => [subject.model, isOpen])).toEqual([
    ['new llm', false],
    ['old llm', true],
  ]);
  expect((await readDeliveries(world, endpoint, 'unpriced_model')).sort()).toEqual(
    [`${again[0]?.id}.fired`, `${again[0]?.id}.ended`, `${again[1]?.id}.fired`].sort(),
  );
});

longTest(
  'D20.3: a kind that is off is not looked for, and what holds when it is turned on again does not fire',
  async () => {
    const project = await makeProjectAt(world, begins, 'UTC');
    const endpoint = await addEndpoint(world, project);
    const looker = startLooker(world, project);
    const turn = async (isEnabled: boolean) => {
      const sources = { control: world.control, clock: () => world.clock.now };
      await changeWatch(sources, project, 'unpriced_model', { isEnabled, settings: {} });
    };
    await receive(project, unpriced('a'));
    const [first] = await lookAt(begins, project, looker, 'unpriced_model');
    expect(first).toMatchObject({ isOpen: true, subject: { model: 'a' } });
    await turn(false);
    await receive(project, unpriced('b'));
    expect(await lookAt(begins + hour, project, looker, 'unpriced_model')).toMatchObject([
      { id: first?.id, isOpen: false },
    ]);
    await turn(true);
    expect(await lookAt(begins + 2 * hour, project, looker, 'unpriced_model')).toHaveLength(1);
    await receive(project, unpriced('c'));
    const all = await lookAt(begins + 3 * hour, project, looker, 'unpriced_model');
    expect(all.map(({ subject }) => subject.model)).toEqual(['a', 'c']);
    expect(await readDeliveries(world, endpoint, 'unpriced_model')).toEqual(all.map(({ id }) => `${id}.fired`));
  },
);

test('D20.3: silence fires when it is longer than usual, and ends with the next event', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const looker = startLooker(world, project, { only: 'no_events' });
  // Every two hours for eight days.
  const times = Array.from({ length: 8 * 12 + 1 }, (_, index) => begins + index * 2 * hour);
  const events = times.map((time) => writer.receive(time, { event_id: randomUUID(), event_type: 'something.custom' }));
  moveTo(times.at(-1) ?? begins);
  await deliver({ ...world, projectId: project.id }, events);
  const last = world.clock.now;
  expect(await lookAt(last + 3 * hour, project, looker, 'no_events')).toEqual([]);
  const [fired, ...others] = await lookAt(last + 3 * hour + minute, project, looker, 'no_events');
  expect(others).toEqual([]);
  expect(fired).toMatchObject({
    isOpen: true,
    subject: { since: at(last) },
    title: 'No events for 3 hours',
    numbers: { last_event_at: at(last), silent_minutes: 181, longest_silence_minutes: 120 },
    path: '/live',
  });
  // The silence outlasts the days that are usually looked at, and the process.
  expect(
    await lookAt(last + 40 * day, project, startLooker(world, project, { only: 'no_events' }), 'no_events'),
  ).toMatchObject([{ isOpen: true }]);
  await receive(project, { cost: 1 });
  expect(await lookAt(last + 40 * day + 2 * minute, project, looker, 'no_events')).toMatchObject([
    { id: fired?.id, isOpen: false },
  ]);
});

test('D20.3: a project that never had events is not silent', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  expect(
    await lookAt(begins + 90 * day, project, startLooker(world, project, { only: 'no_events' }), 'no_events'),
  ).toEqual([]);
});

test('D20.3: a grant fires before it ends, and no longer when it is deleted', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const looker = startLooker(world, project, { only: 'credit_ending' });
  const sources = { control: world.control, clock: () => world.clock.now };
  const terms = { provider: 'openai', models: null, startsOn: '2026-05-01', priority: 0 };
  const grant = { ...terms, name: 'Start-up programme', amount: 10n ** 14n, expiresOn: '2026-06-01' };
  const made = await addGrant(sources, project.id, grant);
  expect(await lookAt(begins, project, looker, 'credit_ending')).toEqual([]);
  const [fired] = await lookAt(begins + 6 * day, project, looker, 'credit_ending');
  expect(fired).toMatchObject({
    isOpen: true,
    subject: { grant: made?.id },
    title: 'Start-up programme expires on 2026-06-01',
    numbers: { remaining: 100, ends_on: '2026-06-01', reason: 'expires' },
  });
  await deleteRows(world.control, 'credit_grants', { project_id: project.id, id: made?.id ?? '' });
  expect(await lookAt(begins + 6 * day + hour, project, looker, 'credit_ending')).toMatchObject([{ isOpen: false }]);
});

test('D20.3: a setting that changes while a look waits is looked at with its new value', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const sources = { control: world.control, clock: () => world.clock.now };
  const terms = { provider: 'openai', models: null, startsOn: '2026-05-01', priority: 0 };
  await addGrant(sources, project.id, { ...terms, name: null, amount: 10n ** 14n, expiresOn: '2026-05-22' });
  const watchFor = async (days: number) =>
    await changeWatch(sources, project, 'credit_ending', { isEnabled: undefined, settings: { days } });
  await watchFor(1);
  // With calls, other kinds are looked at before.
  await receive(project, unpriced('m'));
  let steps = 0;
  const afterStep = async () => {
    steps += 1;
    if (steps !== 3) return;
    // All kinds are read, and most wait.
    world.clock.now += 1_000;
    await watchFor(14);
    world.clock.now += 1_000;
  };
  const looker = startLooker(world, project, { only: 'credit_ending', afterStep });
  await lookAt(begins, project, looker, 'credit_ending');
  expect(await lookAt(begins + minute, project, looker, 'credit_ending')).toMatchObject([{ isOpen: true }]);
});

test('D20.3: fewer calls with a customer than usual fire, and end when they are as many again', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const looker = startLooker(world, project, { only: 'coverage_drop' });
  const spend = (time: number, share: number) =>
    Array.from({ length: 100 }, (_, index) => ({
      ...{ cost: 1, timestamp: at(time) },
      ...(index < share && { tags: { customer: 'acme' } }),
    }));
  moveTo(begins + 7 * day);
  await receive(project, ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((passed) => spend(begins + passed * day, 90)));
  expect(await lookAt(world.clock.now, project, looker, 'coverage_drop')).toEqual([]);
  moveTo(begins + 8 * day);
  await receive(project, ...spend(world.clock.now, 70));
  expect(await lookAt(world.clock.now, project, looker, 'coverage_drop')).toMatchObject([
    {
      isOpen: true,
      subject: { share: 'customer' },
      title: 'Fewer calls with a customer than usual',
      text: 'On 2026-05-20, 70.0% of the calls have a customer; usually 90.0% do.',
      numbers: { day: '2026-05-20', calls: 100, share_pct: 70, usual_pct: 90 },
    },
  ]);
  moveTo(begins + 9 * day);
  await receive(project, ...spend(world.clock.now, 90));
  expect(await lookAt(world.clock.now, project, looker, 'coverage_drop')).toMatchObject([{ isOpen: false }]);
});

test('D20.3, D20.4: a dear day fires once, says what explains it, and ends when costs are usual again', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const looker = startLooker(world, project, { only: 'anomaly' });
  const spend = (time: number, acme: number) => [
    { cost: acme, timestamp: at(time), model: 'm-alpha', tags: { customer: 'acme', feature: 'search' } },
    { cost: 20 + (new Date(time).getUTCDay() % 3), timestamp: at(time), tags: { customer: 'zed' } },
  ];
  // Eight weeks before the project is watched.
  const history = Array.from({ length: 56 }, (_, index) => begins - (56 - index) * day);
  await receive(project, ...history.flatMap((time) => spend(time, 20)));
  expect(await lookAt(begins, project, looker, 'anomaly')).toEqual([]);
  moveTo(begins + 2 * day);
  await receive(project, ...[20, 100, 20].flatMap((acme, index) => spend(begins + index * day, acme)));
  const [fired, ...others] = await lookAt(begins + 2 * day, project, looker, 'anomaly');
  // Of the customer, its feature and its model it is told in the explanation.
  expect(others).toEqual([]);
  expect(fired).toMatchObject({
    isOpen: true,
    subject: { kind: 'jump', from: '2026-05-13' },
    title: 'The project costs more than usual',
    path: '/?from=2026-05-13&to=2026-05-13',
    numbers: {
      cost: 120,
      explanation: {
        before_from: '2026-05-06',
        difference: 80,
        causes: [{ cause: 'prices', amount: 80 }],
        customers: [{ customer: 'acme', difference: 80 }],
        models: [{ model: 'm-alpha', difference: 80 }],
        features: [{ feature: 'search', difference: 80 }],
      },
    },
  });
  expect(fired?.text).toContain('On 2026-05-13, the project cost $120.00;');
  expect(fired?.text).toContain(
    'The largest changes from a week before: acme (+$80.00), m-alpha (+$80.00), search (+$80.00).',
  );
  moveTo(begins + 6 * day);
  await receive(project, ...[3, 4, 5, 6].flatMap((index) => spend(begins + index * day, 20)));
  expect(await lookAt(begins + 6 * day, project, looker, 'anomaly')).toMatchObject([{ id: fired?.id, isOpen: false }]);

  // At nine in the morning, before the usual calls of noon: a running day is explained against the same hours.
  moveTo(begins + 8 * day - 3 * hour);
  await receive(project, ...spend(begins + 7 * day, 20));
  const early = { timestamp: at(begins + 8 * day - 4 * hour), model: 'm-alpha' };
  await receive(project, { ...early, cost: 90, tags: { customer: 'acme', feature: 'search' } });
  const [, running] = await lookAt(world.clock.now, project, looker, 'anomaly');
  expect(running).toMatchObject({
    isOpen: true,
    numbers: {
      hours: 9,
      cost: 90,
      explanation: { difference: 90, customers: [{ customer: 'acme', difference: 90 }] },
    },
  });
  expect(running?.text).toContain('In the first 9 hours of 2026-05-20, the project cost $90.00;');
  expect(running?.text).toContain('The largest changes from the same hours a week before: acme (+$90.00)');

  const erase = (name: string) => eraseFirings(world.control, project.id, { dimension: 'customer', name });
  await erase('zed');
  expect(await lookAt(world.clock.now, project, looker, 'anomaly')).toHaveLength(2);
  await erase('acme');
  expect(await lookAt(world.clock.now, project, looker, 'anomaly')).toEqual([]);
});

test('D20.4: a day that is imported the morning after is no drop in the night, and one that never comes is', async () => {
  const midnight = begins - 12 * hour;
  const project = await makeProjectAt(world, midnight, 'UTC');
  const looker = startLooker(world, project, { only: 'anomaly' });
  const importOf = (index: number) =>
    writer.receive(midnight + (index + 1) * day + 6 * hour, {
      ...{ event_id: randomUUID(), event_type: 'x.after', cost: 40 + (index % 3) },
      timestamp: at(midnight + index * day + 12 * hour),
    });
  const arrive = async (...events: LoggedEvent[]) => {
    moveTo(events.at(-1)?.receivedAt ?? 0);
    await deliver({ ...world, projectId: project.id }, events);
    await assembleAll(world);
  };
  await arrive(...Array.from({ length: 34 }, (_, index) => importOf(index)));
  const look = async (time: number) => await lookAt(midnight + time, project, looker, 'anomaly');
  expect(await look(35 * day + hour)).toEqual([]);
  await arrive(importOf(34));
  expect(await look(36 * day + hour)).toEqual([]);
  expect(await look(36 * day + 7 * hour)).toMatchObject([
    { subject: { kind: 'drop', from: dayOf('UTC', midnight + 35 * day) } },
  ]);
});

test('D20.3: a list price that changes by its own date fires once, some days before, and no timetable of prices does', async () => {
  const newYear = Date.UTC(2027, 0, 1);
  const project = await makeProjectAt(world, newYear - 12 * day, 'UTC');
  const endpoint = await addEndpoint(world, project);
  const looker = startLooker(world, project, { only: 'price_change' });
  const times = [newYear - 8 * day - hour, newYear - 5 * day + hour, newYear + 3 * day, newYear + 8 * day];
  await receiveInPast(
    times.flatMap((time) => [
      { provider: 'google', model: 'gemini-3.7-flash', prompt_tokens: 1, timestamp: at(time) },
      { provider: 'deepseek', model: 'deepseek-chat', prompt_tokens: 1, timestamp: at(time) },
    ]),
    project,
  );
  const look = (time: number) => lookAt(time, project, looker, 'price_change');
  expect(await look(newYear - 8 * day - hour)).toEqual([]);
  const [fired, ...others] = await look(newYear - 5 * day + hour);
  expect(others).toEqual([]);
  expect(fired).toMatchObject({
    isOpen: true,
    subject: { provider: 'google', model: 'gemini-3.7-flash' },
    title: 'The list price of gemini-3.7-flash changes on 2027-01-01',
    numbers: {
      from: '2027-01-01',
      in_force: false,
      rates: expect.arrayContaining([{ rate: 'input', before: 0.75, after: 1.5 }]),
    },
  });
  expect(await look(newYear + 3 * day)).toMatchObject([{ id: fired?.id, isOpen: true }]);
  expect(await look(newYear + 8 * day)).toMatchObject([{ id: fired?.id, isOpen: false }]);
  expect((await readDeliveries(world, endpoint, 'price_change')).sort()).toEqual([
    `${fired?.id}.ended`,
    `${fired?.id}.fired`,
  ]);
});

test('D20.5: what begins at one look is one message, and so is what ends at one', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const endpoint = await addEndpoint(world, project);
  const looker = startLooker(world, project, { only: ['budget', 'unpriced_model'] });
  const limit = { amount: 10n * dollar, period: 'day', thresholds: [50, 80, 100], scope: {}, each: undefined } as const;
  const definition = { ...limit, applyCredits: false };
  const sources = { control: world.control, clock: () => world.clock.now };
  await putBudget(sources, project.id, { name: 'all', definition, replaces: false });
  const models = Array.from({ length: 600 }, (_, index) => `model ${index}`);
  await receive(project, { cost: 12 }, ...models.map(unpriced));
  expect(await lookAt(begins, project, looker, 'budget')).toHaveLength(3);
  expect(await lookAt(begins, project, looker, 'unpriced_model')).toHaveLength(100);
  expect(await readMessages(world, endpoint, 'budget')).toMatchObject([
    { projectName: 'Test', event: 'fired', title: 'The budget "all" has passed 100%', data: { others: [{}, {}] } },
  ]);
  const [unpricedOnes, ...more] = await readMessages(world, endpoint, 'unpriced_model');
  expect(more).toEqual([]);
  expect(unpricedOnes).toMatchObject({
    title: expect.stringMatching(/^model \d+ has no price, and 599 more$/),
    text: expect.stringMatching(/ And 595 more\.$/),
    path: '/alerts',
  });
  expect(new Set(await readDeliveries(world, endpoint, 'unpriced_model')).size).toBe(600);
  await lookAt(begins + day, project, looker, 'budget');
  expect((await readMessages(world, endpoint, 'budget')).map(({ event }) => event).sort()).toEqual(['ended', 'fired']);
});

test('D20.3: ended firings are deleted when they are old, open ones never', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const looker = startLooker(world, project, { only: 'unpriced_model' });
  await receive(project, unpriced('a'));
  await lookAt(begins, project, looker, 'unpriced_model');
  const [ended] = await lookAt(begins + 8 * day, project, looker, 'unpriced_model');
  expect(ended?.isOpen).toBe(false);
  await receive(project, unpriced('b'));
  expect(await lookAt(begins + 9 * day, project, looker, 'unpriced_model')).toHaveLength(2);
  await deleteEndedFirings(world.control, Date.parse(ended?.ended_at ?? ''));
  expect(await lookAt(begins + 9 * day + minute, project, looker, 'unpriced_model')).toHaveLength(2);
  await deleteEndedFirings(world.control, Number.MAX_SAFE_INTEGER);
  expect(await lookAt(begins + 9 * day + 2 * minute, project, looker, 'unpriced_model')).toMatchObject([
    { isOpen: true, subject: { model: 'b' } },
  ]);
});

/** The installed catalogue with one more model of OpenAI, at this price of input. */
const listAt = (input: number) =>
  snapshotOf({ version: `at-${input}`, providers: JSON.parse(catalogueJson({ name: 'house llm', input, output: 8 })) });

test('D20.3: a changed list price of a model in use fires once, in newer list prices or in force, and ends some days later', async () => {
  world.clock.now = begins;
  await storeCatalogueUpdate(world.control, listAt(2), begins);
  const project = await makeProjectAt(world, begins, 'UTC');
  const endpoint = await addEndpoint(world, project);
  const looker = startLooker(world, project, { only: 'price_change' });
  const times = [begins, begins + hour, begins + 8 * day, begins + 9 * day];
  await receiveInPast(
    times.map((time) => ({ provider: 'openai', model: 'house llm', prompt_tokens: 1, timestamp: at(time) })),
    project,
  );
  const look = (time: number) => lookAt(time, project, looker, 'price_change');
  expect(await look(begins + minute)).toEqual([]);

  await noteSeenCatalogue(world.control, listAt(3), begins + minute);
  const [fired, ...others] = await look(begins + hour);
  expect(others).toEqual([]);
  expect(fired).toMatchObject({
    isOpen: true,
    subject: { provider: 'openai', model: 'house llm', after: 'input 3' },
    title: 'The list price of house llm has changed',
    numbers: { calls: 2, days: 7, in_force: false, rates: [{ rate: 'input', before: 2, after: 3 }] },
    path: '/prices',
  });
  expect(await look(begins + 2 * hour)).toMatchObject([{ id: fired?.id, isOpen: true }]);

  // In force, it is the same change; a week later nothing has changed any more.
  moveTo(begins + 3 * hour);
  await storeCatalogueUpdate(world.control, listAt(3), world.clock.now);
  await world.priceBooks.activateFor(project.id);
  expect(await look(begins + 4 * hour)).toMatchObject([{ id: fired?.id, isOpen: true }]);
  expect(await look(begins + 8 * day)).toMatchObject([{ id: fired?.id, isOpen: false }]);

  // Another price is another change, which ends when it is taken back.
  await noteSeenCatalogue(world.control, listAt(5), begins + 8 * day);
  const [, second] = await look(begins + 8 * day + hour);
  expect(second).toMatchObject({ isOpen: true, subject: { model: 'house llm', after: 'input 5' } });
  await noteSeenCatalogue(world.control, listAt(3), begins + 9 * day);
  expect(await look(begins + 9 * day + hour)).toMatchObject([{ isOpen: false }, { id: second?.id, isOpen: false }]);
  expect((await readDeliveries(world, endpoint, 'price_change')).sort()).toEqual(
    [fired, second].flatMap((one) => [`${one?.id}.ended`, `${one?.id}.fired`]).sort(),
  );
});

test('D32.1: what an hour passes after its last look still fires, and ends soon after; a window ends when it holds less', async () => {
  const project = await makeProjectAt(world, begins, 'UTC');
  const looker = startLooker(world, project, { only: 'budget' });
  const sources = { control: world.control, clock: () => world.clock.now };
  for (const period of ['hour', '10m'] as const) {
    const definition = {
      amount: 10n * dollar,
      period,
      scope: {},
      each: undefined,
      thresholds: [100],
      applyCredits: false,
    };
    await putBudget(sources, project.id, { name: period, definition, replaces: false });
  }
  moveTo(begins + hour - 15_000);
  expect(await lookAt(begins + hour - 15_000, project, looker, 'budget')).toEqual([]);
  await receive(project, { cost: 12 });
  const subjects = async (time: number) =>
    (await lookAt(time, project, looker, 'budget')).filter(({ isOpen }) => isOpen).map(({ subject }) => subject);
  const ofHour = { budget: 'hour', threshold: 100, period_from: at(begins) };
  const ofWindow = { budget: '10m', threshold: 100, window: '10m' };
  expect(await subjects(begins + hour + 30_000)).toEqual(expect.arrayContaining([ofHour, ofWindow]));
  await receive(project, { cost: 0.5 });
  expect(await subjects(begins + hour + 3 * minute)).toEqual([ofWindow]);
  await receive(project, { cost: 0.5 });
  expect(await subjects(begins + hour + 13 * minute)).toEqual([]);
});
