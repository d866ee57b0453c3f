import { expect, test } from 'vitest';
import { type LoggedEvent, type MergedCall, mergeEvents, phases } from '../../src/calls/assembly/merge.ts';
import { findOverusedIds } from '../../src/calls/assembly/overused-ids.ts';
import { drawOf } from '../support/draw.ts';

const toEvents = (eventId: string, first: number, count: number): LoggedEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ projectId: 'prj', eventId, writer: 'wrt', seq: first + index },
    ...{ receivedAtMs: 0, timeMs: 0, hasTimestamp: false, phase: phases.after },
    ...{ tags: {}, fields: {}, usage: [], units: {}, cost: null },
  }));

const toCalls = (events: readonly LoggedEvent[]): MergedCall[] => {
  const [first, ...others] = events;
  return first ? mergeEvents([first, ...others]) : [];
};

const cases = [
  { earlier: 0, fresh: 9_999, isTold: false },
  { earlier: 9_999, fresh: 1, isTold: true },
  { earlier: 0, fresh: 10_000, isTold: true },
  { earlier: 10_000, fresh: 1, isTold: false },
  { earlier: 20_000, fresh: 79_999, isTold: false },
  { earlier: 99_999, fresh: 1, isTold: true },
  { earlier: 100_000, fresh: 2, isTold: false },
];

test.each(drawOf(cases, 3))(
  'with $fresh events after $earlier an id is told of: $isTold',
  ({ earlier, fresh, isTold }) => {
    const slice = toEvents('often', earlier + 1, fresh);
    const others = toEvents('once', 1, 2);
    const calls = [...toCalls([...toEvents('often', 1, earlier), ...slice]), ...toCalls(others)];

    const told = findOverusedIds({ slice: [...slice, ...others], calls });

    expect(told).toEqual(isTold ? [{ projectId: 'prj', eventId: 'often', events: earlier + fresh }] : []);
  },
);
