// The parts of a drift, against sums of both sides (D19.2, src/billing/closes/drift/README.md).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attributeCalls, type CallPairs, type PlacedCost } from '../../src/billing/closes/drift/attribute-calls.ts';
import { attributeCells, attributeCredits, type CellSums } from '../../src/billing/closes/drift/attribute-cells.ts';
import { attributeRevenue, findChangedEntries } from '../../src/billing/closes/drift/attribute-revenue.ts';
import {
  compareRows,
  type DriftPart,
  DriftSums,
  driftAmounts,
  driftGroups,
} from '../../src/billing/closes/drift/drift-part.ts';
import { listDays, toDayNumber } from '../../src/lib/days.ts';
import { widen } from '../../src/lib/money.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { allocate } from '../../src/reports/facts/allocation.ts';
import type { CustomerAllocation } from '../../src/reports/facts/allocations.ts';
import { usualOrLong } from '../support/effort.ts';

const days = listDays('2026-01-01', '2026-01-05');
const customers = ['', 'a', 'ﬁ', '😀'];
const placed: fc.Arbitrary<PlacedCost> = fc.record({
  day: fc.constantFrom(...days),
  customer: fc.constantFrom(...customers),
  cost: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 34n }),
});

const pairs: fc.Arbitrary<CallPairs> = fc.record({
  pinned: fc.option(placed, { nil: undefined }),
  current: fc.option(placed, { nil: undefined }),
  isErased: fc.boolean(),
  isOverEdge: fc.boolean(),
  hasSameTime: fc.boolean(),
  hasSameUsage: fc.boolean(),
  hasSameBook: fc.boolean(),
  isReread: fc.boolean(),
});

const sums: fc.Arbitrary<CellSums> = fc
  .tuple(placed, fc.nat(3), fc.bigInt({ min: 0n, max: 10n ** 30n }))
  .map(([place, calls, covered]) => ({ ...place, calls, covered }));
const cells = fc.uniqueArray(sums, { selector: ({ day, customer }) => `${day} ${customer}`, maxLength: 12 });

const entry: fc.Arbitrary<CustomerAllocation> = fc
  .record({
    customer: fc.constantFrom(...customers),
    amount: fc.bigInt({ min: -40n, max: 40n }),
    from: fc.integer({ min: -3, max: 6 }),
    length: fc.nat(5),
  })
  .map(({ customer, amount, from, length }) => {
    const first = toDayNumber(days[0] ?? '') + from;
    return { customer, allocation: allocate(amount, { from: first, to: first + length }) };
  });

type Sums = Map<string, bigint>;
function add(to: Sums, place: { readonly day: string; readonly customer: string }, amount: bigint): void {
  const key = JSON.stringify([place.day, place.customer]);
  to.set(key, (to.get(key) ?? 0n) + amount);
  if (to.get(key) === 0n) to.delete(key);
}

function sumByPlace(parts: readonly DriftPart[]): Sums {
  const found: Sums = new Map();
  for (const part of parts) add(found, part, part.amount);
  return found;
}

const runs = { numRuns: usualOrLong(250, 20_000) };

test('D19.2: the parts of pairs of calls add up to the difference of each day and customer', () => {
  fc.assert(
    fc.property(fc.array(pairs), (all) => {
      const expected: Sums = new Map();
      for (const { pinned, current } of all) {
        if (pinned) add(expected, pinned, -pinned.cost);
        if (current) add(expected, current, current.cost);
      }
      expect(sumByPlace(attributeCalls(all))).toEqual(expected);
    }),
    runs,
  );
});

const at = (day: number, cost: bigint, customer = 'a'): PlacedCost => ({ day: days[day] ?? '', customer, cost });
const alike = {
  isErased: false,
  isOverEdge: false,
  hasSameTime: true,
  hasSameUsage: true,
  hasSameBook: true,
  isReread: false,
};

test.each<[name: string, pair: CallPairs, causes: readonly [cause: string, day: number, amount: bigint][]]>([
  ['a call that has come', { ...alike, pinned: undefined, current: at(0, 5n) }, [['late_events', 0, 5n]]],
  ['a call that has gone', { ...alike, pinned: at(0, 5n), current: undefined }, [['late_events', 0, -5n]]],
  ['an erased call', { ...alike, pinned: at(0, 5n), current: undefined, isErased: true }, [['erasure', 0, -5n]]],
  [
    'a call that another timezone moves behind the close',
    { ...alike, pinned: at(4, 5n), current: undefined, isOverEdge: true },
    [['timezone', 4, -5n]],
  ],
  [
    'a call with another price book',
    { ...alike, pinned: at(0, 5n), current: at(0, 7n), hasSameBook: false },
    [['reprice', 0, 2n]],
  ],
  [
    'a call with other usage',
    { ...alike, pinned: at(0, 5n), current: at(0, 7n), hasSameBook: false, hasSameUsage: false },
    [['late_events', 0, 2n]],
  ],
  [
    'a call whose events were read anew',
    { ...alike, pinned: at(0, 5n), current: at(0, 7n), hasSameUsage: false, isReread: true },
    [['reprice', 0, 2n]],
  ],
  [
    'a call on another day of a new timezone that was repriced',
    { ...alike, pinned: at(0, 5n), current: at(1, 7n), hasSameBook: false },
    [
      ['timezone', 0, -5n],
      ['timezone', 1, 5n],
      ['reprice', 1, 2n],
    ],
  ],
  [
    'a call with another time',
    { ...alike, pinned: at(0, 5n), current: at(1, 5n), hasSameTime: false },
    [
      ['late_events', 0, -5n],
      ['late_events', 1, 5n],
    ],
  ],
])('D19.2: %s has its cause', (_name, pair, expected) => {
  const rows = new DriftSums().add(attributeCalls([pair])).rows();
  const found = rows.map(({ day, cause, amounts }) => [cause, days.indexOf(day ?? ''), amounts.get('cost')]);
  expect(found).toHaveLength(expected.length);
  expect(found).toEqual(expect.arrayContaining(expected.map((one) => [...one])));
});

test('D19.2: the parts of sums add up to the difference of cost and of credits', () => {
  fc.assert(
    fc.property(cells, cells, (pinned, current) => {
      for (const sum of ['cost', 'covered'] as const) {
        const expected: Sums = new Map();
        for (const side of pinned) add(expected, side, -side[sum]);
        for (const side of current) add(expected, side, side[sum]);
        const parts = sum === 'cost' ? attributeCells(pinned, current) : attributeCredits(pinned, current);
        expect(sumByPlace(parts)).toEqual(expected);
      }
      const [same] = current;
      if (same) {
        expect(attributeCells([{ ...same, cost: same.cost - 1n }], [same])).toMatchObject([{ cause: 'reprice' }]);
        expect(attributeCells([], [{ ...same, calls: 1, cost: 1n }])).toMatchObject([{ cause: 'late_events' }]);
      }
    }),
    runs,
  );
});

/** What an entry earns on its n-th day, by the definition of D8.1. */
function earnedOn({ allocation }: CustomerAllocation, day: string): bigint {
  const { from, to, days: count, daily, rest, isNegative } = allocation;
  const number = toDayNumber(day);
  if (number < from || number > to) return 0n;
  const amount = daily * BigInt(count) + BigInt(rest);
  const upTo = (nth: number) => (amount * BigInt(nth)) / BigInt(count);
  const earned = upTo(number - from + 1) - upTo(number - from);
  return isNegative ? -earned : earned;
}

test('D19.2: the parts of revenue add up to the difference, and entries that stay have none', () => {
  const entries = fc.array(entry, { maxLength: 8 });
  fc.assert(
    fc.property(entries, entries, entries, (stay, gone, come) => {
      const [pinned, current] = [
        [...stay, ...gone],
        [...come, ...stay],
      ];
      const changed = findChangedEntries(pinned, current);
      expect(changed.gone.length).toBeLessThanOrEqual(gone.length);
      const expected: Sums = new Map();
      for (const day of days) {
        for (const one of pinned) add(expected, { day, customer: one.customer }, -widen(earnedOn(one, day)));
        for (const one of current) add(expected, { day, customer: one.customer }, widen(earnedOn(one, day)));
      }
      const parts = runAtOnce(attributeRevenue(changed, days));
      expect(sumByPlace(parts)).toEqual(expected);
      expect(parts.every(({ customer, cause }) => cause === (customer === '' ? 'erasure' : 'revenue'))).toBe(true);
      expect(runAtOnce(attributeRevenue(findChangedEntries(pinned, pinned.toReversed()), days))).toEqual([]);
    }),
    runs,
  );
});

test('D19.2: rows are in order, one for each day, customer and cause, and none is 0', () => {
  fc.assert(
    fc.property(fc.array(pairs), cells, (all, current) => {
      const parts = [...attributeCalls(all), ...attributeCredits([], current)];
      const rows = new DriftSums().add(parts).rows();
      expect(rows.toSorted(compareRows)).toEqual(rows);
      expect(new Set(rows.map(({ day, customer, cause }) => `${day} ${customer} ${cause}`)).size).toBe(rows.length);
      expect(rows.flatMap(({ amounts }) => [...amounts.values()])).not.toContain(0n);
      const total = rows.reduce((sum, { amounts }) => sum + [...amounts.values()].reduce((a, b) => a + b, 0n), 0n);
      expect(total).toBe(parts.reduce((sum, { amount }) => sum + amount, 0n));
    }),
    runs,
  );
});

test('D19.2: subtotals by cause and by customer are the sums of the rows, and add up to the same total', () => {
  fc.assert(
    fc.property(fc.array(fc.array(pairs)), cells, (slices, current) => {
      const slicesOfParts = [...slices.map(attributeCalls), attributeCredits([], current)];
      const parts = slicesOfParts.flat();
      for (const groupBy of driftGroups) {
        const sums = new DriftSums(groupBy);
        for (const slice of slicesOfParts) sums.add(slice);
        const expected = [...new Set(parts.map((part) => part[groupBy]))].flatMap((name) =>
          driftAmounts.map((of) => {
            const these = parts.filter((part) => part[groupBy] === name && part.of === of);
            return [name, of, these.reduce((sum, { amount }) => sum + amount, 0n)] as const;
          }),
        );
        const found = sums.rows().flatMap((row) => [...row.amounts].map(([of, amount]) => [row[groupBy], of, amount]));
        expect(found).toHaveLength(expected.filter(([, , amount]) => amount !== 0n).length);
        expect(found).toEqual(expect.arrayContaining(expected.filter(([, , amount]) => amount !== 0n)));
        expect(sums.rows().toSorted(compareRows)).toEqual(sums.rows());
      }
    }),
    runs,
  );
});
