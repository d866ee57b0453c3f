import { expect, test } from 'vitest';
import { type Answer, costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';
import { poll } from '../../support/poll.ts';

const farthing = sharedFarthing();
const range = { date_from: '2024-05-15', date_to: '2024-05-15' };
const relaxed = { headers: { 'Farthing-Consistency': 'relaxed' } };

function asOf(answer: Answer): number {
  const text = answer.headers.get('farthing-as-of');
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  return Date.parse(text ?? '');
}

test('D4.7: an answer includes every event acknowledged before the request', async () => {
  const project = await farthing.createProject();
  for (let posted = 1; posted <= usualOrLong(4, 25); posted += 1) {
    await project.post(costEvent({ cost: 1 }));
    expect(await project.totalCost()).toBe(posted);
  }
});

test('D4.7: concurrent readers always see every acknowledged event', async () => {
  const project = await farthing.createProject();
  let acknowledged = 0;
  let writing = true;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let round = 0; round < usualOrLong(3, 15); round += 1) {
      const events = Array.from({ length: 1 + ((writer + round) % 3) }, () => costEvent({ cost: 1 }));
      await project.post(...events);
      acknowledged += events.length;
    }
  });
  const readers = Array.from({ length: 2 }, async () => {
    let last = 0;
    while (writing) {
      const before = acknowledged;
      const total = await project.totalCost();
      expect(total).toBeGreaterThanOrEqual(before);
      expect(total).toBeGreaterThanOrEqual(last);
      last = total;
    }
  });
  await Promise.all(writers).finally(() => {
    writing = false;
  });
  await Promise.all(readers);
  expect(await project.totalCost()).toBe(acknowledged);
});

test('D4.7: every answer gives its time, never before the last acknowledgement', async () => {
  const project = await farthing.createProject();
  expectStatus(await project.postCosts(range), 200);
  for (let round = 0; round < 3; round += 1) {
    await project.post(costEvent({ cost: 1 }));
    // Test and service share a clock; the answer's time may be cut to milliseconds.
    const acknowledged = Date.now();
    const answer = await project.postCosts(range);
    const answered = Date.now();
    expectStatus(answer, 200);
    expect(asOf(answer)).toBeGreaterThanOrEqual(acknowledged - 1);
    expect(asOf(answer)).toBeLessThanOrEqual(answered);
  }
});

test('D4.7: a relaxed answer includes events acknowledged a second before', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1 }));
  const acknowledged = Date.now();
  const { total, asked } = await poll('a second has passed', { within: 60_000, every: 200 }, async () => {
    const asked = Date.now();
    const answer = await project.postCosts(range, relaxed);
    const body = expectStatus(answer, 200);
    expect(asOf(answer)).toBeGreaterThanOrEqual(asked - 1000 - 1);
    return asked > acknowledged + 1000 ? { total: Object(body).rows[0].cost, asked } : undefined;
  });
  expect(asked).toBeGreaterThan(acknowledged + 1000);
  expect(total).toBe(1);
});

test('D4.7: a relaxed answer has the same rows once it includes all events', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, tags: { customer: 'a', feature: 'f' } }), costEvent({ cost: 2 }));
  const strict = await project.costs({ ...range, group_by: 'customer' });
  expect(await project.costs({ ...range, group_by: 'customer' }, relaxed)).toEqual(strict);
});
