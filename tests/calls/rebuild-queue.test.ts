import { afterAll, beforeAll, expect, test } from 'vitest';
import { ComparisonSums } from '../../src/calls/rebuild/comparison.ts';
import { type RebuildRequest, requestRebuild } from '../../src/calls/rebuild/rebuilds.ts';
import { readAssumption } from '../../src/pricing/what-if/assumed-prices.ts';
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

test('D22: a what-if is done as it is entered, a dry run, and takes no place of changes', async () => {
  const projectId = await (await makeProject(opened.control, () => now)).id;
  const assumption = { models: new Map([['a', 'b']]), overrides: [], cachedShare: '0.5', serviceTier: null };
  const comparison = new ComparisonSums().finish({ keptFrom: undefined, earned: undefined, hasAssumption: true });
  for (let place = 1; place <= 10; place += 1) await ask(projectId, { isDryRun: false });
  const whatIf = await ask(projectId, { isDryRun: false, found: { comparison, assumption } });
  expect(whatIf).toMatchObject({ dry_run: 1, state: 'done', finished_at: now, cleaned_at: now, generation: 11 });
  expect(readAssumption(whatIf.assumption ?? '')).toEqual(assumption);
  await expect(ask(projectId)).rejects.toMatchObject({ code: 'conflict' });
});

test('D22: the newest 200 what-ifs of a project are kept, and every reprice', async () => {
  const projectId = await (await makeProject(opened.control, () => now)).id;
  const assumption = { models: new Map([['a', 'b']]), overrides: [], cachedShare: null, serviceTier: null };
  const comparison = new ComparisonSums().finish({ keptFrom: undefined, earned: undefined, hasAssumption: true });
  const reprice = await ask(projectId);
  const dryRun = await ask(projectId, { found: { comparison, assumption: undefined } });
  const made: string[] = [];
  for (let nth = 0; nth < 203; nth += 1) made.push((await ask(projectId, { found: { comparison, assumption } })).id);
  const kept = await opened.control.selectFrom('rebuilds').select('id').where('project_id', '=', projectId).execute();
  expect(new Set(kept.map(({ id }) => id))).toEqual(new Set([reprice.id, dryRun.id, ...made.slice(3)]));
});
