import { expect, test } from 'vitest';
import { type EventsOfId, type LoggedEvent, mergeEvents, phases } from '../../src/calls/assembly/merge.ts';
import { wrappedCallOf } from '../../src/calls/wrapper-marker.ts';
import { readEvent } from '../../src/intake/event.ts';

const hour = 3_600_000;
const inner = '0198c0de-0000-8000-8000-000000000001';

const event = (fields: Partial<LoggedEvent>): LoggedEvent => ({
  projectId: 'p',
  eventId: 'e',
  writer: 'w',
  seq: 1,
  receivedAtMs: 0,
  timeMs: 0,
  hasTimestamp: true,
  phase: phases.after,
  tags: {},
  fields: {},
  usage: [],
  units: {},
  cost: null,
  ...fields,
});
const marker = (receivedAtMs: number) =>
  event({ phase: phases.before, receivedAtMs, hasTimestamp: false, fields: { wrapped_call: inner } });

const wrapsOf = (events: EventsOfId) => mergeEvents(events).map(wrappedCallOf);

test('D14.3: a marker belongs to the call of its id whenever it came', () => {
  for (const receivedAtMs of [-1_000 * hour, 0, 47 * hour, 49 * hour, 10_000 * hour]) {
    expect(wrapsOf([marker(receivedAtMs), event({})])).toEqual([inner]);
    expect(wrapsOf([event({}), marker(receivedAtMs)])).toEqual([inner]);
  }
  expect(wrapsOf([event({})])).toEqual([undefined]);
});

test('D14.3: a marker belongs to every call of an id that was used again', () => {
  const again = event({ receivedAtMs: 49 * hour, hasTimestamp: false });
  expect(wrapsOf([event({}), again, marker(50 * hour)])).toEqual([inner, inner]);
});

test('D14.3: markers make no call, and change neither the time nor the fields of one', () => {
  expect(mergeEvents([marker(0), marker(1)])).toEqual([]);
  const outcome = event({ receivedAtMs: 5, timeMs: 3, fields: { model: 'm' }, tags: { customer: 'acme' } });
  const [call] = mergeEvents([marker(0), outcome, marker(9)]);
  expect(call).toMatchObject({
    firstReceivedAtMs: 5,
    timeMs: 3,
    failed: false,
    tags: { customer: 'acme' },
    fields: { model: 'm', wrapped_call: inner },
  });
});

test('D14.3: only an event of the type of markers is one', () => {
  const fieldsOf = (eventType: string) => {
    const read = readEvent({ event_id: inner, event_type: eventType, wrapped_call: inner.toUpperCase() }, 0, {
      maxTags: 1,
    });
    return read.ok ? read.columns.fields : undefined;
  };
  expect(fieldsOf('farthing.wrapper.before')).toEqual({ wrapped_call: inner });
  expect(fieldsOf('chat.before')).toEqual({});
  expect(fieldsOf('chat.after')).toEqual({});
});
