import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { expectProblem } from '../../support/problem.ts';
import { askForReprice, changeTimezone, rebuildProject, repriceDays } from '../../support/reprice.ts';

const farthing = sharedFarthing();
const days = { date_from: '2024-05-14', date_to: '2024-05-16' };

test('D2: a new timezone moves every call to its day there, and is pending until all have moved', async () => {
  const project = await farthing.createProject({ timezone: 'UTC' });
  await project.post(
    costEvent({ cost: 1, timestamp: '2024-05-15T02:00:00Z' }),
    costEvent({ cost: 2, timestamp: '2024-05-15T20:00:00Z' }),
  );
  expect((await project.allCosts(days)).map(({ cost }) => cost)).toEqual([0, 3, 0]);
  const path = `${project.adminPath}/`;
  const answer = expectStatus(
    await farthing.admin('PATCH', path, { name: 'renamed', timezone: 'America/New_York' }),
    200,
  );
  // Other changes take effect at once.
  expect(answer).toMatchObject({ name: 'renamed', timezone: 'UTC', pending_timezone: 'America/New_York' });
  await poll('the timezone is in force', { within: backgroundWithin }, async () => {
    const found = Object(expectStatus(await farthing.admin('GET', path), 200));
    return found.pending_timezone === null ? found : undefined;
  });
  expect(expectStatus(await project.api('GET', '/api/project/'), 200)).toMatchObject({
    timezone: 'America/New_York',
    pending_timezone: null,
  });
  expect((await project.allCosts(days)).map(({ cost }) => cost)).toEqual([1, 2, 0]);
  // New events use the new timezone, and earlier calls are not counted again.
  await project.post(costEvent({ cost: 4, timestamp: '2024-05-16T03:59:59Z' }));
  expect((await project.allCosts(days)).map(({ cost }) => cost)).toEqual([1, 6, 0]);
});

longTest('D2: a second change of the timezone is refused until the first is done', async () => {
  const project = await farthing.createProject();
  await project.post(...Array.from({ length: 500 }, () => costEvent({ cost: 1 })));
  const path = `${project.adminPath}/`;
  // These reprices run first, so that the timezone stays pending.
  for (let before = 0; before < 4; before += 1) await askForReprice(project, { date_from: '2024-05-15' });
  const first = expectStatus(await farthing.admin('PATCH', path, { timezone: 'Asia/Tokyo' }), 200);
  expect(first).toMatchObject({ timezone: 'UTC', pending_timezone: 'Asia/Tokyo' });
  const second = await farthing.admin('PATCH', path, { timezone: 'Asia/Kolkata', name: 'renamed' });
  expect(expectProblem(second, 409, 'conflict').detail).toContain('Asia/Tokyo');
  await changeTimezone(project, 'Asia/Tokyo');
  expect(expectStatus(await farthing.admin('GET', path), 200)).toMatchObject({ name: 'a test' });
});

longTest('D5.7: another timezone changes no price, neither of an override’s days nor of a reprice’s', async () => {
  const project = await farthing.createProject({ timezone: 'UTC' });
  const rates = { model: 'm1', output_per_mtok: 0 };
  await project.addPrice({ ...rates, input_per_mtok: 1, effective_to: '2024-05-15' });
  await project.addPrice({ ...rates, input_per_mtok: 2, effective_from: '2024-05-16' });
  const at = (timestamp: string) => tokenEvent({ timestamp, prompt_tokens: 1_000_000 });
  // In Tokyo both are on the 16th.
  await project.post(at('2024-05-15T20:00:00Z'), at('2024-05-16T01:00:00Z'));
  expect(await project.totalCost()).toBe(3);
  await project.addPrice({ ...rates, input_per_mtok: 10 });
  await repriceDays(project, { date_from: '2024-05-16', date_to: '2024-05-16', dry_run: false });
  expect(await project.totalCost()).toBe(11);
  await changeTimezone(project, 'Asia/Tokyo');
  expect((await project.allCosts(days)).map(({ cost }) => cost)).toEqual([0, 0, 11]);
  await rebuildProject(project);
  expect((await project.allCosts(days)).map(({ cost }) => cost)).toEqual([0, 0, 11]);
  // Effective days of new overrides are in Tokyo's timezone.
  await project.addPrice({ ...rates, input_per_mtok: 100, effective_from: '2024-05-17', effective_to: '2024-05-17' });
  await project.post(at('2024-05-16T16:00:00Z'));
  expect(await project.totalCost()).toBe(111);
});
