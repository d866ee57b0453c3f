import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';
import { addInvoices, postInvoices } from './support.ts';

const farthing = sharedFarthing();
const entry = {
  external_id: 'a/1',
  provider: 'openai',
  date_from: '2024-05-01',
  date_to: '2024-05-31',
  amount: '12.34',
};

const listed = z.object({
  rows: z.array(z.looseObject({ external_id: z.string() })),
  next_cursor: z.string().nullable(),
});
const list = async (project: Project, query = '') =>
  listed.parse(expectStatus(await project.api('GET', `/api/invoices/?${query}`), 200));
const idsOf = async (project: Project, query = '') =>
  (await list(project, query)).rows.map(({ external_id: id }) => id);

test('D18.1: entries are stored, replaced by their id, listed by page and filter, and deleted', async () => {
  const project = await farthing.createProject();
  const others = [
    { external_id: 'b', provider: 'anthropic', date_from: '2024-06-01', model: 'claude-x', amount: 5, kind: 'usage' },
    { external_id: 'c', provider: 'openai', date_from: '2024-06-02', amount: -1, kind: 'credit', description: 'Grant' },
  ];
  await addInvoices(project, entry, ...others);
  await addInvoices(project, { ...entry, amount: '0.000000000001', kind: 'tax' });
  const { rows } = await list(project);
  expect(rows).toMatchObject([
    { ...entry, amount: 1e-12, kind: 'tax', model: null, description: null },
    { ...others[0], date_to: '2024-06-01', description: null },
    { ...others[1], date_to: '2024-06-02', model: null },
  ]);
  expect(await idsOf(project, 'provider=openai')).toEqual(['a/1', 'c']);
  expect(await idsOf(project, 'date_from=2024-05-31&date_to=2024-06-01')).toEqual(['a/1', 'b']);
  const first = await list(project, 'limit=2');
  expect(first.rows).toHaveLength(2);
  expect(await idsOf(project, `limit=2&cursor=${first.next_cursor}`)).toEqual(['c']);

  expectStatus(await project.api('DELETE', '/api/invoices/a%2F1/'), 204);
  expectProblem(await project.api('DELETE', '/api/invoices/a%2F1/'), 404, 'not_found');
  const within = 'provider=openai&date_from=2024-06-01&date_to=2024-06-30';
  expect(expectStatus(await project.api('DELETE', `/api/invoices/?${within}`), 200)).toEqual({ deleted: 1 });
  expect(await idsOf(project)).toEqual(['b']);
});

test('D18.1: an entry that reaches beyond the days to delete is kept', async () => {
  const project = await farthing.createProject();
  await addInvoices(project, entry);
  const delete_ = (query: string) => project.api('DELETE', `/api/invoices/?provider=openai&${query}`);
  expect(expectStatus(await delete_('date_from=2024-05-02&date_to=2024-06-30'), 200)).toEqual({ deleted: 0 });
  expectProblem(await delete_('date_from=2024-05-02'), 400, 'invalid_query');
  expectProblem(await delete_('date_from=2024-05-02&date_to=2024-05-01'), 400, 'invalid_query');
  expectProblem(await project.api('DELETE', '/api/invoices/'), 400, 'invalid_query');
  expect(await idsOf(project)).toEqual(['a/1']);
});

const refused: readonly [string, Json, string][] = [
  ['no id', { external_id: undefined }, '/external_id'],
  ['an id that no path can hold', { external_id: '..' }, '/external_id'],
  ['no provider', { provider: '' }, '/provider'],
  ['a day that does not exist', { date_from: '2024-02-30' }, '/date_from'],
  ['an end before the beginning', { date_to: '2024-04-30' }, '/date_from'],
  ['too many days', { date_to: '2034-05-31' }, '/date_from'],
  ['an amount with a comma', { amount: '1,5' }, '/amount'],
  ['too many digits', { amount: '0.0000000000001' }, '/amount'],
  ['an unknown kind', { kind: 'fee' }, '/kind'],
  ['a discount above 0', { kind: 'discount', amount: 3 }, '/amount'],
  ['a credit above 0', { kind: 'credit', amount: '3' }, '/amount'],
  ['an empty model', { model: '' }, '/model'],
  ['an unknown field', { customer: 'acme' }, '/customer'],
];

test('D18.1: all faults of a request are named, and nothing of it is stored', async () => {
  const project = await farthing.createProject();
  const entries = refused.map(([, fields], index) => ({ ...entry, external_id: `e${index}`, ...fields }));
  const problem = expectProblem(await postInvoices(project, [...entries, entry]), 400, 'invalid_body');
  const pointers = (problem.errors ?? []).map(({ pointer }) => pointer);
  refused.forEach(([name, , pointer], index) => {
    expect(pointers, name).toContain(`/entries/${index}${pointer}`);
  });
  expect(await idsOf(project)).toEqual([]);

  expectProblem(await postInvoices(project, [entry, entry]), 400, 'invalid_body');
  expectProblem(await postInvoices(project, []), 400, 'invalid_body');
  const many = Array.from({ length: 1_001 }, (_, index) => ({ ...entry, external_id: `m${index}` }));
  expectProblem(await postInvoices(project, many), 400, 'invalid_body');
  expect(expectStatus(await postInvoices(project, many.slice(1)), 201)).toEqual({ stored: 1_000 });
});

test('D18.1: reading invoices needs read, changing them needs write, and each project has its own', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const [{ api_key: reader }, { api_key: writer }] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expectProblem(await farthing.send('GET', '/api/invoices/'), 401, 'unauthenticated');
  expectProblem(await postInvoices(project, [entry], reader), 403, 'forbidden');
  expectStatus(await postInvoices(project, [entry], writer), 201);
  expectProblem(await farthing.send('GET', '/api/invoices/', { token: writer }), 403, 'forbidden');
  expectProblem(await farthing.send('DELETE', '/api/invoices/a%2F1/', { token: reader }), 403, 'forbidden');
  const body = { date_from: '2024-05-01' };
  expectProblem(await farthing.send('POST', '/api/reconciliation/', { body, token: writer }), 403, 'forbidden');
  expectProblem(await other.api('DELETE', '/api/invoices/a%2F1/'), 404, 'not_found');
  expect(await idsOf(other)).toEqual([]);
  expect(await idsOf(project)).toEqual(['a/1']);
});
