import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, countDays } from '../../dashboard/src/lib/days.ts';
import { daysBefore, parseSearch, resolveDays, resolveGranularity } from '../../dashboard/src/state/search.ts';

test('what stands in an address is read again as it was', () => {
  const search = {
    project: 'prj_1',
    from: '2026-10-01',
    to: '2026-10-31',
    every: 'week',
    by: 'feature',
    credits: true,
    customers: ['', 'a/b', 'ü'],
    models: ['gpt-4o'],
    ctags: { plan: ['pro', 'team'] },
    sort: '-cost',
  };
  expect(parseSearch(JSON.parse(JSON.stringify(search)))).toEqual(parseSearch(search));
  expect(parseSearch(search)).toMatchObject(search);
});

test('whatever is typed into an address, what can not be understood is left out', () => {
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
  expect(parseSearch({ from: '2026-03-02', to: '2026-03-01' })).toEqual(parseSearch({}));
});

test('the period before is as long, and ends the day before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 3_659 }), (start, length) => {
      const from = addDays('2000-01-01', start);
      const days = { from, to: addDays(from, length) };
      const before = daysBefore(days);
      expect(countDays(before.from, before.to)).toBe(length + 1);
      expect(addDays(before.to, 1)).toBe(from);
    }),
  );
});

test('long ranges are shown by week and by month, unless the address says otherwise', () => {
  const granularityOf = (from: string, to: string, every?: string) =>
    resolveGranularity(parseSearch({ every }), { from, to });
  expect(granularityOf('2026-01-01', '2026-03-31')).toBe('day');
  expect(granularityOf('2026-01-01', '2026-12-31')).toBe('week');
  expect(granularityOf('2020-01-01', '2026-12-31')).toBe('month');
  expect(granularityOf('2020-01-01', '2026-12-31', 'year')).toBe('year');
});
