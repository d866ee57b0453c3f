// Logs grow for as long as a service runs, so they come in pages.
import { expect, test } from 'vitest';
import { makeCursor } from '../../../src/lib/http/cursor.ts';
import { expectStatus, type Project, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const asAdmin = (project: Project, method: string, path: string) =>
  farthing.send(method, path, { token: farthing.adminToken, headers: { 'Farthing-Project': project.id } });

const range = { date_from: '2024-05-01', date_to: '2024-05-31' };
const logs = [
  {
    name: 'reprices',
    question: (project: Project) => ['rebuilds', project.id, 'reprice'],
    add: (project: Project) => project.api('POST', '/api/prices/reprice/', range),
    list: (project: Project, query: string) => project.api('GET', `/api/prices/reprices/${query}`),
  },
  {
    name: 'rebuilds',
    question: (project: Project) => ['rebuilds', project.id, 'rebuild'],
    add: (project: Project) => farthing.admin('POST', `${project.adminPath}/rebuilds/`),
    list: (project: Project, query: string) => farthing.admin('GET', `${project.adminPath}/rebuilds/${query}`),
  },
  {
    name: 'erasures',
    question: (project: Project) => ['erasures', project.id],
    add: (project: Project) => asAdmin(project, 'DELETE', '/api/customers/acme/'),
    list: (project: Project, query: string) => asAdmin(project, 'GET', `/api/erasures/${query}`),
  },
];

test.each(logs)('D6.4: the log of $name comes in pages, newest first', async ({ name, question, add, list }) => {
  const project = await farthing.createProject();
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift(String(Object(expectStatus(await add(project), 202)).id));
  const read = async (query: string) => {
    const { [name]: rows, next_cursor, has_more } = Object(expectStatus(await list(project, query), 200));
    return { ids: rows.map(({ id }: { id: string }) => id), next_cursor, has_more };
  };
  expect(await read('')).toEqual({ ids, next_cursor: null, has_more: false });
  const first = await read('?limit=2');
  expect(first).toMatchObject({ ids: ids.slice(0, 2), has_more: true });
  const second = await read(`?limit=2&cursor=${first.next_cursor}`);
  expect(second).toEqual({ ids: ids.slice(2), next_cursor: null, has_more: false });

  expectInvalid(await list(project, '?limit=0'), ['/limit'], 'invalid_query');
  const other = await farthing.createProject();
  for (const bad of [
    makeCursor(question(other), ['1']),
    makeCursor(question(project), []),
    makeCursor(question(project), ["' OR 1=1 --"]),
    'x',
  ]) {
    expectProblem(await list(project, `?cursor=${bad}`), 400, 'invalid_cursor');
  }
});
