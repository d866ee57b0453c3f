import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, addMonths, countDays, daysOfMonth, todayIn, weekdayOf } from '../../dashboard/src/lib/days.ts';
import { isDay } from '../../dashboard/src/lib/is-day.ts';
import { toCarried } from '../../dashboard/src/places.ts';
import { parseSearch } from '../../dashboard/src/state/search.ts';
import { resolveDays, resolveGranularity, toLasting } from '../../dashboard/src/state/shown-days.ts';

test('the state written to an address is read back unchanged', () => {
  const search = {
    project: 'prj_1',
    from: '2026-10-01',
    to: '2026-10-31',
    every: 'week',
    by: 'feature',
    credits: true,
    shared: true,
    customers: ['', 'a/b', 'ü'],
    models: ['gpt-4o'],
    ctags: { plan: ['pro', 'team'] },
    sort: '-cost',
    columns: { calls: ['time', 'cost'] },
    view: 'Who loses',
  };
  expect(parseSearch(JSON.parse(JSON.stringify(search)))).toEqual(parseSearch(search));
  expect(parseSearch(search)).toMatchObject(search);
});

test('D25: a link that is copied shows the same days and periods later, and all else as it is', () => {
  const search = parseSearch({
    range: '4w',
    by: 'feature',
    table: ['changes', 'nothing'],
    kind: 'budget',
    way: 'curl',
  });
  expect(search.table).toEqual(['changes']);
  const days = { from: '2026-10-01', to: '2026-10-28' };
  const lasting = parseSearch(JSON.parse(JSON.stringify(toLasting(search, days, 'day'))));
  expect(lasting).toEqual({ ...search, range: undefined, ...days, every: 'day' });
  expect(resolveDays(lasting, 'UTC')).toEqual(days);
  // A month that has begun ends today.
  expect(resolveDays({ from: days.from, to: '2999-12-31' }, 'UTC').to).toBe(todayIn('UTC'));
});

test('D25: a link to another page keeps the days that were chosen, and not those that a page began with', () => {
  const keep = (to: string, at: string, search: object) => {
    const { range, from, by } = toCarried(to, at)(parseSearch({ ...search, by: 'feature' }));
    return [range, from, by];
  };
  expect(keep('/plans', '/', { range: '7d' })).toEqual(['13w', undefined, 'feature']);
  expect(keep('/', '/plans', { range: '13w' })).toEqual([undefined, undefined, 'feature']);
  expect(keep('/', '/plans', { range: 'ytd' })).toEqual(['ytd', undefined, 'feature']);
  expect(keep('/customers', '/report', { range: 'lm' })).toEqual([undefined, undefined, 'feature']);
  expect(keep('/', '/report', { from: '2026-10-01', to: '2026-10-31' })).toEqual([undefined, '2026-10-01', 'feature']);
  expect(keep('/', '/customers', { range: '13w' })).toEqual(['13w', undefined, 'feature']);
});

test('invalid parts of an address are ignored', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('range', 'from', 'to', 'every', 'by', 'customers', 'ctags', 'q'), fc.anything()),
      (raw) => {
        const days = resolveDays(parseSearch(raw), 'Europe/Berlin');
        expect(days.from <= days.to).toBe(true);
        expect(countDays(days.from, days.to)).toBeGreaterThan(0);
      },
    ),
  );
  expect(
    parseSearch({ from: '2026-02-31', to: '2026-03-31', every: 'all', by: 'user', customers: [], range: 'toString' }),
  ).toEqual(parseSearch({}));
  expect(
    parseSearch({ every: { toString: 0 }, by: { toString: 0 }, customers: [{ toString: 0 }], ctags: { plan: [{}] } }),
  ).toEqual(parseSearch({}));
  expect(parseSearch({ from: '2026-03-02', to: '2026-03-01' })).toEqual(parseSearch({}));
});

test('a month has all its days and the right first weekday, and adding months keeps the day or takes the last of a shorter month', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_000, max: 30_000 }), fc.integer({ min: -30, max: 30 }), (start, months) => {
      const day = addDays('2000-01-01', start);
      const days = daysOfMonth(day);
      expect(days[0]).toBe(`${day.slice(0, 7)}-01`);
      expect(addDays(days.at(-1) ?? '', 1).slice(8)).toBe('01');
      expect(days).toContain(day);
      const other = addMonths(day, months);
      expect(isDay(other)).toBe(true);
      expect(Number(other.slice(8))).toBeLessThanOrEqual(Number(day.slice(8)));
    }),
  );
  expect([addMonths('2026-01-31', 1), addMonths('2024-01-31', 1), addMonths('2026-03-15', -3)]).toEqual([
    '2026-02-28',
    '2024-02-29',
    '2025-12-15',
  ]);
  expect([weekdayOf('2026-11-16'), weekdayOf('2026-11-22')]).toEqual([1, 7]);
});

test('long ranges are shown by week and by month, unless the address says otherwise', () => {
  const granularityOf = (from: string, to: string, every?: string) =>
    resolveGranularity(parseSearch({ every }), { from, to });
  expect(granularityOf('2026-01-01', '2026-03-31')).toBe('day');
  expect(granularityOf('2026-01-01', '2026-12-31')).toBe('week');
  expect(granularityOf('2020-01-01', '2026-12-31')).toBe('month');
  expect(granularityOf('2020-01-01', '2026-12-31', 'year')).toBe('year');
});
