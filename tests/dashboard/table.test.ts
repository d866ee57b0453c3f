import fc from 'fast-check';
import { expect, test } from 'vitest';
import { moveByKey } from '../../dashboard/src/charts/move.ts';
import { calcRowWindow, rowHeight } from '../../dashboard/src/lib/row-window.ts';
import { nameEvents } from '../../dashboard/src/live/names.ts';

test('the document holds all visible rows and few others', () => {
  fc.assert(
    fc.property(fc.nat(200_000), fc.nat(10_000_000), fc.integer({ min: 100, max: 3_000 }), (count, offset, height) => {
      const scrolled = Math.min(offset, Math.max(0, count * rowHeight - height));
      const { first, last } = calcRowWindow(count, scrolled, height);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(first).toBeLessThanOrEqual(Math.floor(scrolled / rowHeight));
      expect(last).toBeGreaterThanOrEqual(Math.min(count, Math.ceil((scrolled + height) / rowHeight)));
      expect(last).toBeLessThanOrEqual(count);
      expect(last - first).toBeLessThanOrEqual(Math.max(30, Math.ceil(height / rowHeight) + 60));
    }),
  );
});

test('an event posted twice in one millisecond is two rows', () => {
  const event = () => ({
    received_at: '2026-11-20T14:03:26.270Z',
    client_id: 'c',
    event: { event_id: 'e', event_type: 't', tags: {} },
  });
  const rows = [event(), event(), { ...event(), event: { event_id: 'et', event_type: '' } }];
  const names = nameEvents(rows);
  expect(new Set(rows.map((row) => names.get(row))).size).toBe(3);
  // Newer events are added on top; the keys of the existing rows stay the same.
  const later = nameEvents([{ ...event(), received_at: '2026-11-20T14:03:27.000Z' }, ...rows]);
  expect(rows.map((row) => later.get(row))).toEqual(rows.map((row) => names.get(row)));
});

test('arrow keys move by one period and stop at the ends', () => {
  expect(['ArrowRight', 'ArrowLeft', 'Home', 'End'].map((key) => moveByKey(key, 3, 5))).toEqual([4, 2, 0, 4]);
  expect([moveByKey('ArrowRight', 4, 5), moveByKey('ArrowLeft', 0, 5)]).toEqual([4, 0]);
  expect([moveByKey('ArrowRight', undefined, 5), moveByKey('ArrowLeft', undefined, 5)]).toEqual([0, 4]);
  expect(moveByKey('a', 3, 5)).toBeUndefined();
});
