// Random credit grants and revenue entries.
import fc from 'fast-check';
import { addDays, type ModelGrant, type RevenueEntry } from '../model.ts';
import { customers, firstDay, withoutUndefined } from './names.ts';

export type NewGrant = Omit<ModelGrant, 'id'>;

// Some would match more models if they were read as SQL or regular-expression patterns.
const modelPatterns = ['m1', 'm*', '模型*', '😀 3', '😀*', "Ａ'4", "Ａ'*", '*', 'M1', 'm_*', '%*', '.*', 'm?'];

interface GrantParts extends Omit<NewGrant, 'starts_on' | 'expires_on'> {
  /** Counted in days from the first day. */
  from: number;
  to: number | undefined;
}

function grantOf({ from, to, ...grant }: GrantParts): NewGrant {
  return {
    ...grant,
    starts_on: addDays(firstDay, from),
    ...(to !== undefined && { expires_on: addDays(firstDay, Math.max(from, to)) }),
  };
}

/** Grants of all kinds; most overlap. */
const variousGrants = (days: number): fc.Arbitrary<NewGrant[]> =>
  fc.array(
    fc
      .record({
        provider: fc.constantFrom('p1', 'p1', 'p1', 'P1', 'P1', 'p\\2', 'P\\2', 'Ü', 'ü', 'nobody'),
        models: fc.option(fc.uniqueArray(fc.constantFrom(...modelPatterns), { minLength: 1, maxLength: 3 }), {
          freq: 1,
          nil: undefined,
        }),
        amount: fc.oneof(
          fc.integer({ min: 1, max: 15_000_000 }).map((micros) => micros / 1_000_000),
          fc.constantFrom(0.000001, 0.1, 0.3, 1 / 8, 1000),
        ),
        from: fc.integer({ min: -2, max: days }),
        to: fc.option(fc.integer({ min: 0, max: days }), { freq: 3, nil: undefined }),
        priority: fc.constantFrom(undefined, 0, 0, 1, -1),
        name: fc.constantFrom(undefined, 'a "grant"'),
      })
      .map(({ models, priority, name, ...grant }) =>
        grantOf({ ...grant, ...withoutUndefined({ models, priority, name }) }),
      ),
    { minLength: 1, maxLength: 7, size: 'max' },
  );

/** Grants for the same calls, so that each criterion of their order (D7.2) decides some of the time. */
const rivalGrants = (days: number): fc.Arbitrary<NewGrant[]> =>
  fc.array(
    fc
      .record({
        provider: fc.constantFrom('p1', 'P1'),
        amount: fc.integer({ min: 1, max: 8 }),
        priority: fc.constantFrom(1, 1, 1, 0),
        from: fc.constantFrom(-2, -2, -1, 1),
        to: fc.constantFrom(undefined, days, days - 2),
      })
      .map(grantOf),
    { minLength: 2, maxLength: 5, size: 'max' },
  );

export const grantsWithin = (days: number): fc.Arbitrary<NewGrant[]> =>
  fc.oneof(variousGrants(days), rivalGrants(days));

/** Amounts of any size, some with more digits than a double holds. */
export const anyAmount: fc.Arbitrary<number | string> = fc.oneof(
  // First close to the cost of calls, so that margins are thin; then far from it.
  fc.integer({ min: 1, max: 60 }),
  fc.integer({ min: -500, max: 2000 }).filter((amount) => amount !== 0),
  fc.integer({ min: 1, max: 99_999_999 }).map((micros) => micros / 1_000_000),
  fc.constantFrom(1e-12, -1e-12, 0.1, '0.000000000001', '-0.000000000007', '10', '1.50', '-12.250'),
  fc
    .tuple(fc.constantFrom('', '', '-'), fc.integer({ min: 0, max: 999_999_999 }), fc.bigInt(1n, 10n ** 12n - 1n))
    .map(([sign, whole, picos]) => `${sign}${whole}.${String(picos).padStart(12, '0')}`),
);

/** A sum of twenty of these has at most 15 digits, so sums of answers can be checked without loss. */
export const smallAmount: fc.Arbitrary<number | string> = fc
  .tuple(fc.constantFrom('', '', '-'), fc.integer({ min: 0, max: 30 }), fc.bigInt(1n, 10n ** 12n - 1n))
  .map(([sign, whole, picos]) => `${sign}${whole}.${String(picos).padStart(12, '0')}`);

/** Requests in the order of sending; a later one replaces entries of an earlier one. */
export const revenueWithin = (days: number, amount: fc.Arbitrary<number | string>): fc.Arbitrary<RevenueEntry[][]> =>
  fc.array(
    fc.uniqueArray(
      fc
        .record({
          external_id: fc.constantFrom('inv-1', 'inv-2', 'inv-3', "inv '4'", 'inv/5', '😀', 'INV-1', '７', '8', '9'),
          customer: fc.constantFrom(...customers.filter((name) => name !== ''), 'only pays'),
          amount,
          from: fc.integer({ min: -3, max: days }),
          length: fc.oneof(
            { weight: 2, arbitrary: fc.constantFrom(undefined, 0) },
            { weight: 4, arbitrary: fc.integer({ min: 0, max: days }) },
            // Years, with and without a leap day, up to the longest span allowed.
            { weight: 1, arbitrary: fc.constantFrom(365, 366, 1095, 3659) },
          ),
          early: fc.constantFrom(0, 0, 300),
        })
        .map(({ from, length, early, ...entry }) => ({
          ...entry,
          date_from: addDays(firstDay, from - early),
          ...(length !== undefined && { date_to: addDays(firstDay, from - early + length) }),
        })),
      { selector: ({ external_id }) => external_id, minLength: 1, maxLength: 6, size: 'max' },
    ),
    { minLength: 1, maxLength: 3, size: 'max' },
  );
