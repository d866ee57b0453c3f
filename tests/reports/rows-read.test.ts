// What is known of the rows of a range before they are read, from its open and sealed days.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Generations } from '../../src/calls/generations.ts';
import { readCells, resolveRowsOfCalls, resolveRowsRead } from '../../src/reports/asking/cells.ts';

const days = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'];
/** Each day has no calls, or is open or sealed. */
const states = fc.array(fc.constantFrom('none', 'open', 'sealed'), { minLength: 5, maxLength: 5 });

test('rows are none only where no day of the range has calls, and settled only where all days with calls are sealed', () => {
  fc.assert(
    fc.property(states, fc.nat({ max: 4 }), fc.nat({ max: 4 }), (stateOfDay, one, other) => {
      const listOf = (state: string) => days.filter((_day, at) => stateOfDay[at] === state);
      const generations: Generations = {
        ...{ timezone: 'UTC', base: 0, byDay: new Map(), frozenBefore: undefined },
        seals: new Map(listOf('sealed').map((day, at) => [day, at + 1])),
        openDays: listOf('open'),
      };
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const scope = {
        projectId: 'prj_1',
        period: { dateFrom: days[from] ?? '', dateTo: days[to] ?? '' },
        generations,
      };
      const asked = stateOfDay.slice(from, to + 1);
      const isNone = asked.every((state) => state === 'none');
      const expected = asked.includes('open') ? 'changing' : isNone ? 'none' : 'settled';
      expect(resolveRowsRead(scope)).toBe(expected);
      expect(readCells(scope, { grain: 'customer', measures: ['cost'], filters: [] }).rows).toBe(expected);
      expect(resolveRowsOfCalls(scope)).toBe(isNone ? 'none' : 'changing');
    }),
    { numRuns: 300 },
  );
});
