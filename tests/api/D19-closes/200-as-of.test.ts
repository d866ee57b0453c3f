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
    await project.post(ticket(2, 'u1', 3), ticket(2, 'u2', 0.5), ticket(9, 'u2', 1e-30));
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

/** The facts that a close pins are of the one or the other. */
test.each(['revenue', 'internal'] as const)(
  'D18.2, D19.1, D24.2: as of a close every question of a %s project answers the same bytes, whatever happens afterwards',
  async (type) => {
    const { project, movable } = await fill(type);
    const before = await askAll(project, range, 2);
    const rowsBefore = type === 'revenue' ? await askRows(project) : undefined;
    const close = await closeDays(project, range.date_to);
    /** Asks some of the questions as of the close. */
    const expectSame = async (count: number) => {
      for (const [question, text] of await askAll(project, { ...range, as_of: close.id }, count)) {
        expect(text, question).toBe(before.get(question));
      }
    };
    // What is in force and what was closed is the same at first.
    await expectSame(0);

    // Late events: new calls, another outcome of a known call, a call that moves to another day, a new day.
    await project.post(call(2, {}), call(7, {}), call(30, { cost: 5 }, { customer: 'delta', run: 'job-1' }));
    await project.post(call(25, { event_id: movable }));
    await project.post(call(3, { event_type: 'llm.wrapper' }, { run: 'over midnight' }));
    if (type === 'internal') await project.post(ticket(2, 'u1', 8), ticket(12, 'u4', 1));

    // Facts, and prices for the past.
    await project.addPrice({ model: 'm1', input_per_mtok: 30, output_per_mtok: 70 });
    await addGrant(project, { provider: 'openai', amount: 100, starts_on: '2024-05-01' });
    if (type === 'revenue') {
      await project.tag({ customer_name: 'bravo', tags: { plan: 'pro' } });
      await addRevenue(project, { external_id: 'i-1', customer: 'bravo', amount: 99, ...range });
    } else {
      await project.tagUsers({ user_name: 'u2', tags: { team: 'a' } });
      await project.keyMetric('tickets', { event_type: 'other', aggregation: 'count' });
    }
    await repriceDays(project, { ...range, dry_run: false });
    await expectSame(2);
    const second = await closeDays(project, '2024-06-30');
    const ofSecond = await askAll(project, range, 0);
    for (const [question, text] of ofSecond) expect(text, question).not.toBe(before.get(question));
    if (rowsBefore) {
      expect(await askRows(project, close.id)).toEqual(rowsBefore);
      const rowsNow = await askRows(project);
      for (const [at, rows] of rowsNow.entries()) expect(rows).not.toEqual(rowsBefore[at]);
    }
    await changeTimezone(project, 'Pacific/Auckland');
    if (isLong) await rebuildProject(project);
    await project.post(call(2, { cost: 8 }), call(4, { cost: 8 }, { customer: 'bravo' }));
    expect(await askAll(project, { ...range, as_of: close.id }, 2)).toEqual(before);
    expect(await askAll(project, { ...range, as_of: second.id }, 0)).toEqual(ofSecond);
  },
);

test('D18.2, D24.2: FOCUS and reconciliation refuse a close that is not there', async () => {
  const project = await farthing.createProject();
  expectProblem(await project.api('GET', `/api/exports/focus/?date_from=2024-05-01&as_of=cls_x`), 400, 'invalid_query');
  expectInvalid(await project.api('POST', '/api/reconciliation/', { ...range, as_of: 'cls_x' }), ['/as_of']);
});

test('D19.2: erasure wins over closes: each keeps the figures that it had, without the name', async () => {
  const { project, movable } = await fill('revenue');
  const first = await closeDays(project, range.date_to);
  // So that the closes have other figures of a day.
  await project.post(
    { event_id: movable, event_type: 'llm.after', cost: 9.5, tags: { customer: 'acme' } },
    call(3, { cost: 0.25 }, { customer: 'bravo' }),
  );
  const second = await closeDays(project, '2024-06-30');
  const costs = async (close: { id: string }, fields: Json) =>
    (await project.costs({ ...range, as_of: close.id, aggregate: 'all', ...fields })).rows;
  const byCustomer = async () =>
    Object.fromEntries((await costs(first, { group_by: 'customer' })).map(({ customer, cost }) => [customer, cost]));
  const byDay = async (close: { id: string }, fields: Json = {}) =>
    (await costs(close, { aggregate: 'day', ...fields })).map(({ cost }) => cost);
  const figures = async () => ({
    total: (await costs(first, {})).map(({ cost }) => cost),
    ofFeatures: await byDay(first, { features: ['chat', 'search'] }),
    first: await byDay(first),
    second: await byDay(second),
  });
  const { bravo, ...others } = await byCustomer();
  const before = await figures();
  expect(before.first).not.toEqual(before.second);
  await erase(project, '/api/customers/bravo/');
  expect(await byCustomer()).toEqual({ ...others, '': Number(others['']) + Number(bravo) });
  expect(await figures()).toEqual(before);
  // And from then on they stay as they are.
  const settled = await askAll(project, { ...range, as_of: first.id }, 0);
  await project.post(call(3, { cost: 8 }, { customer: 'bravo' }));
  expect(await askAll(project, { ...range, as_of: first.id }, 0)).toEqual(settled);
});
