import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.2: an id without events, or an invalid one, is a 404', async () => {
  const project = await farthing.createProject();
  for (const id of [randomUUID(), 'x', '%ff', '%00', `${randomUUID()}0`]) {
    expectProblem(await project.api('GET', `/api/calls/${id}/`), 404, 'not_found');
  }
});

test('D3.8: an id with only custom events is not a call', async () => {
  const project = await farthing.createProject();
  const event = { event_id: randomUUID(), event_type: 'signup' };
  await project.post(event);
  expectProblem(await project.api('GET', `/api/calls/${event.event_id}/`), 404, 'not_found');
});

test('D11.1: an invalid ordinal and unknown parameters are reported at once', async () => {
  const project = await farthing.createProject();
  for (const ordinal of ['-1', '1.5', 'latest', '65536', '']) {
    const answer = await project.api('GET', `/api/calls/${randomUUID()}/?ordinal=${ordinal}&colour=red`);
    const { errors = [] } = expectProblem(answer, 400, 'invalid_query');
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/colour', '/ordinal']);
  }
});
