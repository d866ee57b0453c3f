import { expect, test } from 'vitest';
import { costEvent, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { projectWith } from './support.ts';

const farthing = sharedFarthing();

/** Filters and the cost of the calls that they select. */
type Selected = readonly [filters: Json, cost: number];

async function expectSelected(project: Project, selected: readonly Selected[]): Promise<void> {
  for (const [filters, cost] of selected) expect([filters, await project.totalCost(filters)]).toEqual([filters, cost]);
}

test('4.2: each filter selects its values, with OR within one filter', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', provider: 'p1', tags: { customer: 'a', feature: 'x' } },
    { cost: 2, model: 'm2', provider: 'p2', tags: { customer: 'b', feature: 'y' } },
    { cost: 4, model: 'm3', provider: 'p3', tags: { customer: 'c', feature: 'z' } },
  );
  const selected: readonly Selected[] = [
    [{ customers: ['a'] }, 1],
    [{ customers: ['a', 'c'] }, 5],
    [{ customers: ['a', 'a'] }, 1],
    [{ features: ['y', 'z'] }, 6],
    [{ models: ['m2', 'unknown'] }, 2],
    [{ providers: ['p1', 'p2', 'p3'] }, 7],
    [{ providers: ['P1'] }, 0],
  ];
  await expectSelected(project, someOf(selected, 4));
});

longTest('D6.6: filters are joined by AND', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', provider: 'p1', tags: { customer: 'a', feature: 'x' } },
    { cost: 2, model: 'm1', provider: 'p1', tags: { customer: 'a', feature: 'y' } },
    { cost: 4, model: 'm1', provider: 'p2', tags: { customer: 'b', feature: 'x' } },
    { cost: 8, model: 'm2', provider: 'p1', tags: { customer: 'a', feature: 'x' } },
  );
  expect(await project.totalCost({ customers: ['a'], features: ['x'] })).toBe(9);
  expect(await project.totalCost({ customers: ['a'], features: ['x'], models: ['m1'] })).toBe(1);
  expect(await project.totalCost({ customers: ['a', 'b'], features: ['x'], providers: ['p2'] })).toBe(4);
  expect(await project.totalCost({ customers: ['b'], models: ['m2'] })).toBe(0);
});

longTest('D6.6: a filter works under every grouping', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', tags: { customer: 'a', feature: 'x' } },
    { cost: 2, model: 'm2', tags: { customer: 'a', feature: 'y' } },
    { cost: 4, model: 'm1', tags: { customer: 'b', feature: 'x' } },
  );
  expect(await project.costBy('customer', { models: ['m1'] })).toEqual({ a: 1, b: 4 });
  expect(await project.costBy('model', { customers: ['a'] })).toEqual({ m1: 1, m2: 2 });
  expect(await project.costBy('feature', { models: ['m1'] })).toEqual({ x: 5 });
  expect(await project.costBy('feature', { features: ['y'] })).toEqual({ y: 2 });
});

test('D6.6: values are compared exactly, with any characters', async () => {
  const names = [
    "o'brien",
    'a\\b',
    '%',
    '_',
    'x"y',
    "'; DROP TABLE calls; --",
    'tab\there',
    '日本語',
    '😀',
    ' padded ',
    '{p:String}',
    'a\\',
    'line\nbreak',
    'É',
    'E\u0301',
  ];
  const project = await projectWith(...names.map((customer) => ({ cost: 1, tags: { customer } })));
  for (const name of someOf(names, 4)) {
    expect(await project.costBy('customer', { customers: [name] })).toEqual({ [name]: 1 });
  }
  expect(await project.totalCost({ customers: names })).toBe(names.length);
});

test('D6.5: a filter may have ten thousand values', async () => {
  const project = await projectWith({ cost: 1, tags: { customer: 'name 9999' } }, { cost: 2 });
  const names = Array.from({ length: 10_000 }, (_, index) => `name ${index}`);
  expect(await project.totalCost({ customers: names })).toBe(1);
  expect(await project.totalCost({ run_tags: { customer: names } })).toBe(1);
});

test('4.2: run_tags is AND across keys and OR within the values of one key', async () => {
  const project = await projectWith(
    { cost: 1, tags: { run_id: 'r1', env: 'prod', team: 'x' } },
    { cost: 2, tags: { run_id: 'r2', env: 'test', team: 'x' } },
    { cost: 4, tags: { run_id: 'r3', env: 'prod', team: 'y' } },
    { cost: 8, tags: { run_id: 'r4' } },
  );
  const selected: readonly Selected[] = [
    [{ run_tags: { env: 'prod' } }, 5],
    [{ run_tags: { env: ['prod', 'test'] } }, 7],
    [{ run_tags: { env: 'prod', team: 'x' } }, 1],
    [{ run_tags: { env: ['prod', 'test'], team: ['x'] } }, 3],
    [{ run_tags: { run_id: ['r4', 'r1'] } }, 9],
    [{ run_tags: { env: 'none' } }, 0],
  ];
  await expectSelected(project, someOf(selected, 3));
});

test("D6.6: a run's tags are those of all its calls together, and with a run come all its calls", async () => {
  const project = await projectWith(
    { cost: 1, tags: { run_id: 'r', env: 'prod' } },
    { cost: 2, tags: { run_id: 'r', team: 'x' } },
    { cost: 4, tags: { run_id: 'r' } },
    { cost: 8, tags: { run_id: 's', env: 'prod' } },
    { cost: 16, tags: { env: 'prod' } },
    { cost: 32, tags: { env: 'test' } },
  );
  expect(await project.totalCost({ run_tags: { env: 'prod', team: 'x' } })).toBe(7);
  expect(await project.totalCost({ run_tags: { team: 'x' } })).toBe(7);
  // A call without a run is a run of its own.
  expect(await project.totalCost({ run_tags: { env: 'prod' } })).toBe(31);
});

longTest('D6.6: a run that carries two values of one key matches either', async () => {
  const project = await projectWith(
    { cost: 1, tags: { run_id: 'r', env: 'prod' } },
    { cost: 2, tags: { run_id: 'r', env: 'test' } },
  );
  expect(await project.totalCost({ run_tags: { env: 'prod' } })).toBe(3);
  expect(await project.totalCost({ run_tags: { env: 'test' } })).toBe(3);
});

test('D6.6: the tags of a run are collected before any other filter', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', tags: { run_id: 'r', env: 'prod', customer: 'a' } },
    { cost: 2, model: 'm2', tags: { run_id: 'r', customer: 'b' } },
    { cost: 4, model: 'm2', tags: { run_id: 's', customer: 'b' } },
  );
  expect(await project.totalCost({ run_tags: { env: 'prod' }, models: ['m2'] })).toBe(2);
  expect(await project.costBy('customer', { run_tags: { env: 'prod' } })).toEqual({ a: 1, b: 2 });
  expect(await project.totalCost({ run_tags: { env: 'prod' }, customers: ['b'] })).toBe(2);
});

test('D6.6: only calls within the requested dates give a run its tags', async () => {
  const project = await projectWith(
    { cost: 1, timestamp: '2024-05-01T12:00:00Z', tags: { run_id: 'r', env: 'prod' } },
    { cost: 2, timestamp: '2024-05-02T12:00:00Z', tags: { run_id: 'r' } },
  );
  const filter = { aggregate: 'all', run_tags: { env: 'prod' } };
  const both = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-02', ...filter });
  expect(both.rows.map((row) => row.cost)).toEqual([3]);
  const second = await project.costs({ date_from: '2024-05-02', date_to: '2024-05-02', ...filter });
  expect(second.rows.map((row) => row.cost)).toEqual([0]);
  // Tags count over the requested dates, not over the row's, so both days have the run.
  const days = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-02', run_tags: { env: 'prod' } });
  expect(days.rows.map((row) => row.cost)).toEqual([1, 2]);
});

test('D6.6: tags of .before and of .after are tags of the call', async () => {
  const project = await farthing.createProject();
  const event_id = crypto.randomUUID();
  await project.post({ event_id, event_type: 'x.before', tags: { env: 'prod', step: 'one' } });
  await project.post(costEvent({ event_id, cost: 1, tags: { step: 'two' } }));
  expect(await project.totalCost({ run_tags: { env: 'prod' } })).toBe(1);
  expect(await project.totalCost({ run_tags: { step: 'two' } })).toBe(1);
  expect(await project.totalCost({ run_tags: { step: 'one' } })).toBe(0);
});
