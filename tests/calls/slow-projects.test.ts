// docs/decisions/0032: which projects of a batch are assembled apart, so that others need not wait for them.
import { expect, test } from 'vitest';
import { findSlowProjects } from '../../src/calls/assembly/slow-projects.ts';
import { type LoggedEvent, phases } from '../../src/calls/merging/merge.ts';

const monthMs = 31 * 86_400_000;
const awaited = () => true;
const unasked = () => false;

const eventsOf = (projectId: string, count: number, phase: number = phases.after, everyMs = 0): LoggedEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ projectId, eventId: `${projectId}-${index}`, writer: 'w', seq: index + 1, receivedAtMs: 0, phase },
    ...{ timeMs: index * everyMs, hasTimestamp: true, tags: {}, fields: {}, usage: [], units: {}, cost: null },
  }));

const names = (events: readonly LoggedEvent[], isAwaited: () => boolean) => [...findSlowProjects(events, isAwaited)];

test('a flood is slow where it must make way, and only there', () => {
  const events = [...eventsOf('flood', 501), ...eventsOf('calm', 3)];
  expect(names(events, awaited)).toEqual(['flood']);
  expect(names(events, unasked)).toEqual([]);
  expect(names(eventsOf('flood', 10_000), awaited)).toEqual([]);
});

test('a few events with much text are a flood, too', () => {
  const wide = eventsOf('wide', 20).map((event) => ({ ...event, tags: { note: 'x'.repeat(25_000) } }));
  expect(names([...wide, ...eventsOf('calm', 3)], awaited)).toEqual(['wide']);
  expect(names([...wide.slice(1), ...eventsOf('calm', 3)], awaited)).toEqual([]);
});

test('few events, or fewer than all others have, are no flood', () => {
  expect(names([...eventsOf('a', 500), ...eventsOf('b', 1)], awaited)).toEqual([]);
  expect(names([...eventsOf('a', 600), ...eventsOf('b', 600)], awaited)).toEqual([]);
});

test('calls of more than 24 months are slow beside others, whoever waits; custom events are no calls', () => {
  const calm = eventsOf('calm', 3);
  expect(names([...eventsOf('ages', 25, phases.after, monthMs), ...calm], unasked)).toEqual(['ages']);
  expect(names([...eventsOf('ages', 24, phases.after, monthMs), ...calm], unasked)).toEqual([]);
  expect(names([...eventsOf('ages', 25, phases.custom, monthMs), ...calm], unasked)).toEqual([]);
});
