import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { addRevenue } from '../../support/margin.ts';
import { changeTimezone, repriceDays } from '../../support/reprice.ts';
import { freezeBefore } from '../../support/retention.ts';
import { erase } from '../D2-erasure/support.ts';
import { addGrant } from '../D7-credits/support.ts';
import { ask, call, closeMay, driftOf, expectDrift, expectGrouped, may } from './support.ts';

const farthing = sharedFarthing();

test('D19.2: a reprice, a new timezone, late events, revenue and credits are told apart, each on the day on which it counts', async () => {
  const project = await farthing.createProject();
  await addRevenue(
    project,
    { external_id: 'i-1', customer: 'acme', amount: 10, date_from: '2024-05-02', date_to: '2024-05-03' },
    { external_id: 'i-2', customer: 'bravo', amount: 62, ...may },
  );
  const id = await closeMay(project);
  await addRevenue(project, {
    external_id: 'i-1',
    customer: 'acme',
    amount: 4,
    date_from: '2024-05-03',
    date_to: '2024-05-03',
  });
  await addGrant(project, { provider: 'p', amount: 4, starts_on: '2024-05-01' });
  await project.addPrice({ model: 'm1', input_per_mtok: 5, output_per_mtok: 1 });
  await repriceDays(project, { date_from: '2024-05-03', date_to: '2024-05-03', dry_run: false });
  await project.post(call(3, {}, 'bravo'));
  expect((await expectDrift(project, id)).rows).toEqual([
    { day: '2024-05-02', customer: 'acme', cause: 'revenue', revenue: -5 },
    { day: '2024-05-02', customer: 'acme', cause: 'credits', credits: 3 },
    { day: '2024-05-03', customer: 'acme', cause: 'revenue', revenue: -1 },
    { day: '2024-05-03', customer: 'bravo', cause: 'late_events', cost: 5 },
    { day: '2024-05-03', customer: 'bravo', cause: 'reprice', cost: 2 },
    { day: '2024-05-03', customer: 'bravo', cause: 'credits', credits: 1 },
  ]);
  await changeTimezone(project, 'Europe/Berlin');
  const drift = await expectDrift(project, id);
  await expectGrouped(project, id, drift);
  expect(drift.rows.filter(({ customer, cause }) => customer === 'acme' && cause === 'timezone')).toEqual([
    { day: '2024-05-02', customer: 'acme', cause: 'timezone', cost: -3 },
    { day: '2024-05-03', customer: 'acme', cause: 'timezone', cost: 3 },
    { day: '2024-05-20', customer: 'acme', cause: 'timezone', cost: -3 },
    { day: '2024-05-21', customer: 'acme', cause: 'timezone', cost: 3 },
  ]);
});

test('D19.2: a cause is the same for a part of the days, and a reread that changes nothing is no cause', async () => {
  const project = await farthing.createProject();
  const late = call(20, { event_id: randomUUID() }, 'bravo');
  const id = await closeMay(project, late);
  await changeTimezone(project, 'Europe/Berlin');
  for (const [day, cost] of [
    ['2024-05-02', -3],
    ['2024-05-21', 3],
  ]) {
    const rows = Object(expectStatus(await ask(project, id, { date_from: day, date_to: day }), 200)).rows;
    expect(rows.find((row: Json) => row.customer === 'acme')).toEqual({
      day,
      customer: 'acme',
      cause: 'timezone',
      cost,
    });
  }
  await project.post({ ...late, prompt_tokens: 2_000_000 });
  const drift = await expectDrift(project, id);
  expect(drift.rows.filter(({ customer, cause }) => customer === 'bravo' && cause !== 'timezone')).toEqual([
    { day: '2024-05-21', customer: 'bravo', cause: 'late_events', cost: 3 },
  ]);
  await repriceDays(project, { date_from: '2024-05-21', date_to: '2024-05-21', reread: true, dry_run: false });
  expect(await driftOf(project, id)).toEqual(drift);
});

longTest('D19.2: what an erasure takes away is told as erased, without a name', async () => {
  const project = await farthing.createProject();
  await addRevenue(project, {
    external_id: 'i-1',
    customer: 'acme',
    amount: 2,
    date_from: '2024-05-02',
    date_to: '2024-05-03',
  });
  const id = await closeMay(project, costEvent({ cost: 1 }));
  await erase(project, '/api/customers/acme/');
  const { rows } = await expectDrift(project, id);
  expect(rows).toEqual([
    { day: '2024-05-02', customer: '', cause: 'erasure', cost: -3, revenue: -1 },
    { day: '2024-05-03', customer: '', cause: 'erasure', revenue: -1 },
    { day: '2024-05-20', customer: '', cause: 'erasure', cost: -3 },
  ]);
});

longTest('D19.2: the drift of days that were frozen since the close stays', async () => {
  const project = await farthing.createProject();
  const id = await closeMay(project);
  await project.post(call(2, {}, 'bravo'));
  const before = await expectDrift(project, id);
  await freezeBefore(project, '2024-05-10');
  expect(await expectDrift(project, id)).toEqual(before);
});
