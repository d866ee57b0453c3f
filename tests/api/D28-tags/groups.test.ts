import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { readCsv } from '../../support/formats.ts';

const farthing = sharedFarthing();
const range = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' };
const at = (cost: number, tags: Json) => ({ ...costEvent({ cost }), timestamp: '2024-05-02T12:00:00Z', tags });

async function projectOfTeams(): Promise<Project> {
  const project = await farthing.createProject();
  await project.post(
    at(1, { customer: 'acme', team: 'search' }),
    at(2, { customer_id: 'acme', team: 'chat' }),
    at(4, { customer: 'globex' }),
    at(8, {}),
  );
  await project.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
  return project;
}

test('D28.1: costs and usage are grouped by a tag of calls or of customers, and rows add up', async () => {
  const project = await projectOfTeams();
  const by = async (group_by: string) =>
    Object.fromEntries((await project.allCosts({ ...range, group_by })).map(({ tag, cost }) => [tag, cost]));
  expect(await by('tag:team')).toEqual({ '': 12, chat: 2, search: 1 });
  // The tag itself, and not the column that other tags fill too.
  expect(await by('tag:customer')).toEqual({ '': 10, acme: 1, globex: 4 });
  expect(await by('customer_tag:plan')).toEqual({ '': 12, pro: 3 });
  expect(await by('tag:none')).toEqual({ '': 15 });
  expect(await by('customer_tag:none')).toEqual({ '': 15 });
  const usage = expectStatus(await project.api('POST', '/api/usage/', { ...range, group_by: 'tag:team' }), 200);
  expect(usage).toMatchObject({ rows: [{ tag: '', calls: 2 }, { tag: 'chat', calls: 1 }, { tag: 'search' }] });

  await project.tag({ customer_name: 'globex', tags: { plan: 'pro' } });
  expect(await by('customer_tag:plan')).toEqual({ '': 8, pro: 7 });
});

test('D28.1, D24.1: a file of rows by tag has the column tag', async () => {
  const project = await projectOfTeams();
  const file = await project.api('POST', '/api/costs/?format=csv', { ...range, group_by: 'tag:team' });
  expect(readCsv(file.text).rows).toMatchObject([
    { tag: '', cost: '12' },
    { tag: 'chat', cost: '2' },
    { tag: 'search', cost: '1' },
  ]);
});

test('D28.1: a tag without a key is a 400 that says what to ask', async () => {
  const project = await farthing.createProject();
  for (const group_by of ['tag:', 'customer_tag:', 'user_tag:x']) {
    const answer = await project.api('POST', '/api/costs/', { ...range, group_by });
    expect(expectStatus(answer, 400)).toMatchObject({
      errors: [{ pointer: '/group_by', message: expect.stringContaining('tag:KEY, customer_tag:KEY') }],
    });
  }
});
