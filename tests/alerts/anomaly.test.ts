import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Anomaly,
  type CostSeries,
  defaultAnomalyOptions,
  findAnomalies,
} from '../../src/alerting/kinds/anomaly/anomaly.ts';
import { addDays } from '../../src/lib/days.ts';
import { dollar, type Money } from '../../src/lib/money.ts';
import { usualOrLong } from '../support/effort.ts';

/** A Monday. */
const firstDay = '2026-03-02';
const dayAt = (index: number) => addDays(firstDay, index);
const business = (index: number): number => (index % 7 < 5 ? 100 : 10);

/** A series of dollars by day, from the first day on. */
const seriesOf = (dollars: readonly number[], more: Partial<CostSeries> = {}): CostSeries => ({
  days: dollars.map((cost, index) => ({ day: dayAt(index), cost: toMoney(cost) })),
  through: dayAt(dollars.length - 1),
  ...more,
});
const toMoney = (dollars: number): Money => BigInt(Math.round(dollars * 1e6)) * 1_000_000n;

/** So many days, each with its usual cost unless `changed` has another. */
const daysOf = (count: number, changed: Readonly<Record<number, number>> = {}, usual = business) =>
  Array.from({ length: count }, (_, index) => changed[index] ?? usual(index));

const told = (anomalies: readonly Anomaly[]) =>
  anomalies.map(({ kind, days, isOpen }) => [kind, days.map(({ day }) => day), isOpen]);

describe('days that are over', () => {
  test('D20.4: a day of twice the cost of its weekday is a jump, one of half a drop; what they tell is exact', () => {
    const found = findAnomalies(seriesOf(daysOf(80, { 60: 200, 73: 20.000001 })));
    expect(told(found)).toEqual([
      ['jump', [dayAt(60)], false],
      ['drop', [dayAt(73)], false],
    ]);
    expect(found.map(({ days }) => days[0])).toMatchObject([
      { cost: 200n * dollar, expected: 100n * dollar, spread: 0n, weeks: 8 },
      { cost: 20_000_001n * (dollar / 1_000_000n), weeks: 8 },
    ]);
  });

  test('D20.4: the usual cost of one weekday is a jump on another', () => {
    expect(told(findAnomalies(seriesOf(daysOf(70, { 61: 100 }))))).toEqual([['jump', [dayAt(61)], false]]);
  });

  test('D20.4: a launch is told once: after four days its level is usual', () => {
    const found = findAnomalies(seriesOf(daysOf(120, {}, (index) => business(index) * (index < 70 ? 1 : 3))));
    expect(told(found)).toEqual([['jump', [70, 71, 72, 73].map(dayAt), false]]);
  });

  test('D20.4: a name that stops is told once', () => {
    const found = findAnomalies(seriesOf(daysOf(100, {}, (index) => (index < 70 ? 50 : 0))));
    expect(told(found)).toEqual([['drop', [70, 71, 72, 73].map(dayAt), false]]);
  });

  test('D20.4: the end of a fault is no drop, however long it was', () => {
    const found = findAnomalies(seriesOf(daysOf(100, {}, (index) => (index >= 70 && index < 80 ? 300 : 100))));
    expect(told(found)).toEqual([['jump', [70, 71, 72, 73].map(dayAt), false]]);
  });

  test('D20.4: it is open until three days were usual', () => {
    for (const [days, isOpen] of [
      [71, true],
      [73, true],
      [74, true],
      [75, false],
    ] as const) {
      const found = findAnomalies(seriesOf(daysOf(days, { 70: 300 }, () => 100)));
      expect(told(found)).toEqual([['jump', [dayAt(70)], isOpen]]);
    }
  });

  test('D20.4: a weekend does not part unusual days; a farther one is told anew', () => {
    const weekend = findAnomalies(seriesOf(daysOf(80, { 66: 200, 67: 200, 70: 195 })));
    expect(told(weekend)).toEqual([['jump', [66, 67, 70].map(dayAt), false]]);
    const farther = findAnomalies(seriesOf(daysOf(80, { 66: 200, 67: 500 })));
    expect(told(farther)).toEqual([
      ['jump', [dayAt(66)], false],
      ['jump', [dayAt(67)], false],
    ]);
  });

  test('D20.4: what comes once a month is told once', () => {
    // The first days of April, May and June.
    const found = findAnomalies(seriesOf(daysOf(100, { 30: 300, 60: 320, 91: 310 }, () => 100)));
    expect(told(found)).toEqual([['jump', [dayAt(30)], false]]);
  });

  test('D20.4: excluded days are neither told nor read', () => {
    const dollars = daysOf(80, { 49: 0, 56: 0, 63: 0, 70: 0 });
    const excluded = new Set([49, 56, 63, 70].map(dayAt));
    expect(findAnomalies(seriesOf(dollars, { excluded }))).toEqual([]);
    expect(findAnomalies(seriesOf(dollars))).not.toEqual([]);
  });

  test('D20.4: a series without a usual day is judged by the dearest of its days', () => {
    const rare = (index: number) => (index % 9 === 4 ? 50 : 0);
    expect(findAnomalies(seriesOf(daysOf(120, {}, rare)))).toEqual([]);
    expect(told(findAnomalies(seriesOf(daysOf(120, { 112: 200 }, rare))))).toEqual([['jump', [dayAt(112)], false]]);
  });

  test('D20.4: nothing, and nothing but zeros, has no anomalies', () => {
    expect(findAnomalies({ days: [], through: firstDay })).toEqual([]);
    expect(findAnomalies(seriesOf(daysOf(60, {}, () => 0)))).toEqual([]);
  });
});

describe('small amounts and new names', () => {
  test('D20.4: a difference that is less than the smallest amount is small', () => {
    const days = daysOf(80, { 70: 4.9 }, () => 1);
    expect(told(findAnomalies(seriesOf(days)))).toEqual([['small', [dayAt(70)], false]]);
    expect(told(findAnomalies(seriesOf(days), { ...defaultAnomalyOptions, smallest: dollar }))).toEqual([
      ['jump', [dayAt(70)], false],
    ]);
  });

  test('D20.4: a new name is news on the first day that matters, and no jump', () => {
    const grows = daysOf(60, {}, (index) => (index < 40 ? 0 : Math.min(2 * (index - 39), 20)));
    expect(told(findAnomalies(seriesOf(grows, { since: firstDay })))).toEqual([['new', [dayAt(44)], false]]);
    expect(told(findAnomalies(seriesOf(grows.slice(0, 45), { since: firstDay })))).toEqual([
      ['new', [dayAt(44)], true],
    ]);
  });

  test('D20.4: a name is not new if all were, nor if its cost never matters', () => {
    const early = daysOf(60, {}, (index) => (index < 20 ? 0 : 50));
    expect(findAnomalies(seriesOf(early, { since: firstDay }))).toEqual([]);
    const late = daysOf(60, {}, (index) => (index < 40 ? 0 : 50));
    expect(findAnomalies(seriesOf(late))).toEqual([]);
    const cheap = daysOf(60, {}, (index) => (index < 40 ? 0 : 2));
    expect(findAnomalies(seriesOf(cheap, { since: firstDay }))).toEqual([]);
  });

  test('D20.4: a name that comes back after four weeks is new; after three it is as before', () => {
    const gap = (days: number) =>
      findAnomalies(seriesOf(daysOf(110, {}, (index) => (index >= 60 && index < 60 + days ? 0 : 50))));
    expect(told(gap(28)).map(([kind]) => kind)).toEqual(['drop', 'new']);
    expect(told(gap(21)).map(([kind]) => kind)).toEqual(['drop']);
  });

  test('D20.4: in its first four weeks a name jumps with three times its dearest day', () => {
    expect(told(findAnomalies(seriesOf(daysOf(20, { 15: 301 }, () => 100))))).toEqual([['jump', [dayAt(15)], false]]);
    expect(findAnomalies(seriesOf(daysOf(20, { 15: 300 }, () => 100)))).toEqual([]);
    expect(findAnomalies(seriesOf(daysOf(20, { 6: 900 }, () => 100)))).toEqual([]);
  });
});

describe('the running day', () => {
  /** Half a day's cost comes from 8 to 12, the other half from 16 to 20. */
  const hoursOf = (day: number, factor = 1) =>
    Array.from({ length: 24 }, (_, hour) => {
      const isBusy = (hour >= 8 && hour < 12) || (hour >= 16 && hour < 20);
      return isBusy ? toMoney((business(day) * factor) / 8) : 0n;
    });
  const past = Array.from({ length: 70 }, (_, day) => ({ day: dayAt(day), costs: hoursOf(day) }));
  const runAt = (hours: number, factor: number, more: Partial<CostSeries['running']> = {}) =>
    findAnomalies(seriesOf(daysOf(70), { running: { hours, costs: hoursOf(70, factor), past, ...more } }));

  test('D20.4: it is compared with what has usually come by the hour', () => {
    expect(runAt(9, 5)).toEqual([]);
    expect(runAt(10, 5)).toEqual([
      {
        kind: 'jump',
        from: dayAt(70),
        days: [{ day: dayAt(70), cost: 125n * dollar, expected: 25n * dollar, spread: 0n, weeks: 8, hours: 10 }],
        isOpen: true,
      },
    ]);
    // Twice the usual cost is certain in the afternoon, when it has come to half a day more.
    expect([12, 16, 17, 18].map((hours) => runAt(hours, 2).length)).toEqual([0, 0, 1, 1]);
  });

  test('D20.4: it never drops before it is over', () => {
    expect(runAt(23, 0)).toEqual([]);
    expect(told(findAnomalies(seriesOf(daysOf(71, { 70: 0 }))))).toEqual([['drop', [dayAt(70)], true]]);
  });

  test('D20.4: without the hours of four weeks it is told when it has cost too much for a whole day', () => {
    const without = { past: past.slice(-20) };
    expect([12, 16, 17, 23].map((hours) => runAt(hours, 2, without).length)).toEqual([0, 0, 0, 1]);
  });

  test('D20.4: it goes on with the anomaly of the days before', () => {
    const dollars = daysOf(70, {}, (index) => (index < 68 ? 100 : 200));
    const running = { hours: 23, costs: hoursOf(71, 2), past };
    const [anomaly] = findAnomalies(seriesOf(dollars, { running }));
    expect(anomaly?.days.map(({ day, hours }) => [day, hours])).toEqual([
      [dayAt(68), undefined],
      [dayAt(69), undefined],
      [dayAt(70), 23],
    ]);
  });

  test('D20.4: a new name is news in the hour in which its cost matters', () => {
    const running = { hours: 9, costs: Array.from({ length: 9 }, () => 2n * dollar), past: [] };
    const found = findAnomalies(
      seriesOf(
        daysOf(40, {}, () => 0),
        { since: firstDay, running },
      ),
    );
    expect(told(found)).toEqual([['new', [dayAt(40)], true]]);
    expect(
      findAnomalies(
        seriesOf(
          daysOf(40, {}, () => 0),
          { since: firstDay, running: { ...running, hours: 4 } },
        ),
      ),
    ).toEqual([]);
  });
});

describe('laws', () => {
  /** A season, its level, and a noise in thousandths for each of 60 to 100 days, some of which are far off. */
  const costs = fc
    .record({
      season: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 7, maxLength: 7 }),
      noise: fc.array(
        fc.oneof(
          { weight: 12, arbitrary: fc.integer({ min: 800, max: 1200 }) },
          { weight: 1, arbitrary: fc.constantFrom(0, 300, 2500, 6000) },
        ),
        { minLength: 60, maxLength: 100 },
      ),
    })
    .map(({ season, noise }) => noise.map((factor, day) => BigInt((season[day % 7] ?? 1) * factor) * (dollar / 10n)));
  const toSeries = (amounts: readonly Money[]): CostSeries => ({
    days: amounts.map((cost, index) => ({ day: dayAt(index), cost })),
    through: dayAt(amounts.length - 1),
  });
  const runs = { numRuns: usualOrLong(25, 500) };

  test('D20.4: the order of the days is irrelevant', () => {
    fc.assert(
      fc.property(costs, fc.integer(), (amounts, salt) => {
        const series = toSeries(amounts);
        const days = series.days.toSorted(
          (a, b) => Number((a.cost * 31n + BigInt(salt)) % 97n) - Number((b.cost * 31n + BigInt(salt)) % 97n),
        );
        expect(findAnomalies({ ...series, days })).toEqual(findAnomalies(series));
      }),
      runs,
    );
  });

  test('D20.4: amounts scale: in another currency the same days are unusual', () => {
    fc.assert(
      fc.property(costs, fc.constantFrom(2n, 8n, 1024n), (amounts, factor) => {
        const { smallest, news } = defaultAnomalyOptions;
        const scaled = findAnomalies(toSeries(amounts.map((cost) => cost * factor)), {
          ...defaultAnomalyOptions,
          smallest: smallest * factor,
          news: news * factor,
        });
        const plain = findAnomalies(toSeries(amounts));
        expect(told(scaled)).toEqual(told(plain));
        const costsOf = (anomalies: readonly Anomaly[]) =>
          anomalies.flatMap(({ days }) => days.map(({ cost }) => cost));
        expect(costsOf(scaled)).toEqual(costsOf(plain).map((cost) => cost * factor));
      }),
      runs,
    );
  });

  test('D20.4: what is said of a day stays when more days come', () => {
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 30 }), (amounts, later) => {
        const until = dayAt(amounts.length - 1 - later);
        const known = (anomalies: readonly Anomaly[]) =>
          anomalies.flatMap(({ days }) => days).filter(({ day }) => day <= until);
        const before = findAnomalies(toSeries(amounts.slice(0, -later)));
        expect(known(before)).toEqual(known(findAnomalies(toSeries(amounts))));
      }),
      runs,
    );
  });

  test('D20.4: a series that repeats each week has no anomalies', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 10n ** 18n }), { minLength: 7, maxLength: 7 }), (season) => {
        expect(findAnomalies(toSeries(Array.from({ length: 84 }, (_, day) => season[day % 7] ?? 0n)))).toEqual([]);
      }),
      runs,
    );
  });

  test('D20.4: a season changes nothing: the same days are far from their usual cost', () => {
    const season = fc.array(fc.integer({ min: 10, max: 100 }), { minLength: 7, maxLength: 7 });
    const far = fc.uniqueArray(fc.integer({ min: 60, max: 90 }), { maxLength: 3 });
    fc.assert(
      fc.property(season, far, (seasonal, days) => {
        const factor = (day: number) => (days.includes(day) ? 300n : 100n);
        const plain = toSeries(Array.from({ length: 91 }, (_, day) => 100n * dollar * factor(day)));
        const withSeason = toSeries(
          Array.from({ length: 91 }, (_, day) => BigInt(seasonal[day % 7] ?? 1) * dollar * factor(day)),
        );
        expect(told(findAnomalies(withSeason))).toEqual(told(findAnomalies(plain)));
      }),
      runs,
    );
  });
});
