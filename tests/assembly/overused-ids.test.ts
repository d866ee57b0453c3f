import { expect, test } from 'vitest';
import { findOverusedIds } from '../../src/calls/assembly/overused-ids.ts';
import { type LoggedEvent, phases } from '../../src/calls/merging/merge.ts';
import { someOf } from '../support/effort.ts';

const toEvents = (eventId: string, first: number, count: number): LoggedEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ projectId: 'prj', eventId, writer: 'wrt', seq: first + index },
    ...{ receivedAtMs: 0, timeMs: 0, hasTimestamp: false, phase: phases.after },
    ...{ tags: {}, fields: {}, usage: [], units: {}, cost: null },
  }));

const cases = [
  { earlier: 0, fresh: 1_000, isTold: false },
  { earlier: 1_000, fresh: 1, isTold: true },
  { earlier: 1_001, fresh: 8_998, isTold: false },
  { earlier: 9_999, fresh: 1, isTold: true },
  { earlier: 0, fresh: 10_000, isTold: true },
  { earlier: 10_000, fresh: 1, isTold: false },
  { earlier: 20_000, fresh: 79_999, isTold: false },
  { earlier: 99_999, fresh: 1, isTold: true },
  { earlier: 100_000, fresh: 2, isTold: false },
];

test.each(someOf(cases, 3))(
  'with $fresh events after $earlier an id is told of: $isTold',
  ({ earlier, fresh, isTold }) => {
    const slice = toEvents('often', earlier + 1, fresh);
    const others = toEvents('once', 1, 2);
    const [first] = slice;
    const id = { projectId: 'prj', eventId: 'often', counted: {}, hasCutTags: false };
    const condensed = first ? [{ ...id, kept: [first] as const, events: earlier + fresh }] : [];

    const told = findOverusedIds({ slice: [...slice, ...others], condensed });

    expect(told).toEqual(isTold ? [{ projectId: 'prj', eventId: 'often', events: earlier + fresh }] : []);
  },
);
