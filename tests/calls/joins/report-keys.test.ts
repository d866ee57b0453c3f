// What the holder of the lease remembers of the keys of reports spares look-ups, and never one that would find something.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  hourOfRow,
  type Key,
  type KeyRow,
  type Kind,
  kinds,
  mayBeOne,
  rowsOfKey,
} from '../../../src/calls/joins/keys.ts';
import { ReportKeys } from '../../../src/calls/joins/report-keys.ts';
import { usualOrLong } from '../../support/effort.ts';

type Own = Key & { readonly projectId: string; readonly eventId: string };

const hour = 3_600_000;
const startOfLog = Date.UTC(2026, 4, 1);

/** Few keys at few times, so that many meet: also traces that differ in one part of their names. */
const key: fc.Arbitrary<Own> = fc
  .record({
    kind: fc.constantFrom<Kind>(...kinds),
    digit: fc.constantFrom('0', '1', '2'),
    place: fc.nat({ max: 31 }),
    scope: fc.constantFrom('one', 'other'),
    projectId: fc.constantFrom('p', 'q'),
    eventId: fc.constantFrom('x', 'y', 'z'),
    atMs: fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 3 * 60_000 }), fc.nat({ max: 120 * hour })),
    lastsMs: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3 * hour })),
  })
  .map(({ digit, place, atMs, lastsMs, ...rest }) => {
    const hex = '0'.repeat(place) + digit + '0'.repeat(31 - place);
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    const startMs = startOfLog + atMs;
    return { ...rest, key: parts.join('-'), startMs, endMs: startMs + lastsMs };
  });

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('note' as const), keys: fc.array(key, { maxLength: 4 }) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('seek' as const), keys: fc.array(key, { maxLength: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('change holders' as const), keys: fc.array(key, { maxLength: 2 }) }),
  },
);

test('D27.6: a key has a row in each hour from its start to its end, so that what is inside finds it', () => {
  const [startMs, endMs] = [startOfLog + 0.5 * hour, startOfLog + 3.2 * hour];
  const rows = rowsOfKey({ ...{ kind: 'trace', key: 'k', scope: '', projectId: 'p', eventId: 'x' }, startMs, endMs });
  expect(rows.map((row) => hourOfRow(row) - startOfLog / hour).sort()).toEqual([0, 1, 2, 3]);
});

test('D27.6: a key is sought wherever a report may have it, whoever noted it, whatever is forgotten', async () => {
  let spared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 12 }), async (steps, most) => {
      const table: KeyRow[] = [];
      const lease = { epoch: 1 };
      const store = {
        insertRows: async (_: string, __: unknown, rows: readonly unknown[]) => void table.push(...(rows as KeyRow[])),
      };
      const select = async <Row>({ parameters }: { readonly parameters: Readonly<Record<string, unknown>> }) => {
        const ofHours = table.filter((row) => hourOfRow(row) >= Number(parameters.hour));
        const last = [...Map.groupBy(ofHours, ({ kind }) => kind)].map(([kind, rows]) => ({
          kind,
          endMs: Math.max(...rows.map(({ endMs }) => endMs)),
        }));
        return last as Row[];
      };
      const reportKeys = new ReportKeys(store, lease, most);
      for (const { does, keys } of steps) {
        const rows = keys.flatMap(rowsOfKey);
        if (does === 'note') await reportKeys.note(rows);
        else if (does === 'change holders') {
          table.push(...rows);
          lease.epoch += 1;
        } else {
          const sought = await reportKeys.mayHave(select, keys);
          const isFound = (own: Own) =>
            table.some(
              (row) =>
                row.kind === own.kind && row.projectId === own.projectId && row.key === own.key && mayBeOne(own, row),
            );
          expect(sought).toEqual(keys.filter((own) => sought.includes(own)));
          expect(keys.filter((own) => isFound(own) && !sought.includes(own))).toEqual([]);
          spared += keys.length - sought.length;
        }
      }
    }),
    { numRuns: usualOrLong(300, 5_000) },
  );
  expect(spared).toBeGreaterThan(0);
});
