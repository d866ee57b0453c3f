// Which parts are lost, and how that is reported.
import { expect, test } from 'vitest';
import { findMissing, isReplaced, type KnownParts } from '../../src/rollups/repair/known-parts.ts';
import { dayPrefixOf, describe, partitionOf } from '../../src/rollups/repair/lost-parts.ts';

const part = (first: number, last: number, name = `202605_${first}_${last}_1`) => ({
  name,
  partition: '202605',
  first,
  last,
});
const known = (parts: ReturnType<typeof part>[], mutation = 0, table = 'events'): KnownParts => ({
  tables: { [table]: { mutation, parts } },
});
const isRollup = (table: string) => table === 'cells';

test('a part is missing when no part has its rows, however parts were merged', () => {
  const before = known([part(1, 1), part(2, 2), part(3, 6)]);
  expect(findMissing(before, known([part(1, 2), part(3, 6)]), isRollup)).toEqual([]);
  expect(findMissing(before, known([part(1, 9)]), isRollup)).toEqual([]);
  expect(findMissing(known([part(1, 6)]), known([part(1, 2), part(3, 6)]), isRollup)).toEqual([]);
  expect(findMissing(before, known([part(1, 2)]), isRollup)).toEqual([
    { table: 'events', name: '202605_3_6_1', how: 'missing' },
  ]);
  expect(findMissing(before, { tables: {} }, isRollup)).toHaveLength(3);
});

test('a part may be gone because all its rows were deleted; rollups are made again rather than believed', () => {
  expect(findMissing(known([part(1, 1)]), known([], 7), isRollup)).toEqual([]);
  expect(findMissing(known([part(1, 1)], 7), known([], 7), isRollup)).toHaveLength(1);
  expect(findMissing(known([part(1, 1)], 0, 'cells'), known([], 7, 'cells'), isRollup)).toHaveLength(1);
});

test('a broken part is no loss when what it was merged of is there, or what was merged of it', () => {
  expect(isReplaced(part(1, 6), [part(1, 2), part(3, 6)])).toBe(true);
  expect(isReplaced(part(2, 2), [part(1, 6)])).toBe(true);
  expect(isReplaced(part(1, 6), [part(7, 7)])).toBe(false);
  // Some of what it was merged of is not enough.
  expect(isReplaced(part(1, 6), [part(1, 2)])).toBe(false);
  expect(isReplaced(part(1, 6), [part(3, 6)])).toBe(false);
  // An INSERT that failed has left out a number.
  expect(isReplaced(part(1, 6), [part(5, 6), part(1, 3)])).toBe(true);
  expect(isReplaced(part(3, 6), [part(1, 4), part(5, 9)])).toBe(true);
  expect(isReplaced(part(1, 6), [{ ...part(1, 2), partition: '202606' }])).toBe(false);
});

test.each([
  ['202605_1_5_1', '202605', '2026-05-'],
  ['broken-on-start_202605_1_5_1', '202605', '2026-05-'],
  ['2026_1_5_1_12', '2026', '2026-'],
  ['broken-on-start_all_1_6_1', 'all', ''],
  ['covered-by-broken_202605_1_5_1_try1', '202605', '2026-05-'],
])('the days of part %s', (name, partition, prefix) => {
  expect(partitionOf({ name })).toBe(partition);
  expect(dayPrefixOf({ name })).toBe(prefix);
});

test('D11.3: the report of a part names its table, the loss and the remedy, and no project', () => {
  const name = '202605_1_5_1';
  expect(describe({ table: 'events', name, how: 'broken' }, undefined)).toMatch(
    /^part 202605_1_5_1 of events is broken and was set aside: events received in 2026-05 are missing.*restore a backup$/,
  );
  expect(describe({ table: 'cells', name, how: 'missing' }, undefined)).toMatch(
    /is gone: its days are rolled up again$/,
  );
  expect(describe({ table: 'cells', name, how: 'missing' }, 'frozen days')).toMatch(
    /beyond retention.*restore a backup$/,
  );
  expect(describe({ table: 'calls', name, how: 'broken' }, undefined)).toMatch(/rebuilt from the events/);
  expect(describe({ table: 'calls', name, how: 'broken' }, 'lost events')).toMatch(/events are missing too/);
  expect(describe({ table: 'calls', name, how: 'broken' }, 'failed')).toMatch(/has failed/);
  expect(describe({ table: 'late_events', name, how: 'broken' }, undefined)).toMatch(/restore a backup$/);
});
