import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RevenueEntry, storeEntries } from '../../src/billing/revenue/entries.ts';
import { toDayNumber } from '../../src/lib/days.ts';
import { type Granularity, granularities, listPeriods } from '../../src/reports/asking/periods.ts';
import { allocate, calcEarned, isWithin } from '../../src/reports/facts/allocation.ts';
import { currentFacts } from '../../src/reports/facts/facts.ts';
import { readRevenueRows } from '../../src/reports/margin/revenue-rows.ts';
import { usualOrLong } from '../support/effort.ts';
import { makeProject, type OpenControl, openControl } from '../support/stores.ts';

const clock = () => Date.UTC(2026, 0, 15);
let opened: OpenControl;

beforeAll(async () => {
  opened = await openControl();
});

afterAll(async () => {
  await opened?.close();
});

async function makeProjectWith(entries: readonly Omit<RevenueEntry, 'externalId'>[]): Promise<string> {
  const { id } = await makeProject(opened.control, clock);
  const named = entries.map((entry, index) => ({ ...entry, externalId: `e${index}` }));
  for (let at = 0; at < named.length; at += 1_000) {
    await storeEntries(opened.control, id, named.slice(at, at + 1_000), clock);
  }
  return id;
}

const dayAt = (offset: number): string => new Date(Date.UTC(2023, 11, 1 + offset)).toISOString().slice(0, 10);
const customers = ['Z', 'a', 'b', 'ﬁ', '😀'];

const entries = fc.array(
  fc
    .record({
      customer: fc.constantFrom(...customers),
      amount: fc.bigInt({ min: -50n, max: 10n ** 13n }),
      start: fc.nat(400),
      length: fc.oneof(fc.constant(0), fc.nat(60)),
    })
    .map(({ customer, amount, start, length }) => ({
      customer,
      amount,
      dateFrom: dayAt(start),
      dateTo: dayAt(start + length),
    })),
  { maxLength: 30 },
);

const queries = fc.record({
  granularity: fc.constantFrom<Granularity>(...granularities),
  start: fc.integer({ min: -60, max: 400 }),
  length: fc.nat(460),
  afterValue: fc.option(fc.constantFrom('', 'a', 'a\0', 'ﬁ', '😁'), { nil: undefined }),
  filter: fc.option(fc.subarray([...customers, '', 'nobody', '\0']), { nil: undefined }),
  most: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(1_000)),
});

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

test('D6.2, D6.3: the rows of revenue are the first ones of every period and customer that has a day of an entry', async () => {
  await fc.assert(
    fc.asyncProperty(entries, fc.array(queries, { minLength: 6, maxLength: 6 }), async (stored, asked) => {
      const project = await makeProjectWith(stored);
      for (const { granularity, start, length, afterValue, filter, most } of asked) {
        const periods = listPeriods({ dateFrom: dayAt(start), dateTo: dayAt(start + length) }, granularity);
        const expected = periods.flatMap(({ dateFrom, dateTo }, place) => {
          const period = { from: toDayNumber(dateFrom), to: toDayNumber(dateTo) };
          return customers
            .toSorted(compareBytes)
            .filter((name) => filter?.includes(name) ?? true)
            .filter((name) => place > 0 || afterValue === undefined || compareBytes(name, afterValue) > 0)
            .flatMap((value) => {
              const earning = stored
                .filter(({ customer }) => customer === value)
                .map((entry) =>
                  allocate(entry.amount, { from: toDayNumber(entry.dateFrom), to: toDayNumber(entry.dateTo) }),
                )
                .filter((allocation) => isWithin(allocation, period));
              if (earning.length === 0) return [];
              const revenue = earning.reduce((sum, allocation) => sum + calcEarned(allocation, period), 0n);
              return [{ period: period.from, value, revenue }];
            });
        });
        const found = await readRevenueRows(currentFacts(opened.control, project), {
          periods,
          afterValue,
          customers: filter,
          most,
        });
        expect(found).toEqual(expected.slice(0, most));
      }
    }),
    { numRuns: usualOrLong(4, 300) },
  );
});

/** The control store, counting the statements and rows that are read through it. */
function counted(): { store: OpenControl['control']; read: { statements: number; rows: number } } {
  const read = { statements: 0, rows: 0 };
  const store = opened.control.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      read.statements += 1;
      read.rows += result.rows.length;
      return result;
    },
  });
  return { store, read };
}

const days = (dateFrom: string, dateTo: string) => listPeriods({ dateFrom, dateTo }, 'day');
const everyDay = { afterValue: undefined, customers: undefined };

test('a page of the first day does not read the entries of the other days', async () => {
  const project = await makeProjectWith(
    Array.from({ length: 6_000 }, (_, index) => ({
      customer: `c${String(index % 200).padStart(3, '0')}`,
      amount: 1n,
      dateFrom: dayAt(Math.floor(index / 200)),
      dateTo: dayAt(Math.floor(index / 200)),
    })),
  );
  const { store, read } = counted();
  const rows = await readRevenueRows(currentFacts(store, project), {
    periods: days(dayAt(0), dayAt(40)),
    ...everyDay,
    most: 101,
  });
  expect(rows.map(({ value }) => value)).toEqual(
    Array.from({ length: 101 }, (_, index) => `c${String(index).padStart(3, '0')}`),
  );
  expect(read).toEqual({ statements: 1, rows: 101 });
});

test('rare revenue takes few statements, and years without any are skipped', async () => {
  const project = await makeProjectWith([
    ...Array.from({ length: 300 }, (_, index) => ({
      customer: 'rare',
      amount: 5n,
      dateFrom: dayAt(index),
      dateTo: dayAt(index),
    })),
    { customer: 'late', amount: 7n, dateFrom: '2030-12-31', dateTo: '2030-12-31' },
  ]);
  const { store, read } = counted();
  const rows = await readRevenueRows(currentFacts(store, project), {
    periods: days('2021-01-01', '2030-12-31'),
    ...everyDay,
    most: 1_001,
  });
  expect(rows).toHaveLength(301);
  expect(rows.at(-1)).toEqual({ period: toDayNumber('2030-12-31'), value: 'late', revenue: 7n });
  expect(read.statements).toBeLessThan(20);
  expect(read.rows).toBeLessThan(600);
});

test('a day with very many entries after days with few is taken by itself', async () => {
  const project = await makeProjectWith([
    ...Array.from({ length: 8 }, (_, index) => ({
      customer: 'few',
      amount: 1n,
      dateFrom: dayAt(index),
      dateTo: dayAt(index),
    })),
    ...Array.from({ length: 9_000 }, (_, index) => ({
      customer: `many ${index % 3}`,
      amount: 2n,
      dateFrom: dayAt(8 + (index % 2)),
      dateTo: dayAt(8 + (index % 2)),
    })),
  ]);
  const { store, read } = counted();
  const rows = await readRevenueRows(currentFacts(store, project), {
    periods: days(dayAt(0), dayAt(400)),
    ...everyDay,
    most: 101,
  });
  expect(rows.map(({ period, value, revenue }) => [period - toDayNumber(dayAt(0)), value, revenue])).toEqual([
    ...Array.from({ length: 8 }, (_, day) => [day, 'few', 1n]),
    ...[8, 9].flatMap((day) => ['many 0', 'many 1', 'many 2'].map((name) => [day, name, 3_000n])),
  ]);
  expect(read.rows).toBeLessThan(22_000);
});
