import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { allCalls } from '../../support/calls.ts';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const body = { date_from: '2024-05-01', date_to: '2024-05-31' };
const routes = [
  ['POST', '/api/calls/'],
  ['GET', `/api/calls/${randomUUID()}/`],
  ['GET', '/api/runs/r/'],
  ['GET', '/api/models/gpt-4o/price/'],
] as const;

test.each(routes)('D2: %s %s needs a key with the scope read', async (method, path) => {
  expectProblem(await farthing.send(method, path), 401, 'unauthenticated');
  const project = await farthing.createProject();
  const { api_key: writer } = await project.createKey({ scopes: ['write'] });
  expectProblem(await farthing.send(method, path, { token: writer }), 403, 'forbidden');
});

test.each(routes)('D11.2: another method than %s %s is a 405', async (method, path) => {
  const project = await farthing.createProject();
  const answer = await project.api('DELETE', path);
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toContain(method);
});

test('D1.1: calls and runs of another project are not found', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const event = costEvent({ cost: 1, tags: { run: 'r' } });
  await other.post(event);
  expectStatus(await other.api('GET', `/api/calls/${event.event_id}/`), 200);
  expectStatus(await other.api('GET', '/api/runs/r/'), 200);
  expectProblem(await project.api('GET', `/api/calls/${event.event_id}/`), 404, 'not_found');
  expectProblem(await project.api('GET', '/api/runs/r/'), 404, 'not_found');
  expect(await allCalls(project, body)).toEqual([]);
});
