import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { noon } from '../../support/noon.ts';
import { expectProblem } from '../../support/problem.ts';
import { freezeBefore } from '../../support/retention.ts';
import { erase } from '../D2-erasure/support.ts';

const farthing = sharedFarthing();
const month = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' };

test('D2, D28.3: frozen days keep the totals of tags that are dimensions, with their runs, through an erasure', async () => {
  const project = await farthing.createProject({ timezone: noon.timezone, tag_dimensions: ['env', 'team'] });
  const on = (day: string, cost: number, tags: Json) =>
    costEvent({ timestamp: `2024-05-${day}T12:00:00Z`, cost, tags: { feature: 'chat', ...tags } });
  await project.post(
    on('10', 1, { customer: 'gone', run: 'shared', env: 'prod', secret: 'x' }),
    on('10', 2, { run: 'shared', env: 'prod', team: 'a' }),
    on('11', 4, { customer: 'gone', run: 'shared', env: 'test' }),
    on('12', 8, { customer: 'stays', run: 'own' }),
    on('16', 16, { customer: 'stays', run: 'shared', env: 'prod' }),
  );
  const ask = async (more: Json) => await project.allCosts({ ...month, group_by: 'tag:env', ...more });
  const readAll = async () => {
    const usage = { ...month, group_by: 'tag:team' };
    return [
      await ask({}),
      await ask({ aggregate: 'day' }),
      expectStatus(await project.api('POST', '/api/usage/', usage), 200),
      (
        expectStatus(
          await project.api('POST', '/api/changes/', { ...month, aggregate: undefined, group_by: 'tag:env' }),
          200,
        ) as Json
      ).by_tag,
    ];
  };
  const before = await readAll();
  expect(before[0]).toMatchObject([
    { tag: '', cost: 8, max_feature_run_cost: 8 },
    { tag: 'prod', cost: 19, avg_feature_run_cost: 19, max_feature_run_cost: 19 },
    { tag: 'test', cost: 4, max_feature_run_cost: 4 },
  ]);
  await freezeBefore(project, '2024-05-15');
  expect(await readAll()).toEqual(before);
  // No cell has another tag.
  const refused = await project.api('POST', '/api/costs/', { ...month, group_by: 'tag:secret' });
  expectProblem(refused, 400, 'beyond_retention');

  await erase(project, '/api/customers/gone/');
  expect(await ask({})).toEqual(before[0]);
  const ofNobody = await ask({ date_to: '2024-05-10', customers: [''] });
  // The run that the erased customer shared with nobody is one.
  expect(ofNobody).toMatchObject([{ tag: 'prod', cost: 3, avg_feature_run_cost: 3, max_feature_run_cost: 3 }]);
});
