import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, dollar, widen } from '../../src/lib/money.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { listPeriods } from '../../src/reports/asking/periods.ts';
import type { CustomerMonth } from '../../src/reports/plans/simulation/bill.ts';
import { type Month, PaidDays, toMonth } from '../../src/reports/plans/simulation/paid-days.ts';
import { type AskedPlan, type PlanPrices, pricesOf, type Unit } from '../../src/reports/plans/simulation/plan.ts';
import { type SimulatedPlan, simulatePlan } from '../../src/reports/plans/simulation/simulate.ts';
import { modelBill } from '../support/model/simulation.ts';
import { addDays } from '../support/model.ts';

type Days = { from: number; to: number };

interface Case {
  prices: PlanPrices;
  months: (CustomerMonth & { month: Month; billed: Days[] })[];
  /** Percent, in units of 10⁻². */
  target: number;
  included: Unit | undefined;
}

const picos = (most: bigint) =>
  fc.oneof(
    fc.bigInt(0n, most),
    fc.bigInt(0n, most / dollar).map((whole) => whole * dollar),
  );
const quantity = fc.oneof(
  fc.bigInt(0n, 5_000n).map((count) => count * widen(dollar)),
  fc.bigInt(0n, 5_000n * widen(dollar)),
);
const units: Unit[] = ['cost', 'calls', 'tokens', 'key_metric:jobs'];

const range = fc
  .tuple(fc.integer({ min: 0, max: 800 }), fc.integer({ min: 0, max: 120 }))
  .map(([from, length]) => ({ dateFrom: addDays('2023-12-15', from), dateTo: addDays('2023-12-15', from + length) }));

const monthsOf = range.chain((days) => {
  const months = listPeriods(days, 'month').map(toMonth);
  const one = fc.record({
    customer: fc.constantFrom('a', 'b', 'c', ''),
    month: fc.constantFrom(...months),
    revenue: fc.bigInt(-50n * dollar, 200n * dollar),
    cost: fc.oneof(fc.constant(0n), fc.bigInt(0n, 100n * widen(dollar))),
    shared: fc.bigInt(-dollar, dollar),
    used: fc.tuple(quantity, quantity, quantity),
    // As bills are: for days, a month from any day, 30 days, a quarter, a year.
    billed: fc.array(
      fc
        .tuple(fc.integer({ min: -95, max: 40 }), fc.constantFrom(0, 4, 14, 27, 29, 30, 44, 91, 364))
        .map(([start, length]) => ({ start, length })),
      { maxLength: 3 },
    ),
  });
  return fc.uniqueArray(one, { selector: ({ customer, month }) => `${month.period} ${customer}`, maxLength: 12 });
});

const cases: fc.Arbitrary<Case> = fc
  .record({
    base: picos(100n * dollar),
    charges: fc.uniqueArray(
      fc.record({ unit: fc.constantFrom(...units), price: picos(3n * dollar), included: quantity }),
      { selector: ({ unit }) => unit, maxLength: 2 },
    ),
    months: monthsOf,
    target: fc.integer({ min: 0, max: 9_900 }),
  })
  .map(({ base, charges, months, target }) => ({
    prices: { base, charges },
    included: charges.at(-1)?.unit,
    target,
    months: months.map(({ used, billed, ...one }) => {
      const { from } = one.month.whole;
      const spans = billed.map(({ start, length }) => ({ from: from + start, to: from + start + length }));
      return {
        ...one,
        billed: spans,
        paid: new PaidDays(one.month).of(spans),
        usedOf: (unit) => (unit === 'cost' ? one.cost : (used[units.indexOf(unit) - 1] ?? 0n)),
      };
    }),
  }));

const simulate = ({ prices, included, months, target }: Case): SimulatedPlan =>
  runAtOnce(simulatePlan(prices, included, months, decimal(BigInt(target), 2)));

test('D29.2: what a plan would have earned equals the model, by customer and in all', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const result = simulate(one);
      const names = [...new Set(one.months.map(({ customer }) => customer))];
      const expected = names.map((customer) => {
        const own = one.months.filter((month) => month.customer === customer);
        const bills = own.map(({ month, billed, usedOf }) =>
          modelBill(one.prices.base, one.prices.charges, {
            customer,
            from: dayOf(month.span.from),
            to: dayOf(month.span.to),
            billed: billed.map(({ from, to }) => [dayOf(from), dayOf(to)] as const),
            used: new Map(units.map((unit) => [unit, usedOf(unit)])),
          }),
        );
        return {
          customer,
          revenue: own.reduce((sum, { revenue }) => sum + widen(revenue), 0n),
          cost: own.reduce((sum, { cost }) => sum + cost, 0n),
          shared: own.reduce((sum, { shared }) => sum + shared, 0n),
          simulatedRevenue: widen(bills.reduce((sum, bill) => sum + bill, 0n)),
        };
      });
      expect(result.customers.toSorted(byName)).toEqual(expected.sort(byName));
      const changes = result.customers.map(({ revenue, simulatedRevenue }) => Number(abs(simulatedRevenue - revenue)));
      expect(changes).toEqual(changes.toSorted((a, b) => b - a));
      for (const name of ['revenue', 'cost', 'shared', 'simulatedRevenue'] as const) {
        expect(result[name]).toBe(expected.reduce((sum, each) => sum + each[name], 0n));
      }
    }),
    { numRuns: 600 },
  );
});

const dayOf = (dayNumber: number) => new Date(dayNumber * 86_400_000).toISOString().slice(0, 10);
const byName = (a: { customer: string }, b: { customer: string }) => (a.customer < b.customer ? -1 : 1);
const abs = (amount: bigint) => (amount < 0n ? -amount : amount);

/** By how much the margin misses the target share of the revenue, in 1e-30 USD. */
const missOf = ({ simulatedRevenue, cost }: SimulatedPlan, target: number): bigint =>
  simulatedRevenue - cost - (simulatedRevenue * BigInt(target)) / 10_000n;
const cent = widen(dollar) / 100n;

test('D29.2: the target base, when simulated, gives the target margin to the cent; without one there is the reason', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(cases, (one) => {
      const { cost, targetBase } = simulate(one);
      const at = (base: bigint) => simulate({ ...one, prices: { ...one.prices, base } });
      seen.add(targetBase.reason ?? 'found');
      switch (targetBase.reason) {
        case undefined: {
          const miss = missOf(at(targetBase.value), one.target);
          expect(miss).toBeGreaterThanOrEqual(-1n);
          expect(miss).toBeLessThan(cent);
          // An answer has the same decimal.
          expect(String(targetBase.value)).toMatch(/^\d{0,15}0*$/);
          break;
        }
        case 'usage_reaches_it':
          expect(missOf(at(0n), one.target)).toBeGreaterThan(0n);
          break;
        case 'no_customers':
          expect(one.months.every(({ paid }) => paid.parts.length === 0)).toBe(true);
          break;
        default:
          expect([cost, targetBase.reason]).toEqual([0n, 'no_cost']);
          break;
      }
    }),
    { numRuns: 400 },
  );
  expect([...seen].sort()).toEqual(['found', 'no_cost', 'no_customers', 'usage_reaches_it']);
});

test('D29.2: the target included amount, when simulated, gives the target margin to the cent', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(cases, (one) => {
      const { cost, targetIncluded } = simulate(one);
      const at = (included: bigint) => {
        const charges = one.prices.charges.map((charge) =>
          charge.unit === targetIncluded.unit ? { ...charge, included } : charge,
        );
        return missOf(simulate({ ...one, prices: { ...one.prices, charges } }), one.target);
      };
      seen.add(targetIncluded.reason ?? 'found');
      switch (targetIncluded.reason) {
        case undefined:
          expect(abs(at(targetIncluded.value))).toBeLessThan(cent);
          break;
        case 'out_of_reach':
          expect(at(0n)).toBeLessThan(0n);
          break;
        case 'base_reaches_it':
          expect(at(10n ** 50n)).toBeGreaterThanOrEqual(0n);
          break;
        case 'no_charge':
          expect(one.prices.charges.every(({ price, unit }) => price === 0n || unit !== one.included)).toBe(true);
          break;
        case 'no_customers':
          expect(one.months).toEqual([]);
          break;
        default:
          expect([cost, targetIncluded.reason]).toEqual([0n, 'no_cost']);
          break;
      }
    }),
    { numRuns: 600 },
  );
  expect([...seen].sort()).toEqual([
    'base_reaches_it',
    'found',
    'no_charge',
    'no_cost',
    'no_customers',
    'out_of_reach',
  ]);
});

test('D29.2: a markup charges the cost beyond what is included, plus the percentage, to the last digit', () => {
  const plan: AskedPlan = {
    name: 'Usage',
    customers: { names: ['a'] },
    basePerMonth: decimal(5n, 0),
    included: { unit: 'cost', amount: decimal(1n, 0) },
    overage: undefined,
    markupPct: decimal(125n, 1),
  };
  const [month] = listPeriods({ dateFrom: '2024-05-01', dateTo: '2024-05-31' }, 'month').map(toMonth);
  if (!month) throw new Error('May is a month');
  const cost = widen(3n * dollar + 8n);
  const months = [
    { customer: 'a', paid: new PaidDays(month).of([]), revenue: 0n, cost, shared: 0n, usedOf: () => cost },
  ];
  const { simulatedRevenue } = runAtOnce(simulatePlan(pricesOf(plan), 'cost', months, undefined));
  // 5 + 1.125 × 2.000000000008
  expect(simulatedRevenue).toBe(widen(7_250_000_000_009n));
});
