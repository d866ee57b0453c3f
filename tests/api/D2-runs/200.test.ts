import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readRun } from '../../support/calls.ts';
import { costEvent, type Json, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D2: a run has its calls in time order and their totals', async () => {
  const project = await farthing.createProject();
  const at = (timestamp: string, cost: number, fields: Json = {}) =>
    costEvent({ cost, timestamp, run_id: 'r1', ...fields });
  await project.post(
    at('2024-05-02T00:00:01Z', 0.2, { tags: { customer: 'b', feature: 'chat' } }),
    at('2022-01-01T10:00:00Z', 0.1, { tags: { customer: 'a', feature: 'Ａ' } }),
    at('2024-05-01T23:59:59Z', 0.4, { tags: { customer: 'b', feature: '😀' }, event_type: 'x.error' }),
    at('2024-05-01T23:59:59Z', 99, { run_id: 'r2' }),
  );
  const run = await readRun(project, 'r1');
  expect(run).toMatchObject({
    run: 'r1',
    first_time: '2022-01-01T10:00:00.000Z',
    last_time: '2024-05-02T00:00:01.000Z',
    calls: 3,
    failed_calls: 1,
    cost: 0.7,
    features: ['chat', 'Ａ', '😀'],
    customers: ['a', 'b'],
    next_cursor: null,
    has_more: false,
  });
  expect(run.rows.map(({ cost }) => cost)).toEqual([0.1, 0.4, 0.2]);
});

test('D2: every page of a run continues the previous one and has the totals of the run', async () => {
  const project = await farthing.createProject();
  const events = Array.from({ length: 7 }, (_, index) =>
    costEvent({ cost: 1, run_id: 'r', timestamp: `2024-05-0${1 + (index % 3)}T12:00:00Z` }),
  );
  await project.post(...events);
  const { rows } = await readRun(project, 'r');
  expect(rows).toHaveLength(7);
  const paged: unknown[] = [];
  let query = '?limit=2';
  for (;;) {
    const page = await readRun(project, 'r', query);
    expect([page.calls, page.cost]).toEqual([7, 7]);
    paged.push(...page.rows);
    expect(page.has_more).toBe(paged.length < 7);
    if (page.next_cursor === null) break;
    query = `?limit=2&cursor=${page.next_cursor}`;
  }
  expect(paged).toEqual(rows);
  const { next_cursor: cursor } = await readRun(project, 'r', '?limit=2');
  expectProblem(await project.api('GET', `/api/runs/other/?cursor=${cursor}`), 400, 'invalid_cursor');
});

test('D2: a run may have any name', async () => {
  const names = someOf(
    [
      'a/b',
      '/',
      'a//b/',
      '%2F',
      '100%',
      ' ',
      '?limit=1#x',
      'née 日本 😀',
      'back\\slash\'"`\n\t',
      '\u0000',
      '😀'.repeat(1_024),
    ],
    4,
  );
  const project = await farthing.createProject();
  await project.post(...names.map((run_id, index) => costEvent({ cost: index + 1, run_id })));
  for (const [index, name] of names.entries()) {
    const { run, cost, rows } = await readRun(project, name);
    expect([run, cost, rows.map((call) => call.run)]).toEqual([name, index + 1, [name]]);
  }
});

test('D4.4: a call without a run is a run of its own, named by its id', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 3 });
  await project.post(event, costEvent({ cost: 1 }));
  const run = await readRun(project, String(event.event_id));
  expect([run.calls, run.cost, run.features]).toEqual([1, 3, ['']]);
});

test('D4.1: a call that moves to another run is no longer in the first', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  const timestamp = '2024-05-15T12:00:00Z';
  await project.post({ event_id, event_type: 'x.error', timestamp, run_id: 'first', cost: 1 });
  expect((await readRun(project, 'first')).cost).toBe(1);
  await project.post({ event_id, event_type: 'x.after', timestamp, run_id: 'second', cost: 2 });
  expect((await readRun(project, 'second')).cost).toBe(2);
  expectProblem(await project.api('GET', '/api/runs/first/'), 404, 'not_found');
});
