import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault of the query string is reported at once', async () => {
  const project = await farthing.createProject();
  const query = new URLSearchParams({
    event_id: 'call-1',
    event_type: 'x'.repeat(201),
    customer: 'x'.repeat(1_025),
    from: 'yesterday',
    to: '2024-05-01',
    limit: '0',
    colour: 'red',
  });
  const pointers = ['/event_id', '/event_type', '/customer', '/from', '/to', '/limit', '/colour'];
  expectInvalid(await project.api('GET', `/api/events/?${query}`), pointers, 'invalid_query');
});

test.each([
  '2024-02-30T00:00:00Z',
  '2024-05-01T24:00:01Z',
  '2024-05-01T00:00:00',
  '2024-05-01T00:00:00+25:00',
  '2024-05-01 00:00:00Z',
  '1714521600000',
  '',
])('RFC 3339: %s is no instant', async (from) => {
  const project = await farthing.createProject();
  expectInvalid(await project.api('GET', `/api/events/?${new URLSearchParams({ from })}`), ['/from'], 'invalid_query');
});

test('D2: from after to is a 400', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('GET', '/api/events/?from=2024-05-01T00:00:01Z&to=2024-05-01T00:00:00Z');
  expectInvalid(answer, ['/from'], 'invalid_query');
});

test('D6.4: a cursor is bound to the project and every parameter except limit', async () => {
  const [project, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const event_id = randomUUID();
  await project.post(...[1, 2].map(() => ({ event_id, event_type: 'a.b', customer: 'c' })));
  const query = {
    event_id,
    event_type: 'a.b',
    customer: 'c',
    from: '2020-01-01T00:00:00Z',
    to: '2099-01-01T00:00:00Z',
    limit: '1',
  };
  const read = (fields: Record<string, string>) => project.api('GET', `/api/events/?${new URLSearchParams(fields)}`);
  const { next_cursor: cursor } = expectStatus(await read(query), 200) as { next_cursor: string };
  expect((await read({ ...query, limit: '7', cursor })).status).toBe(200);
  const { customer: _, ...withoutCustomer } = query;
  for (const changed of [
    withoutCustomer,
    { ...query, event_id: randomUUID() },
    { ...query, event_type: 'a.c' },
    { ...query, customer: 'd' },
    { ...query, from: '2020-01-01T00:00:01Z' },
    { ...query, to: '2099-01-01T00:00:01Z' },
  ]) {
    expectProblem(await read({ ...changed, cursor }), 400, 'invalid_cursor');
  }
  expectProblem(await read({ ...query, cursor: `${cursor}A` }), 400, 'invalid_cursor');
  const elsewhere = await other.api('GET', `/api/events/?${new URLSearchParams({ ...query, cursor })}`);
  expectProblem(elsewhere, 400, 'invalid_cursor');
});
