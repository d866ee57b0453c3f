// D4.2, D5.6: the calls of an id that was used again, which takes days and so a clock that tests can move.
import { expect, test, vi } from 'vitest';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { CellCache } from '../../src/reports/asking/cell-cache.ts';
import { readOneCall } from '../../src/reports/calls/one-call.ts';
import { assembleAll, base, deliver, hour, newEventId, openWorldOfFile, Writer } from '../assembly/world.ts';

const world = await openWorldOfFile();
const sources = { ...world, answerCache: new AnswerCache(world.store), cellCache: new CellCache(world.store) };

async function explain(eventId: string, ordinal?: number) {
  const project = await world.projects.find(world.projectId);
  if (!project) throw new Error('the world has a project');
  const found = await readOneCall(project, { eventId, ordinal }, sources);
  if (found.open) throw new Error('the call has an outcome');
  return found;
}

const eventsOf = (found: Awaited<ReturnType<typeof explain>>) =>
  found.events.map(({ event }) => Number(JSON.parse(event.text).mark));

test('D4.2: each call of an id has its own events, cost and book; the latest is answered unless another is asked for', async () => {
  const writer = new Writer();
  const event_id = newEventId();
  const event = (mark: number, event_type: string, fields = {}) => ({ event_id, event_type, mark, ...fields });
  const used = { model: 'm-alpha', prompt_tokens: 1_000_000, completion_tokens: 0 };
  await deliver(world, [
    writer.receive(base, event(1, 'x.before')),
    writer.receive(base + hour, event(2, 'x.after', used)),
    writer.receive(base + 2 * hour, event(3, 'x.custom')),
    writer.receive(base + 3 * hour, event(4, 'x.error', { error_type: 'late' })),
    writer.receive(base + 59 * hour, event(5, 'x.before')),
    writer.receive(base + 60 * hour, event(6, 'x.after', used)),
    writer.receive(base + 61 * hour, event(7, 'x.after', { timestamp: new Date(base).toISOString() })),
  ]);
  await assembleAll(world);

  const [first, second] = [await explain(event_id, 0), await explain(event_id)];
  expect([first.ordinal, second.ordinal, first.calls, second.calls]).toEqual([0, 1, 2, 2]);
  expect([eventsOf(first), eventsOf(second)]).toEqual([
    [1, 2, 4],
    [5, 6, 7],
  ]);
  // The price of the model was raised between the two.
  expect([first.cost, second.cost]).toEqual([1.25, 2.000001]);
  const [, beta, raised] = world.books;
  expect([first, second].map(({ explanation }) => explanation.price_book)).toEqual(
    [beta, raised].map((book) => ({ id: book?.id, activated_at: new Date(book?.activatedAt ?? 0).toISOString() })),
  );
  expect(first.run).toBe(event_id);
  expect(second.run).not.toBe(first.run);
  await expect(explain(event_id, 2)).rejects.toMatchObject({ code: 'not_found' });
});

test('D5.6: a call is not explained by events that are not in it yet', async () => {
  const writer = new Writer();
  const event_id = newEventId();
  const at = base + 100 * hour;
  await deliver(world, [writer.receive(at, { event_id, event_type: 'x.after', cost: 1 })]);
  await assembleAll(world);
  await deliver(world, [writer.receive(at, { event_id, event_type: 'x.after', cost: 2 })]);
  // Each look at the clock takes a second: it asks a few times, not for five seconds.
  const now = Date.now();
  let seconds = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
    seconds += 1;
    return now + seconds * 1_000;
  });
  try {
    await expect(explain(event_id)).rejects.toMatchObject({ code: 'catching_up' });
  } finally {
    clock.mockRestore();
  }
  await assembleAll(world);
  expect(await explain(event_id)).toMatchObject({ cost: 2, events_total: 2 });
});

test('D5.7: a stored cost that its events no longer give is kept and reported as not reproduced', async () => {
  const writer = new Writer();
  const event_id = newEventId();
  await deliver(world, [writer.receive(base + 200 * hour, { event_id, event_type: 'x.after', cost: 1 })]);
  await assembleAll(world);
  expect((await explain(event_id)).explanation.reproduced).toBe(true);
  await world.store.command(
    `INSERT INTO calls SELECT * REPLACE (version + 1 AS version, toDecimal128('5.5', 12) AS cost, 'override' AS cost_source)
     FROM calls FINAL WHERE event_id = {event_id:UUID}`,
    { event_id },
  );
  expect(await explain(event_id)).toMatchObject({
    cost: 5.5,
    explanation: { reproduced: false, lines: [], credit: { net_cost: 5.5 } },
    events_total: 1,
  });
});
