// Rows that the model expects. Fields are exact, except those whose last digits the decisions leave open.
import { expect } from 'vitest';
import type { Json } from '../client.ts';
import { quotient } from '../decimal.ts';

export interface ModelRow {
  row: Json;
  /** False if the row is all zeros and the decisions leave open whether the answer has it. */
  certain: boolean;
}

/** USD in units of 10⁻³⁰: a cost has 12 fractional digits, a covered fraction 18. */
export interface Amount {
  exact: bigint;
  /** The allowed difference of an answer: 0 if the decisions fix every digit. */
  slack: bigint;
}

export const unit = 10n ** 30n;
export const unitsInPico = 10n ** 18n;

/** The value of an amount in an answer: the nearest double, or a value within the slack. */
export function shown({ exact, slack }: Amount): unknown {
  const value = quotient(exact, unit);
  return slack === 0n ? value : near(value, quotient(slack, unit) + lastDigit(value));
}

/** Matches any number that differs by at most `slack`. */
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

/** Matches any of the values. */
export function oneOf(...values: string[]): unknown {
  return values.length === 1 ? values[0] : expect.stringMatching(new RegExp(`^(?:${values.join('|')})$`));
}

/** Matches a quotient of two exact numbers, whose last digits are not specified. */
export function nearQuotient(value: number, slack = 0): unknown {
  return near(value, slack + Math.abs(value) * 1e-14);
}

/** An upper bound of the distance between a double and its neighbours. */
function lastDigit(value: number): number {
  return Math.abs(value) * 2 ** -52;
}

/** Checks all rows of an answer and their order. */
export function expectRows(answered: readonly Json[], expected: readonly ModelRow[]): void {
  const keyOf = ({ date_from, customer, user }: Json): string => JSON.stringify([date_from, customer, user]);
  const answeredKeys = new Set(answered.map(keyOf));
  const rows = expected.flatMap(({ row, certain }) => (certain || answeredKeys.has(keyOf(row)) ? [row] : []));
  expect(answered).toEqual(rows);
}
