import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  costEvent,
  expectStatus,
  type Json,
  onceCaughtUp,
  type Project,
  sharedFarthing,
  tokenEvent,
} from '../../support/client.ts';
import { askAll, closeDays } from '../../support/closes.ts';
import { isLong } from '../../support/effort.ts';
import { addRevenue } from '../../support/margin.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { changeTimezone, rebuildProject, repriceDays } from '../../support/reprice.ts';
import { erase } from '../D2-erasure/support.ts';
import { addGrant } from '../D7-credits/support.ts';

const farthing = sharedFarthing();
const range = { date_from: '2024-05-01', date_to: '2024-05-31' };

/** A call at noon of a day of May. */
const call = (day: number, fields: Json, tags: Json = {}): Json =>
  tokenEvent({
    timestamp: `2024-05-${String(day).padStart(2, '0')}T12:00:00Z`,
    provider: 'openai',
    prompt_tokens: 1_000,
    completion_tokens: 10 * day,
    ...fields,
    tags: { customer: 'acme', user: 'u1', feature: 'chat', ...tags },
  });

/** A project with calls of every kind of day, customer and run. Returns an id that a test can move. */
async function fill(type: 'revenue' | 'internal'): Promise<{ project: Project; movable: string }> {
  const project = await farthing.createProject({ type });
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 7, cache_read_per_mtok: 1 });
  const movable = randomUUID();
  await project.post(
    call(2, {}),
    call(
      2,
      { provider: 'anthropic', model: 'm2', cost: 1.25 },
      { customer: 'bravo', user: 'u2', run: 'over midnight' },
    ),
    call(3, { event_id: movable }, { run: 'over midnight' }),
    call(3, {}, { customer: 'bravo', feature: 'search', run: 'job-1', job: 'nightly' }),
    call(4, {}, { customer: 'charlie', user: 'u3', run: 'job-1' }),
    call(20, { event_type: 'llm.error' }, { customer: 'bravo', user: 'u2' }),
    costEvent({ cost: 0.1, timestamp: '2024-05-31T23:59:59Z' }),
    ...(type === 'internal' ? [ticket(2, 'u1', 3), ticket(2, 'u2', 0.5), ticket(9, 'u2', 1e-30)] : []),
  );
  await addGrant(project, { provider: 'openai', amount: 0.004, starts_on: '2024-05-01' });
  if (type === 'revenue') {
    await project.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
    await addRevenue(project, { external_id: 'i-1', customer: 'acme', amount: 10, ...range });
  } else {
    await project.tagUsers({ user_name: 'u1', tags: { team: 'a' } });
    await project.keyMetric('tickets', { event_type: 'ticket.done', aggregation: 'count' });
    await project.keyMetric('points', {
      event_type: 'ticket.done',
      aggregation: 'sum',
      field: '/points',
      features: ['chat'],
    });
    await project.keyMetric('kinds', { event_type: 'ticket.done', aggregation: 'unique', field: '/kind' });
  }
  return { project, movable };
}

const ticket = (day: number, user: string, points: number): Json => ({
  event_id: randomUUID(),
  event_type: 'ticket.done',
  timestamp: `2024-05-${String(day).padStart(2, '0')}T09:00:00Z`,
  points,
  kind: day,
  tags: { user },
});

/** The computed side of a reconciliation, and the rows of FOCUS. */
const askRows = async (project: Project, as_of?: string): Promise<unknown[]> => {
  const named = as_of === undefined ? {} : { as_of };
  const body = { ...range, aggregate: 'all', group_by: 'model', ...named };
  const query = new URLSearchParams({ ...range, limit: '1000', ...named });
  const [reconciled, focus] = [
    await onceCaughtUp(() => project.api('POST', '/api/reconciliation/', body)),
    await onceCaughtUp(() => project.api('GET', `/api/exports/focus/?${query}`)),
  ];
  return [expectStatus(reconciled, 200), expectStatus(focus, 200)];
};

/** What happens to both types of projects. The answers as of the close are compared after all changes together. */
async function disturb({ project, movable }: Awaited<ReturnType<typeof fill>>, events: Json[] = []): Promise<void> {
  // Late events: new calls, another outcome of a known call, a call that moves to another day, a new day.
  await project.post(
    call(2, {}),
    call(7, {}),
    call(30, { cost: 5 }, { customer: 'delta', run: 'job-1' }),
    call(25, { event_id: movable }),
    call(3, { event_type: 'llm.wrapper' }, { run: 'over midnight' }),
    ...events,
  );
  await project.addPrice({ model: 'm1', input_per_mtok: 30, output_per_mtok: 70 });
  await addGrant(project, { provider: 'openai', amount: 100, starts_on: '2024-05-01' });
}

/** So that answers that stay would have changed: every question answers something else. */
async function expectOthers(project: Project, before: ReadonlyMap<string, string>): Promise<void> {
  for (const [question, text] of await askAll(project, range, 0)) expect(text, question).not.toBe(before.get(question));
}

test('D18.2, D19.1, D19.2, D24.2: as of a close every question of a revenue project answers the same bytes, and after an erasure the same figures', async () => {
  const filled = await fill('revenue');
  const { project } = filled;
  const before = await askAll(project, range, 2);
  const rowsBefore = await askRows(project);
  const first = await closeDays(project, range.date_to);
  await disturb(filled);
  await project.tag({ customer_name: 'bravo', tags: { plan: 'pro' } });
  await addRevenue(project, { external_id: 'i-1', customer: 'bravo', amount: 99, ...range });
  await repriceDays(project, { ...range, dry_run: false });
  await expectOthers(project, before);
  if (isLong) await rebuildProject(project);
  expect(await askAll(project, { ...range, as_of: first.id }, 2)).toEqual(before);
  expect(await askRows(project, first.id)).toEqual(rowsBefore);

  const second = await closeDays(project, '2024-06-30');
  const costs = async (close: { id: string }, fields: Json = {}) =>
    (await project.costs({ ...range, as_of: close.id, ...fields })).rows;
  const byCustomer = async () =>
    Object.fromEntries(
      (await costs(first, { aggregate: 'all', group_by: 'customer' })).map(({ customer, cost }) => [customer, cost]),
    );
  const byDay = async (close: { id: string }, fields: Json = {}) =>
    (await costs(close, fields)).map(({ cost }) => cost);
  const figures = async () => ({
    ofFeatures: await byDay(first, { features: ['chat', 'search'] }),
    first: await byDay(first),
    second: await byDay(second),
  });
  const { bravo, ...others } = await byCustomer();
  const figuresBefore = await figures();
  expect(figuresBefore.first).not.toEqual(figuresBefore.second);
  // Erasure wins over closes: each keeps its figures without the name, and what comes afterwards does not count in it.
  await erase(project, '/api/customers/bravo/');
  await project.post(call(3, { cost: 8 }, { customer: 'bravo' }), call(4, { cost: 8 }));
  expect(await byCustomer()).toEqual({ ...others, '': Number(others['']) + Number(bravo) });
  expect(await figures()).toEqual(figuresBefore);
});

test('D19.1: as of a close every question of an internal project answers the same bytes, whatever happens afterwards', async () => {
  const filled = await fill('internal');
  const { project } = filled;
  const before = await askAll(project, range, 2);
  const close = await closeDays(project, range.date_to);
  await disturb(filled, [ticket(2, 'u1', 8), ticket(12, 'u4', 1)]);
  await project.tagUsers({ user_name: 'u2', tags: { team: 'a' } });
  await project.keyMetric('tickets', { event_type: 'other', aggregation: 'count' });
  await changeTimezone(project, 'Pacific/Auckland');
  await expectOthers(project, before);
  await project.post(call(2, { cost: 8 }), call(4, { cost: 8 }, { customer: 'bravo' }));
  expect(await askAll(project, { ...range, as_of: close.id }, 2)).toEqual(before);
});

test('D18.2, D24.2: FOCUS and reconciliation refuse a close that is not there', async () => {
  const project = await farthing.createProject();
  expectProblem(await project.api('GET', `/api/exports/focus/?date_from=2024-05-01&as_of=cls_x`), 400, 'invalid_query');
  expectInvalid(await project.api('POST', '/api/reconciliation/', { ...range, as_of: 'cls_x' }), ['/as_of']);
});
