import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';
import { rebuildProject } from '../../support/reprice.ts';

const farthing = sharedFarthing();

test('D2, D13.2: a rebuild gives the same numbers, needs the admin token, and is of its project', async () => {
  const project = await farthing.createProject({ timezone: 'Asia/Kathmandu' });
  const price = await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  const id = randomUUID();
  await project.post(
    { event_id: id, event_type: 'x.before', model: 'm1', tags: { customer: 'acme' } },
    costEvent({ cost: 5, timestamp: '2024-05-15T20:00:00Z', tags: { feature: 'chat' } }),
  );
  await project.post({
    event_id: id,
    event_type: 'x.after',
    prompt_tokens: 1_000_000,
    timestamp: '2024-05-15T18:30:00Z',
  });
  await project.api('DELETE', `/api/prices/${price}/`);
  await project.post(tokenEvent({ prompt_tokens: 1_000_000 }));
  const range = { date_from: '2024-05-14', date_to: '2024-05-17', group_by: 'customer' };
  const before = await project.allCosts(range);
  expect(before.map((row) => [row.date_from, row.customer, row.cost])).toEqual([
    ['2024-05-15', '', 0],
    ['2024-05-16', '', 5],
    ['2024-05-16', 'acme', 1],
  ]);
  const { id: rebuildId, ...found } = await rebuildProject(project);
  expect([found.before, found.after]).toEqual([6, 6]);
  expect(await project.allCosts(range)).toEqual(before);

  const other = await farthing.createProject();
  expectProblem(await project.api('POST', `${project.adminPath}/rebuilds/`), 401, 'unauthenticated');
  expectProblem(await farthing.admin('GET', `${other.adminPath}/rebuilds/${rebuildId}/`), 404, 'not_found');
  expectProblem(await farthing.admin('POST', '/admin/projects/prj_unknown/rebuilds/'), 404, 'not_found');
  expect(expectStatus(await farthing.admin('GET', `${project.adminPath}/rebuilds/`), 200)).toMatchObject({
    rebuilds: [{ id: rebuildId, state: 'done', progress: 1 }],
  });
});
