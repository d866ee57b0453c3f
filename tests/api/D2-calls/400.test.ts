import { expect, test } from 'vitest';
import { listCalls } from '../../support/calls.ts';
import { costEvent, type Json, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const may = { date_from: '2024-05-01', date_to: '2024-05-31' };

test('D11.1: every fault of the body is reported at once', async () => {
  const project = await farthing.createProject();
  const refuse = async (body: Json, pointers: string[]) =>
    expectInvalid(await project.api('POST', '/api/calls/', body), pointers);
  await refuse({}, ['/date_from']);
  await refuse(
    {
      date_from: 'yesterday',
      aggregate: 'day',
      group_by: 'customer',
      customers: [],
      models: [1],
      run_tags: {},
      apply_credits: 'yes',
      limit: 0,
      row: { date_from: '2024-05-01', date_to: '2024-02-30', customer: 5, user: 'u' },
    },
    [
      '/date_from',
      '/aggregate',
      '/group_by',
      '/customers',
      '/models/0',
      '/run_tags',
      '/apply_credits',
      '/limit',
      '/row/date_to',
      '/row/customer',
      '/row/user',
    ],
  );
  await refuse({ ...may, row: {} }, ['/row/date_from', '/row/date_to']);
  await refuse({ ...may, event_ids: [] }, ['/event_ids']);
  await refuse({ ...may, event_ids: ['96655a63-38f8-44f0-9fe0-ec3e942c0132', 'x'] }, ['/event_ids/1']);
  await refuse({ date_from: '2024-05-31', date_to: '2024-05-01' }, ['/date_from']);
});

test('D2: a row outside the range is a 400', async () => {
  const project = await farthing.createProject();
  const refuse = async (row: Json, pointers: string[]) =>
    expectInvalid(await project.api('POST', '/api/calls/', { ...may, row }), pointers);
  await refuse({ date_from: '2024-04-30', date_to: '2024-05-02' }, ['/row/date_from']);
  await refuse({ date_from: '2024-05-30', date_to: '2024-06-01' }, ['/row/date_to']);
  await refuse({ date_from: '2024-01-01', date_to: '2024-12-31' }, ['/row/date_from', '/row/date_to']);
  await refuse({ date_from: '2024-05-03', date_to: '2024-05-02' }, ['/row/date_from']);
  const row = { date_from: '2024-01-01', date_to: '2100-12-31' };
  expectInvalid(await project.api('POST', '/api/calls/', { date_from: '2024-01-01', row }), ['/row/date_to']);
});

test('D6.4: a cursor is bound to the body and the route', async () => {
  const project = await farthing.createProject();
  await project.post(...[1, 2, 3].map((cost) => costEvent({ cost, tags: { customer: 'a' } })));
  const body = { ...may, customers: ['a'], row: { ...may, customer: 'a' }, limit: 1 };
  const { next_cursor: cursor } = await listCalls(project, body);
  if (cursor === null) throw new Error('the first page has a cursor');
  expect((await listCalls(project, { ...body, limit: 2, cursor })).rows).toHaveLength(2);
  const others = [
    { ...body, date_from: '2024-05-02' },
    { ...body, date_to: '2024-06-01' },
    { ...body, customers: ['a', 'b'] },
    { ...body, apply_credits: true },
    { ...body, row: may },
    { ...body, row: { ...may, customer: '' } },
    { ...body, row: { ...body.row, date_to: '2024-05-30' } },
    may,
  ];
  for (const other of others) {
    expectProblem(await project.api('POST', '/api/calls/', { ...other, cursor }), 400, 'invalid_cursor');
  }
  expectProblem(await project.postCosts({ ...may, cursor }), 400, 'invalid_cursor');
  for (const damaged of ['', 'x', `${cursor}AAAA`, cursor.slice(0, -4)]) {
    expectProblem(await project.api('POST', '/api/calls/', { ...body, cursor: damaged }), 400, 'invalid_cursor');
  }
});
