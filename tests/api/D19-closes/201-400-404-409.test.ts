import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { closeDays, listCloses, postClose } from '../../support/closes.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { askForReprice, repriceIsDone } from '../../support/reprice.ts';

const farthing = sharedFarthing();
const today = () => new Date().toISOString().slice(0, 10);

test('D19.1: closes are made one after the other, listed newest first, and the latest can be deleted', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1 }), costEvent({ cost: 2, timestamp: '2024-05-17T12:00:00Z' }));
  const may15 = await closeDays(project, '2024-05-15', { note: 'half of May' });
  expect(may15).toMatchObject({ through: '2024-05-15', note: 'half of May', timezone: 'UTC', days: 1 });
  const may = await closeDays(project, '2024-05-31');
  expect(may).toMatchObject({ through: '2024-05-31', note: null, days: 2 });
  expect(expectStatus(await project.api('GET', `/api/closes/${may15.id}/`), 200)).toEqual(may15);

  expect((await listCloses(project)).closes).toEqual([may, may15]);
  const first = await listCloses(project, '?limit=1');
  expect(first).toMatchObject({ closes: [may], has_more: true });
  expect(await listCloses(project, `?limit=1&cursor=${first.next_cursor}`)).toMatchObject({
    closes: [may15],
    has_more: false,
    next_cursor: null,
  });

  expectProblem(await project.api('DELETE', `/api/closes/${may15.id}/`), 409, 'conflict');
  expectStatus(await project.api('DELETE', `/api/closes/${may.id}/`), 204);
  expectProblem(await project.api('GET', `/api/closes/${may.id}/`), 404, 'not_found');
  expectProblem(await project.api('DELETE', `/api/closes/${may.id}/`), 404, 'not_found');
  // The days after the close that is left can be closed again.
  expect((await closeDays(project, '2024-05-16')).days).toBe(1);
});

test('D19.1: only days that are over can be closed, and only after the latest close', async () => {
  const project = await farthing.createProject();
  expectInvalid(await postClose(project, today()), ['/through']);
  expectInvalid(await postClose(project, '2024-02-30', { note: '', extra: 1 }), ['/through', '/note', '/extra']);
  expectInvalid(await project.api('POST', '/api/closes/', {}), ['/through']);
  await closeDays(project, '2024-05-15');
  for (const through of ['2024-05-15', '2024-05-01']) {
    expect(expectInvalid(await postClose(project, through), ['/through']).detail).toContain('2024-05-15');
  }
});

test('D19.1: as_of names a close of the project, and its range ends with the close', async () => {
  const [project, other] = [await farthing.createProject(), await farthing.createProject()];
  await project.post(costEvent({ cost: 1 }), costEvent({ cost: 2, timestamp: '2024-05-17T12:00:00Z' }));
  const { id, created_at: createdAt } = await closeDays(project, '2024-05-16');
  const ask = (body: object, path = 'costs') =>
    project.api('POST', `/api/${path}/`, { date_from: '2024-05-01', as_of: id, aggregate: 'all', ...body });
  for (const path of ['costs', 'usage', 'margin']) {
    for (const as_of of ['cls_none', 'cls_\0', '']) expectInvalid(await ask({ as_of }, path), ['/as_of']);
    expectInvalid(await ask({ as_of: (await listCloses(other)).closes[0]?.id ?? 'cls_' }, path), ['/as_of']);
    expectInvalid(await ask({ date_to: '2024-05-17' }, path), ['/date_to']);
    expectInvalid(await ask({ date_from: '2024-05-17' }, path), ['/date_from']);
    const answer = await ask({}, path);
    expect(expectStatus(answer, 200)).toMatchObject({ rows: [{ date_to: '2024-05-16' }] });
    expect(answer.headers.get('farthing-as-of')).toBe(createdAt);
  }
  expectProblem(await ask({}, 'performance'), 400, 'wrong_project_type');
  // A cursor belongs to the close that it was made as of.
  const page = await project.costs({ date_from: '2024-05-14', as_of: id, limit: 1 });
  expect(page.has_more).toBe(true);
  const next = { date_from: '2024-05-14', limit: 1, cursor: page.next_cursor };
  expectStatus(await project.postCosts({ ...next, as_of: id }), 200);
  expectProblem(await project.postCosts(next), 400, 'invalid_cursor');
});

test('D19.1: while a reprice is under way, and without the scope, nothing is closed', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1 }));
  const days = { date_from: '2024-05-01', date_to: '2024-05-31' };
  const reprice = await askForReprice(project, { ...days, dry_run: false });
  const answer = await postClose(project, '2024-05-31');
  // The reprice may already be done.
  if (answer.status !== 201) expectProblem(answer, 409, 'conflict');
  await repriceIsDone(project, reprice);
  if (answer.status !== 201) await closeDays(project, '2024-05-31');
  const { api_key: token } = await project.createKey({ name: 'reader', scopes: ['read'] });
  expectProblem(await project.api('POST', '/api/closes/', { through: '2024-06-30' }, { token }), 403, 'forbidden');
  expectStatus(await project.api('GET', '/api/closes/', undefined, { token }), 200);
});
