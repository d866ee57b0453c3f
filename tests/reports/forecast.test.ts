import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, listDays } from '../../src/lib/days.ts';
import { dollar, type Money } from '../../src/lib/money.ts';
import { type DayCost, forecastDay, forecastPeriod } from '../../src/reports/asking/forecast.ts';

/** A Monday. */
const monday = '2026-03-02';
const tuesday = addDays(monday, 1);
const saturday = addDays(monday, 5);

/** The weeks before a day, each day with a cost in dollars by its weekday (Monday first) and its week (0 is the last one). */
const weeksBefore = (day: Day, weeks: number, cost: (weekday: number, week: number) => number): DayCost[] =>
  listDays(addDays(day, -7 * weeks), addDays(day, -1)).map((past, index) => ({
    day: past,
    cost: BigInt(cost(index % 7, weeks - 1 - Math.floor(index / 7))) * dollar,
  }));

const business = (weekday: number): number => (weekday < 5 ? 100 : 10);
const toDollars = (amount: Money | undefined) => (amount === undefined ? undefined : Number(amount / 10_000n) / 1e8);

/** Whether an amount is these dollars but for a share of them. */
function expectNear(amount: Money | undefined, dollars: number, share: number): void {
  expect(Math.abs((toDollars(amount) ?? 0) - dollars)).toBeLessThanOrEqual(share * dollars);
}

describe('forecast of a day', () => {
  test('D20.4: a weekday costs what the same weekdays cost', () => {
    const history = weeksBefore(monday, 8, business);
    expect(forecastDay(history, monday)).toEqual({ expected: 100n * dollar, spread: 0n, weeks: 8 });
    expect(forecastDay(history, saturday, { through: addDays(monday, -1) })).toEqual({
      expected: 10n * dollar,
      spread: 0n,
      weeks: 8,
    });
  });

  test('D20.4: growth and a new level are followed within a week', () => {
    const grown = weeksBefore(monday, 8, (weekday, week) => business(weekday) * (8 - week));
    expectNear(forecastDay(grown, monday)?.expected, 800, 0.04);
    const launched = weeksBefore(monday, 8, (weekday, week) => business(weekday) * (week === 0 ? 3 : 1));
    expectNear(forecastDay(launched, monday)?.expected, 300, 0.05);
  });

  test('D20.4: a wild day in each week changes it by a few percent', () => {
    const history = weeksBefore(monday, 8, (weekday, week) => (weekday === week % 7 ? 5000 : business(weekday)));
    expectNear(forecastDay(history, monday)?.expected, 100, 0.04);
  });

  test('D20.4: with less than 4 weeks it is the median of all days', () => {
    expect(forecastDay(weeksBefore(monday, 3, business), monday)).toMatchObject({ expected: 100n * dollar, weeks: 3 });
    expect(forecastDay(weeksBefore(monday, 3, business), saturday)).toMatchObject({ expected: 100n * dollar });
    expect(forecastDay(weeksBefore(monday, 4, business), monday)).toMatchObject({ weeks: 4 });
  });

  test('D20.4: nothing is expected of a series that never cost anything', () => {
    expect(forecastDay([], monday)).toBeUndefined();
    expect(forecastDay([{ day: addDays(monday, -3), cost: 0n }], monday)).toBeUndefined();
    expect(forecastDay([{ day: monday, cost: dollar }], monday)).toBeUndefined();
  });

  test('D20.4: a day without an entry cost nothing, unless it is excluded', () => {
    const gap = listDays(addDays(monday, -28), addDays(monday, -1)).filter((_day, index) => index % 7 === 0);
    const withoutMondays = weeksBefore(monday, 8, business).filter(({ day }) => !gap.includes(day));
    expectNear(forecastDay(withoutMondays, monday)?.expected, 50, 0.04);
    expect(forecastDay(withoutMondays, monday, { excluded: new Set(gap) })).toMatchObject({
      expected: 100n * dollar,
      weeks: 4,
    });
  });

  test('D20.4: the order and the division of the history are irrelevant, and amounts scale', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 1, maxLength: 70 }).chain((costs) => {
          const history = costs.map((cost, index) => ({ day: addDays(monday, index - costs.length), cost }));
          return fc.tuple(
            fc.constant(history),
            fc.shuffledSubarray(history, { minLength: history.length }),
            fc.integer({ min: 2, max: 1000 }),
          );
        }),
        ([history, shuffled, factor]) => {
          const plain = forecastDay(history, tuesday);
          expect(forecastDay(shuffled, tuesday)).toEqual(plain);
          const halves = history.flatMap(({ day, cost }) => [
            { day, cost: cost / 2n },
            { day, cost: cost - cost / 2n },
          ]);
          expect(forecastDay(halves, tuesday)).toEqual(plain);
          const scaled = forecastDay(
            history.map(({ day, cost }) => ({ day, cost: cost * BigInt(factor) })),
            tuesday,
          );
          expect(scaled === undefined).toBe(plain === undefined);
          if (scaled === undefined || plain === undefined) return;
          const scaledPlain = Number(plain.expected) * factor;
          expect(Math.abs(Number(scaled.expected) - scaledPlain)).toBeLessThanOrEqual(factor + scaledPlain * 1e-9);
        },
      ),
    );
  });
});

describe('forecast of a period', () => {
  const week = { from: monday, to: addDays(monday, 6), spentToday: 0n, shareOfToday: 0 };

  test('D20.1: it is what was spent, the usual rest of today, and what the days to come usually cost', () => {
    const history = [...weeksBefore(monday, 8, business), { day: monday, cost: 100n * dollar }];
    const spent = { ...week, today: tuesday, spentToday: 90n * dollar, shareOfToday: 0.5 };
    // Monday and the half of Tuesday as they were, half a Tuesday, three days and a weekend.
    expect(toDollars(forecastPeriod(history, spent))).toBe(100 + 90 + 50 + 300 + 20);
  });

  test('D20.1: a period that is over costs what it cost, to the last digit', () => {
    const history = [
      { day: monday, cost: 1n },
      { day: tuesday, cost: 10n ** 20n },
      { day: addDays(monday, 7), cost: 5n },
    ];
    expect(forecastPeriod(history, { ...week, today: addDays(monday, 8) })).toBe(10n ** 20n + 1n);
    expect(forecastPeriod([], { ...week, today: addDays(monday, 8) })).toBe(0n);
  });

  test('D20.1: a period that has not begun costs what its days usually cost', () => {
    const history = weeksBefore(saturday, 8, (weekday) => business((weekday + 5) % 7));
    const next = { ...week, from: addDays(monday, 7), to: addDays(monday, 13), today: saturday };
    expect(toDollars(forecastPeriod(history, next))).toBe(520);
  });

  test('D20.1: without a day before today nothing can be said of the days to come', () => {
    expect(forecastPeriod([], { ...week, today: monday, spentToday: dollar })).toBeUndefined();
  });

  test('D20.1: growth goes on, and weakens; one new level is no growth', () => {
    const month = { ...week, to: addDays(monday, 27), today: monday };
    const growing = weeksBefore(monday, 8, (_weekday, at) => 100 - 5 * at);
    const grown = toDollars(forecastPeriod(growing, month)) ?? 0;
    expect(grown).toBeGreaterThan(28 * 107);
    expect(grown).toBeLessThan(7 * (105 + 110 + 115 + 120));
    const launched = weeksBefore(monday, 8, (_weekday, at) => (at < 2 ? 200 : 100));
    expectNear(forecastPeriod(launched, month), 28 * 200, 0.02);
  });
});
