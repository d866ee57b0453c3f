import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { addRevenue, entriesOf, postRevenue } from '../../support/margin.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

const good = { external_id: 'good', customer: 'acme', amount: 1, date_from: '2024-05-01' };

test('D11.1: every fault of every entry is reported at once, and nothing is stored', async () => {
  const project = await farthing.createProject();
  const answer = await postRevenue(project, [
    good,
    { ...good, external_id: '', customer: '', amount: 'much', date_from: '2024-02-30', colour: 'red' },
    { external_id: 7, customer: null, amount: true, date_to: '2101-01-01' },
    { ...good, external_id: 'turned', customer: 5, date_from: '2024-05-02', date_to: '2024-05-01' },
    'entry',
  ]);
  expectInvalid(answer, [
    '/entries/1/external_id',
    '/entries/1/customer',
    '/entries/1/amount',
    '/entries/1/date_from',
    '/entries/1/colour',
    '/entries/2/external_id',
    '/entries/2/customer',
    '/entries/2/amount',
    '/entries/2/date_from',
    '/entries/2/date_to',
    '/entries/3/customer',
    '/entries/3/date_from',
    '/entries/4',
  ]);
  expect((await entriesOf(project)).rows).toEqual([]);
});

test.each([
  ['an external_id that is too long', { external_id: 'x'.repeat(257) }, '/entries/0/external_id', 'too_long'],
  ['an external_id that is .', { external_id: '.' }, '/entries/0/external_id', 'invalid_value'],
  ['an external_id that is ..', { external_id: '..' }, '/entries/0/external_id', 'invalid_value'],
  ['an external_id with NUL', { external_id: 'a\0' }, '/entries/0/external_id', 'invalid_value'],
  ['half a character', { customer: '\ud83d' }, '/entries/0/customer', 'invalid_value'],
  ['a customer that is too long', { customer: 'x'.repeat(1_025) }, '/entries/0/customer', 'too_long'],
  ['an amount with 13 fractional digits', { amount: '0.0000000000001' }, '/entries/0/amount', 'invalid_value'],
  ['a number with 13 fractional digits', { amount: 1e-13 }, '/entries/0/amount', 'invalid_value'],
  ['an amount that is too large', { amount: '1000000000000.000000000001' }, '/entries/0/amount', 'out_of_range'],
  ['a refund that is too large', { amount: -1.1e12 }, '/entries/0/amount', 'out_of_range'],
  ['a power that is too large', { amount: '1e400' }, '/entries/0/amount', 'out_of_range'],
  ['an amount that is empty', { amount: '' }, '/entries/0/amount', 'invalid_value'],
  ['an amount in hexadecimal', { amount: '0x10' }, '/entries/0/amount', 'invalid_value'],
  ['an amount with a comma', { amount: '1,000' }, '/entries/0/amount', 'invalid_value'],
  ['an amount that is null', { amount: null }, '/entries/0/amount', 'invalid_type'],
  ['a day before 2000', { date_from: '1999-12-31' }, '/entries/0/date_from', 'out_of_range'],
  ['a day with a time', { date_from: '2024-05-01T00:00:00Z' }, '/entries/0/date_from', 'invalid_value'],
  ['3,661 days', { date_from: '2000-01-01', date_to: '2010-01-08' }, '/entries/0/date_from', 'out_of_range'],
  ['days in the wrong order', { date_to: '2024-04-30' }, '/entries/0/date_from', 'out_of_range'],
])('D8.1: %s is a 400', async (_name, fields, pointer, code) => {
  const project = await farthing.createProject();
  const { errors } = expectInvalid(await postRevenue(project, [{ ...good, ...fields }]), [pointer]);
  expect(errors?.[0]?.code).toBe(code);
  expect(errors?.[0]?.message).toMatch(/^must /);
});

test('D8.1: the same external_id twice in one body is a 400 that names both', async () => {
  const project = await farthing.createProject();
  const answer = await postRevenue(project, [good, { ...good, external_id: 'other' }, { ...good, amount: 2 }]);
  const { errors = [] } = expectInvalid(answer, ['/entries/0/external_id', '/entries/2/external_id']);
  expect(errors.map(({ code }) => code)).toEqual(['duplicate', 'duplicate']);
  expect(errors.find(({ pointer }) => pointer.startsWith('/entries/0'))?.message).toContain('/entries/2/');
  expect(errors.find(({ pointer }) => pointer.startsWith('/entries/2'))?.message).toContain('/entries/0/');
  expect((await entriesOf(project)).rows).toEqual([]);
});

test('D8.1: a request has 1 to 1,000 entries', async () => {
  const project = await farthing.createProject();
  const many = Array.from({ length: 1_001 }, (_, index) => ({ ...good, external_id: `e${index}` }));
  expectInvalid(await postRevenue(project, many), ['/entries']);
  expectInvalid(await postRevenue(project, []), ['/entries']);
  expectInvalid(await postRevenue(project, good), ['/entries']);
  expectInvalid(await project.api('POST', '/api/revenue/', {}), ['/entries']);
  expectInvalid(await project.api('POST', '/api/revenue/', { entries: [good], upsert: true }), ['/upsert']);
  expectProblem(await project.api('POST', '/api/revenue/', undefined, { raw: '{' }), 400, 'invalid_json');
  expect((await entriesOf(project)).rows).toEqual([]);
});

test('D6.5: the parameters of a list are checked', async () => {
  const project = await farthing.createProject();
  const faultsOf = async (query: string) => {
    const answer = await project.api('GET', `/api/revenue/?${query}`);
    return expectProblem(answer, 400, 'invalid_query')
      .errors?.map(({ pointer }) => pointer)
      .sort();
  };
  for (const limit of ['0', '1001', '-1', '1.5', '1e2', 'all', '', '0x10', '%205']) {
    expect(await faultsOf(`limit=${limit}`)).toEqual(['/limit']);
  }
  expect(await faultsOf('date_from=today&date_to=2024-02-30&colour=red')).toEqual([
    '/colour',
    '/date_from',
    '/date_to',
  ]);
  expect(await faultsOf('date_from=2024-05-02&date_to=2024-05-01')).toEqual(['/date_from']);
  expect(await faultsOf('customer=a&customer=b')).toEqual(['/customer']);
});

test('D6.4: a cursor of a list is bound to every parameter except limit', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await addRevenue(project, ...['a', 'b', 'c'].map((external_id) => ({ ...good, external_id })));
  const { next_cursor } = await entriesOf(project, { limit: '1', customer: 'acme' });
  const cursor = next_cursor ?? '';
  expect((await entriesOf(project, { limit: '2', customer: 'acme', cursor })).rows).toHaveLength(2);
  for (const query of [
    { customer: 'globex', cursor },
    { cursor },
    { customer: 'acme', date_from: '2024-05-01', cursor },
    { customer: 'acme', date_to: '2024-05-01', cursor },
    { customer: 'acme', cursor: `${cursor}A` },
    { customer: 'acme', cursor: '' },
  ]) {
    const answer = await project.api('GET', `/api/revenue/?${new URLSearchParams(query)}`);
    expectProblem(answer, 400, 'invalid_cursor');
  }
  const foreign = await other.api('GET', `/api/revenue/?${new URLSearchParams({ customer: 'acme', cursor })}`);
  expectProblem(foreign, 400, 'invalid_cursor');
  expectStatus(await project.api('GET', '/api/revenue/'), 200);
});
