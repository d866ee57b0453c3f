// Open calls (D2): begun, without an outcome later or up to 48 hours before.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, startOfDay, toDay, toDayNumber } from '../../src/lib/days.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { runCoverage } from '../../src/reports/coverage/run.ts';
import { selectOpenCalls } from '../../src/reports/coverage/sql.ts';
import { noteAllIds } from '../../src/rollups/repair/event-ids.ts';
import { usualOrLong } from '../support/effort.ts';
import type { Json } from './model.ts';
import {
  assembleAll,
  base,
  deliver,
  hour,
  minute,
  newEventId,
  openWorldForEachTest,
  timezone,
  type World,
  Writer,
} from './world.ts';

let world: World;
await openWorldForEachTest((opened) => {
  world = opened;
});

const firstDay = toDay(toDayNumber('2026-01-29'));
const days = Array.from({ length: 10 }, (_, index) => addDays(firstDay, index));

async function countOpen(dateFrom = firstDay, dateTo = days.at(-1) ?? firstDay): Promise<number> {
  const { projectId, store } = world;
  const stretch = { fromMs: startOfDay(timezone, dateFrom), toMs: startOfDay(timezone, addDays(dateTo, 1)) };
  const { sql, parameters } = selectOpenCalls(projectId, stretch);
  const [row] = await store.select<{ open_calls: string }>(sql, parameters);
  return Number(row?.open_calls);
}

/** The same as coverage tells it. */
async function readCoverage(): Promise<number> {
  const { control, clock, projects, projectId, store } = world;
  const priceBooks = new PriceBooks(control, () => clock.now);
  const project = await projects.find(projectId);
  if (!project) throw new Error('there is no project');
  const range = { dateFrom: firstDay, dateTo: days.at(-1) ?? firstDay };
  return (await runCoverage(project, range, { store, control, priceBooks })).open_calls;
}

const kinds = ['before', 'after', 'error', 'custom', 'marker'] as const;

interface Received {
  /** The number of the event's id. */
  readonly id: number;
  readonly kind: (typeof kinds)[number];
  /** Since the start, in milliseconds. */
  readonly atMs: number;
}

function toEvent(eventId: string, kind: Received['kind']): Json {
  if (kind === 'marker') {
    return { event_id: eventId, event_type: 'farthing.span.before', origin: { trace: 't', span: 's' } };
  }
  return { event_id: eventId, event_type: kind === 'custom' ? 'ticket.closed' : `chat.${kind}` };
}

/** The hour of a time, counted from 1970. */
const hourOf = (timeMs: number): number => Math.floor((base + timeMs) / hour);

/** The definition, event by event. */
function isOpen(events: readonly Received[]): boolean {
  const begun = events.filter(({ kind }) => kind === 'before').map(({ atMs }) => atMs);
  if (begun.length === 0) return false;
  const last = Math.max(...begun);
  return !events.some(
    ({ kind, atMs }) => (kind === 'after' || kind === 'error') && hourOf(atMs + 48 * hour) >= hourOf(last),
  );
}

const received = fc.record({
  id: fc.nat(7),
  kind: fc.constantFrom(...kinds, 'before' as const, 'after' as const),
  atMs: fc.oneof(
    fc.nat(7 * 24 * 60).map((minutes) => minutes * minute),
    fc.nat(3 * hour),
    fc.constant(48 * hour),
  ),
});

/** A `.before` so many hours after an outcome. */
const beforeAfterOutcome = (hours: number): Received[] => [
  { id: 0, kind: 'after', atMs: 0 },
  { id: 0, kind: 'before', atMs: hours * hour },
];

test('D2: a call is open until an outcome comes, in whatever batches its events come, and on one day', async () => {
  let start = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(received, { minLength: 1, maxLength: 40 }),
      fc.uniqueArray(fc.nat(40), { maxLength: 4 }),
      async (events, cuts) => {
        const before = await countOpen();
        const ids = Array.from({ length: 8 }, newEventId);
        const writer = new Writer(`wrt_${start}`);
        start += 1;
        const log = events
          .toSorted((a, b) => a.atMs - b.atMs)
          .map(({ id, kind, atMs }) => writer.receive(base + atMs, toEvent(ids[id] ?? '', kind)));
        const ends = [...cuts.filter((cut) => cut < log.length).sort((a, b) => a - b), log.length];
        let from = 0;
        for (const to of ends) {
          await deliver(world, log.slice(from, to));
          await assembleAll(world);
          from = to;
        }
        const expected = ids.filter((_, number) => isOpen(events.filter(({ id }) => id === number))).length;
        expect((await countOpen()) - before).toBe(expected);
      },
    ),
    {
      numRuns: usualOrLong(4, 60),
      unbiased: true,
      examples: [48, 49].map((hours) => [beforeAfterOutcome(hours), [1]]),
    },
  );
  const total = await countOpen();
  expect(total).toBeGreaterThan(0);
  expect(await readCoverage()).toBe(total);
  const byDay = await Promise.all(days.map(async (day) => await countOpen(day, day)));
  expect(byDay.reduce((sum, count) => sum + count)).toBe(total);

  // Recorded anew from the log, by statements over a day each.
  const { store } = world;
  await store.command('TRUNCATE TABLE event_ids');
  expect(await countOpen()).toBe(0);
  await noteAllIds(store);
  expect(await Promise.all(days.map(async (day) => await countOpen(day, day)))).toEqual(byDay);
});
