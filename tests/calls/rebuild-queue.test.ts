import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RebuildRequest, requestRebuild } from '../../src/calls/rebuild/rebuilds.ts';
import { makeProject, type OpenControl, openControl } from '../support/stores.ts';

const now = Date.UTC(2026, 0, 15);
let opened: OpenControl;

beforeAll(async () => {
  opened = await openControl();
});
afterAll(async () => {
  await opened?.close();
});

const ask = (projectId: string, fields: Partial<RebuildRequest> = {}) =>
  requestRebuild(opened.control, {
    projectId,
    kind: 'reprice',
    isDryRun: true,
    requestedBy: 'admin',
    days: { from: '2026-01-01', to: '2026-01-02' },
    timezone: 'UTC',
    priceBookId: undefined,
    now,
    ...fields,
  });

test('D5.5: ten reprices of a project wait or run; the eleventh is a conflict until one has ended', async () => {
  const [projectId, other] = [
    await (await makeProject(opened.control, () => now)).id,
    await (await makeProject(opened.control, () => now)).id,
  ];
  // The bound also holds for requests at the same time.
  const asked = await Promise.allSettled(Array.from({ length: 12 }, () => ask(projectId)));
  const entered = asked.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const refusals = asked.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(entered.map(({ generation }) => generation).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(refusals).toEqual([
    expect.objectContaining({ code: 'conflict' }),
    expect.objectContaining({ code: 'conflict' }),
  ]);
  await ask(other);

  const [first, second] = entered;
  const enter = (id: string | undefined, state: 'running' | 'done') =>
    opened.control
      .updateTable('rebuilds')
      .set({ state })
      .where('id', '=', id ?? '')
      .execute();
  await enter(first?.id, 'running');
  await expect(ask(projectId)).rejects.toMatchObject({ code: 'conflict' });
  await enter(second?.id, 'done');
  expect(await ask(projectId)).toMatchObject({ generation: 11, state: 'queued' });
  await expect(ask(projectId)).rejects.toMatchObject({ code: 'conflict' });
});

test('D22: five what-ifs of a project wait or run, which leaves room for changes', async () => {
  const projectId = await (await makeProject(opened.control, () => now)).id;
  const assumption = { models: new Map([['a', 'b']]), overrides: [], cachedShare: null, serviceTier: null };
  const whatIf = () => ask(projectId, { assumption });
  const asked = await Promise.allSettled(Array.from({ length: 7 }, whatIf));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  await expect(whatIf()).rejects.toMatchObject({ code: 'conflict' });
  expect(await ask(projectId)).toMatchObject({ assumption: null, state: 'queued' });
  await opened.control
    .updateTable('rebuilds')
    .set({ state: 'done' })
    .where('project_id', '=', projectId)
    .where('generation', '=', 1)
    .execute();
  await whatIf();
});

test('D22: a what-if is a dry run, whatever it is asked as', async () => {
  const projectId = await (await makeProject(opened.control, () => now)).id;
  const assumption = { models: new Map(), overrides: [], cachedShare: '0.5', serviceTier: null };
  expect(await ask(projectId, { assumption, isDryRun: false })).toMatchObject({ dry_run: 1 });
  expect(await ask(projectId, { isDryRun: false })).toMatchObject({ dry_run: 0 });
});
