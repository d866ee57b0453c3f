// Rows as the model expects them: every field exact, but for those whose last digits the decisions leave open.
import { expect } from 'vitest';
import type { Json } from '../client.ts';
import { quotient } from '../decimal.ts';

export interface ModelRow {
  row: Json;
  /** False where the decisions leave open whether the row is there: it stands for nothing but zeros. */
  certain: boolean;
}

/** An amount of USD in units of 10⁻³⁰, which hold a cost (12 digits) times a covered fraction (18 digits). */
export interface Amount {
  exact: bigint;
  /** How far off an answer may be: 0 where the decisions fix every digit. */
  slack: bigint;
}

export const unit = 10n ** 30n;
export const unitsInPico = 10n ** 18n;

/** What an amount looks like in an answer: the nearest double, or about it. */
export function shown({ exact, slack }: Amount): unknown {
  const value = quotient(exact, unit);
  return slack === 0n ? value : near(value, quotient(slack, unit) + lastDigit(value));
}

/** Stands in an expected row for any number that is close enough. */
export function near(value: number, slack: number): unknown {
  return {
    value,
    slack,
    asymmetricMatch: (actual: unknown) => typeof actual === 'number' && Math.abs(actual - value) <= slack,
    toString: () => `${value} ± ${slack}`,
    $$typeof: Symbol.for('jest.asymmetricMatcher'),
    toAsymmetricMatcher: () => `${value} ± ${slack}`,
  };
}

/** Stands for one of several values. */
export function oneOf(...values: string[]): unknown {
  return values.length === 1 ? values[0] : expect.stringMatching(new RegExp(`^(?:${values.join('|')})$`));
}

/** A quotient of two exact numbers: of its last digits nobody makes a promise. */
export function nearQuotient(value: number, slack = 0): unknown {
  return near(value, slack + Math.abs(value) * 1e-14);
}

/** The distance of a double from its neighbours, at most. */
function lastDigit(value: number): number {
  return Math.abs(value) * 2 ** -52;
}

/** Checks all rows of an answer, and their order. */
export function expectRows(answered: readonly Json[], expected: readonly ModelRow[]): void {
  const keyOf = ({ date_from, customer, user }: Json): string => JSON.stringify([date_from, customer, user]);
  const answeredKeys = new Set(answered.map(keyOf));
  const rows = expected.flatMap(({ row, certain }) => (certain || answeredKeys.has(keyOf(row)) ? [row] : []));
  expect(answered).toEqual(rows);
}
