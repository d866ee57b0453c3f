// Of an id with many events, those are kept that decide its calls: the calls are the same in any order, and what is kept
// does not grow.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { condense, PossibleStarts } from '../../src/calls/merging/condense.ts';
import {
  isOutcome,
  type LoggedEvent,
  type MergedCall,
  maxCallTags,
  mergeEvents,
  phases,
} from '../../src/calls/merging/merge.ts';
import { otherUsageField } from '../../src/usage/other-usage.ts';
import { usualOrLong } from '../support/effort.ts';

const hour = 3_600_000;

interface Said {
  readonly writer: string;
  readonly hours: number;
  readonly phase: number;
  readonly timestamp: number | undefined;
  readonly tags: Record<string, string>;
  readonly fields: Record<string, string>;
  readonly usage: number | undefined;
  readonly cost: string | undefined;
}

const someText = fc.constantFrom('a', 'b', 'c', '');
/** Names of models, with details and without, and usage of other models. */
const someFields = fc.record(
  {
    model: fc.constantFrom('m', 'm-2024-08-06', 'm-2025-01-01', 'n', 'n-v2', 'o'),
    error_type: someText,
    provider: someText,
    [otherUsageField]: someText,
  },
  { requiredKeys: [], noNullPrototype: true },
);
const texts = (keys: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...keys), someText, { maxKeys: 3, noNullPrototype: true });

const said: fc.Arbitrary<Said> = fc.record({
  writer: fc.constantFrom('w1', 'w2', 'w3'),
  // Many at the edges of 48 hours.
  hours: fc.oneof(fc.constantFrom(0, 1, 47, 48, 49, 96, 97, 98, 150), fc.integer({ min: 0, max: 200 })),
  phase: fc.constantFrom(phases.before, phases.error, phases.after),
  timestamp: fc.option(fc.integer({ min: -100, max: 200 }), { nil: undefined, freq: 2 }),
  tags: texts(['customer', 'x', 'y', '__proto__']),
  fields: someFields,
  usage: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  cost: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
});

/** The events as writers receive them: the sequences and times of each rise. */
function toEvents(all: readonly Said[]): LoggedEvent[] {
  const seqs = new Map<string, number>();
  return all
    .toSorted((a, b) => a.hours - b.hours)
    .map(({ writer, hours, phase, timestamp, tags, fields, usage, cost }) => {
      const seq = (seqs.get(writer) ?? 0) + 1;
      seqs.set(writer, seq);
      const isMarker = phase === phases.before && fields.provider === 'c';
      return {
        ...{ projectId: 'p', eventId: 'e', writer, seq, receivedAtMs: hours * hour },
        ...{ timeMs: (timestamp ?? hours) * hour, hasTimestamp: timestamp !== undefined, phase, tags },
        fields: isMarker ? { wrapped_call: String(seq) } : fields,
        ...{ usage: usage === undefined ? [] : [usage], units: {}, cost: cost ?? null },
      };
    });
}

/** Cut into batches in which each writer's events keep their order, as assembly meets them. */
function toBatches(events: readonly LoggedEvent[], turns: readonly number[]): LoggedEvent[][] {
  const queues = [...Map.groupBy(events, ({ writer }) => writer).values()].map((ofWriter) => [...ofWriter]);
  const batches: LoggedEvent[][] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const left = queues.filter((queue) => queue.length > 0);
    const take = turns[turn % turns.length] ?? 1;
    batches.push(left[take % left.length]?.splice(0, 1 + (take % 7)) ?? []);
  }
  return batches;
}

const comparable = ({ events: _, outcomeTimesMs: __, isWritten: ___, ...call }: MergedCall) => ({
  ...call,
  tags: new Map(Object.entries(call.tags)),
  fields: new Map(Object.entries(call.fields)),
});

const merge = (events: readonly LoggedEvent[]): MergedCall[] => {
  const [first, ...others] = events;
  return first ? mergeEvents([first, ...others]) : [];
};

/** The day begins at five, as in some timezone. */
const rowOf = (ordinal: number, time: number): string => `${ordinal} ${Math.floor((time - 5 * hour) / (24 * hour))}`;

test('D4.1: condensed in any batches, an id has the calls of all its events, and their rows are where they belong', () => {
  fc.assert(
    fc.property(
      fc.array(said, { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(30), { minLength: 1 }),
      (all, turns) => {
        const seen: LoggedEvent[] = [];
        let kept: readonly LoggedEvent[] = [];
        // The rows as assembly writes them: the ordinals and days of calls.
        const rows = new Set<string>();
        for (const batch of toBatches(toEvents(all), turns)) {
          seen.push(...batch);
          const step = condense([...kept, ...batch]);
          const starts = new PossibleStarts();
          const inOrder = seen.toSorted((a, b) => a.receivedAtMs - b.receivedAtMs || (a.writer < b.writer ? -1 : 1));
          for (const event of inOrder) if (isOutcome(event)) starts.add(event);
          const whole = condense(seen);
          if (!whole) throw new Error('all events can be condensed at once');
          // When the kept events do not suffice, all are read in order.
          const { calls, kept: now } = step ?? {
            kept: whole.kept,
            calls: whole.calls.map((call) => ({ ...call, outcomeTimesMs: starts.list(), isWritten: false })),
          };
          kept = now;
          expect(calls.map(comparable)).toEqual(merge(seen).map(comparable));
          for (const { ordinal, timeMs, outcomeTimesMs, isWritten } of calls) {
            if (isWritten) continue;
            for (const time of outcomeTimesMs) rows.delete(rowOf(ordinal, time));
            rows.add(rowOf(ordinal, timeMs));
          }
          expect(rows).toEqual(new Set(merge(seen).map(({ ordinal, timeMs }) => rowOf(ordinal, timeMs))));
        }
      },
    ),
    { numRuns: usualOrLong(150, 20_000) },
  );
});

const event = (index: number, more: Partial<LoggedEvent> = {}): LoggedEvent => ({
  ...{ projectId: 'p', eventId: 'e', writer: 'w', seq: index + 1, receivedAtMs: index },
  ...{
    timeMs: index,
    hasTimestamp: false,
    phase: phases.after,
    tags: {},
    fields: {},
    usage: [1],
    units: {},
    cost: '1',
  },
  ...more,
});

test('what is kept of an id does not grow with its events', () => {
  const all = Array.from({ length: 20_000 }, (_, index) => event(index, { tags: { [`t${index % 5}`]: `${index}` } }));
  const kept = condense(all)?.kept ?? [];
  expect(kept.length).toBeLessThan(12);
  expect(merge(kept).map(comparable)).toEqual(merge(all).map(comparable));
});

test('D4.4: a call keeps the tags that name a dimension and the first of the others, in whatever order they come', () => {
  const many = (from: number) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`t${1_000 + from + i}`, 'x']));
  const all = Array.from({ length: 30 }, (_, index) => event(index, { tags: many(2_900 - index * 100) }));
  all.push(event(30, { tags: { zone: 'last', user: 'Ada', customer: 'Acme' } }));
  const whole = condense(all);
  let steps: readonly LoggedEvent[] = [];
  for (const next of all) steps = condense([...steps, next])?.kept ?? [];
  const [tags = {}] = merge(steps).map((call) => call.tags);
  expect(Object.keys(tags)).toHaveLength(maxCallTags);
  expect(tags).toMatchObject({ customer: 'Acme', user: 'Ada', t1000: 'x' });
  expect(tags).not.toHaveProperty('zone');
  expect(merge(all).map(comparable)).toEqual(merge(steps).map(comparable));
  expect(whole?.hasCutTags).toBe(true);
});
