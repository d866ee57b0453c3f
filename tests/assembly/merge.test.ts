import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EventsOfId, groupById, type LoggedEvent, mergeEvents, phases } from '../../src/calls/merging/merge.ts';

const hour = 3_600_000;

const event = (fields: Partial<LoggedEvent>): LoggedEvent => ({
  projectId: 'p',
  eventId: 'e',
  writer: 'w',
  seq: 1,
  receivedAtMs: 0,
  timeMs: 0,
  hasTimestamp: false,
  phase: phases.after,
  tags: {},
  fields: {},
  usage: [],
  units: {},
  cost: null,
  ...fields,
});

describe('names that every object knows', () => {
  test.each(['__proto__', 'constructor', 'toString'])('%s is a tag and a field like any other', (name) => {
    const texts = (text: string) => Object.fromEntries([[name, text]]);
    const [call] = mergeEvents([
      event({ phase: phases.before, tags: texts('first'), fields: texts('first') }),
      event({ receivedAtMs: 1, tags: texts('last'), fields: texts('last') }),
      event({ receivedAtMs: 2 }),
    ]);
    expect(Object.entries(call?.tags ?? {})).toEqual([[name, 'last']]);
    expect(Object.entries(call?.fields ?? {})).toEqual([[name, 'last']]);
  });

  test('no such name makes a call one that failed', () => {
    const [call] = mergeEvents([event({ fields: Object.create({ error_type: 'timeout' }) })]);
    expect(call?.failed).toBe(false);
  });
});

test('D4.2: the 48 hours are to the millisecond, for a beginning and for an outcome used again', () => {
  const numbers = (events: EventsOfId) => mergeEvents(events).map((call) => call.events.map(({ seq }) => seq));
  const first = event({ seq: 1 });
  expect(numbers([first, event({ seq: 2, receivedAtMs: 48 * hour })])).toEqual([[1, 2]]);
  expect(numbers([first, event({ seq: 2, receivedAtMs: 48 * hour + 1 })])).toEqual([[1], [2]]);
  // A repetition with a timestamp is of the call that was there.
  expect(numbers([first, event({ seq: 2, receivedAtMs: 480 * hour, hasTimestamp: true })])).toEqual([[1, 2]]);
  const before = (receivedAtMs: number) => event({ seq: 9, phase: phases.before, receivedAtMs });
  expect(numbers([before(48 * hour), first])).toEqual([[1, 9]]);
  // It came too late for the first and begins the second; without a second it is of none.
  expect(numbers([before(48 * hour + 1), first])).toEqual([[1]]);
  expect(numbers([before(48 * hour + 1), first, event({ seq: 2, receivedAtMs: 50 * hour })])).toEqual([[1], [9, 2]]);
  expect(numbers([before(0)])).toEqual([]);
});

test('D16.2: a name with less detail never replaces one with more', () => {
  const modelOf = (first: string, then: string) => {
    const [call] = mergeEvents([
      event({ fields: { model: first } }),
      event({ receivedAtMs: 1, fields: { model: then } }),
    ]);
    return call?.fields.model;
  };
  for (const [fuller, model] of [
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['gpt-4o-2024-05-13', 'openai/gpt-4o'],
    ['openai/gpt-4o-2024-05-13', 'gpt-4o'],
    ['gpt-4o-2024-05-13', 'openrouter/openai/gpt-4o'],
  ] as const) {
    expect(modelOf(fuller, model)).toBe(fuller);
    expect(modelOf(model, fuller)).toBe(fuller);
  }
  // Another model is no detail.
  for (const other of ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18', 'gpt-4o-realtime']) {
    expect(modelOf(other, 'gpt-4o')).toBe('gpt-4o');
    expect(modelOf(other, 'openai/gpt-4o')).toBe('openai/gpt-4o');
  }
});

test('D3.10: tokens and units are taken whole, from the last event that reports either', () => {
  const ofLast = (...events: [Partial<LoggedEvent>, ...Partial<LoggedEvent>[]]) => {
    const [first, ...others] = events.map((fields, receivedAtMs) => event({ receivedAtMs, ...fields }));
    const [call] = first ? mergeEvents([first, ...others]) : [];
    return [call?.usage, call?.units];
  };
  const searched = { usage: [7], units: { web_searches: '3' } };
  expect(ofLast(searched, {})).toEqual([[7], { web_searches: '3' }]);
  expect(ofLast(searched, { usage: [9] })).toEqual([[9], {}]);
  expect(ofLast(searched, { units: { images: '1' } })).toEqual([[], { images: '1' }]);
  expect(ofLast(searched, { ...searched, phase: phases.error })).toEqual([[7], { web_searches: '3' }]);
});

/** Events of few ids, that often share a time of receipt, a writer, or a name. */
const anyEvent = fc.record({
  projectId: fc.constantFrom('p', 'q'),
  eventId: fc.constantFrom('e', 'f'),
  writer: fc.constantFrom('w', 'x'),
  receivedAtMs: fc.constantFrom(0, 1, 48 * hour, 48 * hour + 1, 49 * hour, 97 * hour),
  timeMs: fc.integer({ min: 0, max: 3 }),
  hasTimestamp: fc.boolean(),
  phase: fc.constantFrom(phases.before, phases.error, phases.after),
  tags: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom('1', '2', '')),
  fields: fc.dictionary(fc.constantFrom('model', 'error_type'), fc.constantFrom('1', '2')),
  usage: fc.constantFrom([], [1], [2]),
  units: fc.dictionary(fc.constantFrom('images', 'pages'), fc.constantFrom('1', '2')),
  cost: fc.constantFrom(null, '1', '2'),
});
const anyEvents = fc.array(anyEvent, { maxLength: 12 }).map((events) => events.map((one, seq) => ({ ...one, seq })));

test('D4.1: the order in which events are read changes nothing, and each outcome is in one call', () => {
  const merge = (events: readonly LoggedEvent[]) =>
    groupById(events)
      .flatMap(mergeEvents)
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const keyOf = (call: { projectId: string; eventId: string; ordinal: number }) =>
    `${call.projectId} ${call.eventId} ${call.ordinal}`;
  const shuffled = anyEvents.chain((events) =>
    fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length })),
  );
  fc.assert(
    fc.property(shuffled, ([events, others]) => {
      const calls = merge(events);
      expect(merge(others)).toEqual(calls);
      const outcomes = events.filter(({ phase }) => phase !== phases.before).map(({ seq }) => seq);
      const merged = calls.flatMap((call) => call.events).map(({ seq }) => seq);
      expect(new Set(merged).size).toBe(merged.length);
      expect(merged).toEqual(expect.arrayContaining(outcomes));
    }),
    { numRuns: 500 },
  );
});
