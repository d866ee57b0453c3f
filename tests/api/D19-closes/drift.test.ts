import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { ask, call, closeMay, driftOf, driftPage, expectDrift, expectGrouped } from './support.ts';

const farthing = sharedFarthing();

test('D19.2: late events are in the drift of their day and customer, and nothing else is', async () => {
  const project = await farthing.createProject();
  const moved = randomUUID();
  const id = await closeMay(project, call(5, { event_id: moved, prompt_tokens: 2_000_000 }, 'charlie'));
  expect(await driftOf(project, id)).toEqual({ rows: [], totals: { cost: 0, revenue: 0, credits: 0 } });

  await project.post(
    call(20, {}, 'bravo'),
    costEvent({ cost: 7, timestamp: '2024-06-01T12:00:00Z' }),
    // Another outcome: the call is of another customer and uses more.
    call(5, { event_id: moved, prompt_tokens: 3_000_000 }, 'delta'),
  );
  const drift = await expectDrift(project, id, 2);
  expect(drift.rows).toEqual([
    { day: '2024-05-05', customer: 'charlie', cause: 'late_events', cost: -6 },
    { day: '2024-05-05', customer: 'delta', cause: 'late_events', cost: 9 },
    { day: '2024-05-20', customer: 'bravo', cause: 'late_events', cost: 3 },
  ]);
  await expectGrouped(project, id, drift, 2);
  const some = driftPage.parse(
    expectStatus(await ask(project, id, { date_from: '2024-05-05', date_to: '2024-05-10' }), 200),
  );
  expect(some).toMatchObject({
    rows: [{ day: '2024-05-05', cost: -6 }, { cost: 9 }],
    totals: { cost: 3 },
    has_more: false,
  });
});

test('D19.2: a drift is of a close of the project, and its days are those of the close', async () => {
  const project = await farthing.createProject();
  const id = await closeMay(project);
  expectProblem(await ask(project, 'cls_none'), 404, 'not_found');
  expectInvalid(await ask(project, id, { date_from: '2024-06-02', date_to: '2024-06-01', extra: 1 }), ['/extra']);
  expectInvalid(await ask(project, id, { date_from: '2024-06-02', date_to: '2024-06-01' }), ['/date_to', '/date_from']);
  expectProblem(await ask(project, id, { cursor: 'x' }), 400, 'invalid_cursor');
});
