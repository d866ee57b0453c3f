import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const path = '/api/shared-costs/';
const entry = {
  external_id: 'gpu/1',
  name: 'GPU',
  amount: '12.34',
  date_from: '2024-05-01',
  date_to: '2024-05-31',
  allocate_by: 'tokens',
};

const listed = z.object({
  rows: z.array(z.looseObject({ external_id: z.string() })),
  next_cursor: z.string().nullable(),
});
const post = (project: Project, entries: readonly Json[], token?: string) =>
  project.api('POST', path, { entries }, token === undefined ? {} : { token });
const list = async (project: Project, query = '') =>
  listed.parse(expectStatus(await project.api('GET', `${path}?${query}`), 200));
const idsOf = async (project: Project, query = '') =>
  (await list(project, query)).rows.map(({ external_id: id }) => id);

test('D31.1: shared costs are stored, replaced by their id, listed by page and days, and deleted', async () => {
  const project = await farthing.createProject();
  const scope = { providers: ['p', ''], models: ['b', 'a', 'b'], tags: { ['__proto__']: 'x', team: ['y', 'x'] } };
  const others = [
    { external_id: 'seats', name: 'Seats', amount: -5, date_from: '2024-06-02', allocate_by: 'calls', scope },
    { external_id: 'store', name: 'Vectors', amount: 1, date_from: '2024-06-01', allocate_by: 'cost', scope: {} },
  ];
  expect(expectStatus(await post(project, [entry, ...others]), 201)).toEqual({ stored: 3 });
  for (const amount of ['7', '0.000000000001']) expectStatus(await post(project, [{ ...entry, amount }]), 201);
  const { rows } = await list(project);
  expect(rows).toMatchObject([
    { ...entry, amount: 1e-12, scope: {} },
    { ...others[0], date_to: '2024-06-02', scope: { providers: ['', 'p'], models: ['a', 'b'] } },
    { ...others[1], date_to: '2024-06-01', scope: {} },
  ]);
  expect(JSON.stringify(rows[1]?.scope)).toContain('"tags":{"__proto__":["x"],"team":["x","y"]}');
  expect(await idsOf(project, 'date_from=2024-05-31&date_to=2024-06-01')).toEqual(['gpu/1', 'store']);
  const first = await list(project, 'limit=2');
  expect(first.rows).toHaveLength(2);
  expect(await idsOf(project, `limit=2&cursor=${first.next_cursor}`)).toEqual(['store']);
  expectStatus(await project.api('DELETE', `${path}gpu%2F1/`), 204);
  expectProblem(await project.api('DELETE', `${path}gpu%2F1/`), 404, 'not_found');
  expect(await idsOf(project)).toEqual(['seats', 'store']);
});

const refused: readonly [string, Json, string][] = [
  ['no id', { external_id: undefined }, '/external_id'],
  ['an id that no path can hold', { external_id: '..' }, '/external_id'],
  ['no name', { name: '' }, '/name'],
  ['a day that does not exist', { date_from: '2024-02-30' }, '/date_from'],
  ['an end before the beginning', { date_to: '2024-04-30' }, '/date_from'],
  ['too many days', { date_to: '2034-05-31' }, '/date_from'],
  ['an amount with a comma', { amount: '1,5' }, '/amount'],
  ['too many digits', { amount: '0.0000000000001' }, '/amount'],
  ['no weight', { allocate_by: undefined }, '/allocate_by'],
  ['an unknown weight', { allocate_by: 'users' }, '/allocate_by'],
  ['an empty filter', { scope: { models: [] } }, '/scope/models'],
  ['a filter that is none', { scope: { customers: ['acme'] } }, '/scope/customers'],
  ['a text that no store holds', { scope: { tags: { team: 'a\0' } } }, '/scope/tags/team'],
  ['an unknown field', { customer: 'acme' }, '/customer'],
];

test('D31.1: all faults of a request are named, and nothing of it is stored', async () => {
  const project = await farthing.createProject();
  const entries = refused.map(([, fields], index) => ({ ...entry, external_id: `e${index}`, ...fields }));
  const problem = expectProblem(await post(project, [...entries, entry]), 400, 'invalid_body');
  const pointers = (problem.errors ?? []).map(({ pointer }) => pointer);
  refused.forEach(([name, , pointer], index) => {
    expect(
      pointers.some((told) => told.startsWith(`/entries/${index}${pointer}`)),
      name,
    ).toBe(true);
  });
  const { allocate_by: _weight, ...weightless } = entry;
  expect(expectProblem(await post(project, [weightless]), 400, 'invalid_body').errors).toMatchObject([
    { pointer: '/entries/0/allocate_by', code: 'required', message: 'is required' },
  ]);
  expectProblem(await post(project, [entry, entry]), 400, 'invalid_body');
  expectProblem(await post(project, []), 400, 'invalid_body');
  const many = Array.from({ length: 51 }, (_, at) => ({
    ...{ ...entry, external_id: `m${at}`, scope: { models: [`m${at}`] } },
  }));
  expectProblem(await post(project, many), 409, 'conflict');
  expect(await idsOf(project)).toEqual([]);
  expect(expectStatus(await post(project, many.slice(1)), 201)).toEqual({ stored: 50 });
  expectProblem(await post(project, many.slice(0, 1)), 409, 'conflict');
});

test('D31.1: reading shared costs needs read, changing them needs write, and each project has its own', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const [{ api_key: reader }, { api_key: writer }] = await Promise.all([
    project.createKey({ scopes: ['read'] }),
    project.createKey({ scopes: ['write'] }),
  ]);
  expectProblem(await farthing.send('GET', path), 401, 'unauthenticated');
  expectProblem(await post(project, [entry], reader), 403, 'forbidden');
  expectStatus(await post(project, [entry], writer), 201);
  expectProblem(await farthing.send('GET', path, { token: writer }), 403, 'forbidden');
  expectProblem(await farthing.send('DELETE', `${path}gpu%2F1/`, { token: reader }), 403, 'forbidden');
  expectProblem(await other.api('DELETE', `${path}gpu%2F1/`), 404, 'not_found');
  expect(await idsOf(other)).toEqual([]);
  expect(await idsOf(project)).toEqual(['gpu/1']);
});
