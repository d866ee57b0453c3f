// One event id with many events, large ones too: its project and all others go on.
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';

const farthing = sharedFarthing();

test('D27.7: large events of one id make one call with the tags it keeps, named in coverage; others are not held up', async () => {
  const [project, neighbour] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const eventId = crypto.randomUUID();
  const events = usualOrLong(24, 1_800);
  for (let sent = 0; sent < events; sent += 8) {
    await project.post(
      ...Array.from({ length: 8 }, (_, index) => ({
        event_id: eventId,
        event_type: 'x.after',
        cost: 1 + sent + index,
        tags: Object.fromEntries(
          Array.from({ length: 100 }, (_tag, tag) => [`t${sent + index}-${tag}`, '𝄞'.repeat(1_024)]),
        ),
      })),
    );
    await neighbour.post(costEvent({ cost: 1 }));
    expect(await neighbour.totalCost()).toBe(sent / 8 + 1);
  }
  expect(await project.totalCost()).toBe(events);
  const call = expectStatus(await project.api('GET', `/api/calls/${eventId}/`), 200) as {
    tags: Record<string, string>;
    events_total: number;
  };
  expect(Object.keys(call.tags)).toHaveLength(256);
  expect(call.events_total).toBe(events);
  const coverage = expectStatus(await project.api('GET', '/api/coverage/'), 200);
  expect(coverage).toMatchObject({ overused_ids: [{ event_id: eventId, events, tags_left_out: true }], calls: 1 });
});

test('D27.7: coverage names an id with more than 1,000 events, and the call has them all', async () => {
  const project = await farthing.createProject();
  const eventId = crypto.randomUUID();
  const outcome = (index: number) => ({
    event_id: eventId,
    event_type: 'x.after',
    cost: index,
    tags: { n: String(index) },
  });
  await project.post(...Array.from({ length: 1_000 }, (_, index) => outcome(index)));
  expect(await project.totalCost()).toBe(999);
  expect(expectStatus(await project.api('GET', '/api/coverage/'), 200)).toMatchObject({ overused_ids: [] });
  for (const index of [1_000, 1_001]) {
    await project.post(outcome(index));
    expect(await project.totalCost()).toBe(index);
  }
  expect(expectStatus(await project.api('GET', '/api/coverage/'), 200)).toMatchObject({
    overused_ids: [{ event_id: eventId, events: 1_002, tags_left_out: false }],
    calls: 1,
  });
  expect(expectStatus(await project.api('GET', `/api/calls/${eventId}/`), 200)).toMatchObject({
    tags: { n: '1001' },
    events_total: 1_002,
  });
});
