import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CustomerCosts, calcCliff } from '../../src/billing/credits/cliff/calc-cliff.ts';
import { widen } from '../../src/lib/money.ts';

const usd = fc.integer({ min: 0, max: 50 }).map((amount) => widen(BigInt(amount) * 10n ** 12n));
const customers: fc.Arbitrary<CustomerCosts[]> = fc.uniqueArray(
  fc
    .record({ customer: fc.string({ maxLength: 3 }), revenue: usd, net: usd, covered: usd })
    .map(({ covered, net, ...one }) => ({
      ...one,
      net,
      gross: net + covered,
      covers: [{ endsOn: '2026-12-19', amount: covered }],
    })),
  { selector: ({ customer }) => customer, maxLength: 20 },
);

test('D25: customers and others add up to the whole, and those that turn come first', () => {
  fc.assert(
    fc.property(customers, fc.integer({ min: 1, max: 25 }), (all, limit) => {
      const cliff = calcCliff(all, limit);
      expect(cliff.customers).toHaveLength(Math.min(all.length, limit));
      expect(cliff.others.count).toBe(Math.max(all.length - limit, 0));
      for (const side of ['now', 'after'] as const) {
        for (const amount of ['revenue', 'cost', 'margin'] as const) {
          const parts = [...cliff.customers, cliff.others].reduce((sum, one) => sum + one[side][amount], 0);
          expect(parts).toBeCloseTo(cliff[side][amount], 9);
        }
      }
      for (const one of cliff.customers) {
        expect(one.turns).toBe(one.now.margin >= 0 && one.after.margin < 0);
        expect(one.turns_on).toBe(one.turns ? '2026-12-19' : null);
      }
      const turning = all.filter(({ revenue, net, gross }) => revenue >= net && revenue < gross).length;
      expect(cliff.customers.filter(({ turns }) => turns).length + cliff.others.turns).toBe(turning);
      const turns = cliff.customers.map((one) => one.turns);
      expect(turns).toEqual(turns.toSorted((a, b) => Number(b) - Number(a)));
      const losses = cliff.customers.filter((one) => one.turns).map(({ after }) => after.margin);
      expect(losses).toEqual(losses.toSorted((a, b) => a - b));
    }),
  );
});

test('D25: a customer turns with the credits that it cannot do without, whenever those of other providers end', () => {
  const one = { customer: 'acme', revenue: widen(30n), net: widen(10n) };
  const turnsOn = (...covers: readonly [endsOn: string | null, amount: bigint][]) =>
    calcCliff(
      [
        {
          ...one,
          gross: covers.reduce((sum, [, amount]) => sum + widen(amount), one.net),
          covers: covers.map(([endsOn, amount]) => ({ endsOn, amount: widen(amount) })),
        },
      ],
      1,
    ).customers[0]?.turns_on;
  expect(turnsOn(['2026-12-01', 15n], ['2026-12-19', 15n])).toBe('2026-12-19');
  expect(turnsOn(['2026-12-01', 25n], ['2026-12-19', 15n])).toBe('2026-12-01');
  // Credits that have ended, and those without a known end.
  expect(turnsOn([null, 25n], ['2026-12-19', 15n])).toBeNull();
  expect(turnsOn(['2026-12-01', 5n], [null, 25n])).toBeNull();
  expect(turnsOn(['2026-12-01', 20n])).toBeNull();
});
