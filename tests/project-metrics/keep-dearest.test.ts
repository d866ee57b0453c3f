import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addFigures, type Figures, keepDearest, noFigures } from '../../src/alerting/project-metrics/figures.ts';

// Few amounts, so that many are equal.
const figures: fc.Arbitrary<Figures> = fc.record({
  cost: fc.bigInt({ min: 0n, max: 5n }),
  calls: fc.integer({ min: 0, max: 3 }),
  errors: fc.integer({ min: 0, max: 3 }),
  unpricedCalls: fc.integer({ min: 0, max: 3 }),
});
const byValue = fc
  .uniqueArray(fc.tuple(fc.string({ maxLength: 3, unit: 'binary' }), figures), {
    selector: ([value]) => value,
    maxLength: 20,
  })
  .map((entries) => new Map(entries));
const sum = (all: Iterable<Figures>): Figures => [...all].reduce(addFigures, noFigures);

test('D24.4: the named values are the dearest, and with the rest they add up to all', () => {
  fc.assert(
    fc.property(byValue, fc.integer({ min: 0, max: 25 }), (all, most) => {
      const { named, rest } = keepDearest(all, most);
      const names = new Set(named.map(([value]) => value));
      expect(named.length).toBe(Math.min(most, all.size));
      expect(names.size).toBe(named.length);
      for (const [value, kept] of named) expect(all.get(value)).toBe(kept);

      const others = [...all].filter(([value]) => !names.has(value)).map(([, one]) => one);
      expect(rest).toEqual(others.length === 0 ? undefined : sum(others));
      expect(addFigures(sum(named.map(([, one]) => one)), rest ?? noFigures)).toEqual(sum(all.values()));

      for (const [, { cost }] of named) expect(others.filter((other) => other.cost > cost)).toEqual([]);
    }),
  );
});

test('D24.4: which values are named does not depend on the order in which they are read', () => {
  fc.assert(
    fc.property(byValue, fc.integer({ min: 0, max: 20 }), (all, most) => {
      const backwards = new Map([...all].toReversed());
      expect(keepDearest(backwards, most)).toEqual(keepDearest(all, most));
    }),
  );
});
