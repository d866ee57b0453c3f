import { expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { rebuildProject, repriceDays } from '../../support/reprice.ts';

const farthing = sharedFarthing();
const day = { date_from: '2024-05-15', date_to: '2024-05-15' };
const million = (fields = {}) => tokenEvent({ timestamp: '2024-05-15T12:00:00Z', prompt_tokens: 1_000_000, ...fields });

test('D26.5: a reprice that reads anew is a dry run first, and says what reading changes, and what prices change', async () => {
  const project = await farthing.createProject();
  const old = await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  await project.post(
    million(),
    million({ model: 'unpriced' }),
    costEvent({ cost: 7, timestamp: '2024-05-15T12:00:00Z' }),
  );
  await project.api('DELETE', `/api/prices/${old}/`);
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 3 });

  // This release has taken the events: it reads them as it did.
  const found = await repriceDays(project, { ...day, reread: true });
  const by_cause = [
    { cause: 'reading', before: 8, after: 8 },
    { cause: 'price', before: 8, after: 10 },
  ];
  expect(found).toMatchObject({ dry_run: true, reread: true, before: 8, after: 10, by_cause });
  expect(await project.totalCost()).toBe(8);
  expect(await repriceDays(project, { ...day, reread: true, dry_run: false })).toMatchObject({
    dry_run: false,
    by_cause,
  });
  expect(await project.totalCost()).toBe(10);
  const { reprices } = z
    .object({ reprices: z.array(z.object({ reread: z.boolean(), dry_run: z.boolean() })) })
    .parse(expectStatus(await project.api('GET', '/api/prices/reprices/'), 200));
  expect(reprices).toEqual([
    { reread: true, dry_run: false },
    { reread: true, dry_run: true },
  ]);
  // A rebuild that reads anew is a dry run too, unless asked otherwise.
  expect(await rebuildProject(project, { reread: true })).toMatchObject({ dry_run: true, reread: true });
});

longTest('D26.5: a rebuild that reads anew is a dry run unless asked otherwise, and keeps the prices', async () => {
  const project = await farthing.createProject();
  const old = await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  await project.post(million(), million());
  await project.api('DELETE', `/api/prices/${old}/`);
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 3 });
  expect(await repriceDays(project, day)).toMatchObject({
    dry_run: true,
    reread: false,
    by_cause: [
      { cause: 'reading', before: 2, after: 2 },
      { cause: 'price', before: 2, after: 6 },
    ],
  });
  const by_cause = ['reading', 'price'].map((cause) => ({ cause, before: 2, after: 2 }));
  expect(await rebuildProject(project, { reread: true })).toMatchObject({ dry_run: true, reread: true, by_cause });
  const forced = { reread: true, dry_run: false };
  expect(await rebuildProject(project, forced)).toMatchObject({ dry_run: false, reread: true, by_cause });
  expect(await rebuildProject(project, { dry_run: true })).toMatchObject({ dry_run: true, reread: false });
  expect(await rebuildProject(project)).toMatchObject({ dry_run: false, reread: false });
  expect(await project.totalCost()).toBe(2);
});

test('D26.5: `reread` and `dry_run` are true or false, and nothing else is known', async () => {
  const project = await farthing.createProject();
  const path = '/api/prices/reprice/';
  for (const reread of ['yes', 1]) {
    expectInvalid(await project.api('POST', path, { ...day, reread }), ['/reread']);
    expectInvalid(await farthing.admin('POST', `${project.adminPath}/rebuilds/`, { reread }), ['/reread']);
  }
  const faulty = { reread: true, dry_run: 0, days: 3 };
  expectInvalid(await farthing.admin('POST', `${project.adminPath}/rebuilds/`, faulty), ['/dry_run', '/days']);
  const { api_key: token } = await project.createKey({ scopes: ['read'] });
  expectProblem(await farthing.send('POST', path, { body: { ...day, reread: true }, token }), 403, 'forbidden');
});
