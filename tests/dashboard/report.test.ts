import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addUp, rankRows } from '../../dashboard/src/report/shares.ts';

test('D25: a ranking lists the largest rows, and all others together, of which there are at least two', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100)), fc.integer({ min: 1, max: 8 }), (rows, most) => {
      const { listed, others } = rankRows(rows, (row) => row, most);
      expect([...listed, ...others].toSorted()).toEqual(rows.toSorted());
      expect(others.length === 0 || others.length >= 2).toBe(true);
      expect(listed.length).toBeLessThanOrEqual(most + 1);
      expect(Math.min(...listed, 100)).toBeGreaterThanOrEqual(Math.max(...others, 0));
      expect(addUp(listed, (row) => row) + addUp(others, (row) => row)).toBe(addUp(rows, (row) => row));
    }),
  );
});
