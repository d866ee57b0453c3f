// The effort of the tests: usual (`npm test`) or long (`npm run test:long`).
import { randomInt } from 'node:crypto';

const { TEST_EFFORT, TEST_SEED } = process.env;

/** Whether this is the long form: more rounds, more random cases, and the whole API on both pairs of stores. */
export const isLong = TEST_EFFORT === 'long';

/** The first amount in `npm test`, the second in the long form. */
export const usualOrLong = <Amount>(usual: Amount, long: Amount): Amount => (isLong ? long : usual);

/** The whole list in the long form; otherwise `count` items of it, evenly spread. */
export const someOf = <Item>(list: readonly Item[], count: number): Item[] =>
  isLong
    ? [...list]
    : list.filter(
        (_item, index) => Math.floor(((index + 1) * count) / list.length) > Math.floor((index * count) / list.length),
      );

/**
 * The seed of random cases and rounds: one in the usual form, so that two runs agree; another in each run of the long one.
 * A failure prints it. TEST_SEED repeats the same cases, but not their timing.
 */
export const seed = Number(TEST_SEED ?? usualOrLong(20_240_501, randomInt(2 ** 31)));

/** Left to the long form: rounds of kills and faults, sizes, other people's packages, and what cheaper tests show. */
export const tooLong: readonly string[] = [
  'tests/api/4.3-margin/{401,405,413,415}.test.ts',
  'tests/api/D11.3-openapi/linters.test.ts',
  'tests/browser/many-customers.test.ts',
  'tests/clients/python/*.test.ts',
  'tests/clients/telemetry/telemetry.test.ts',
  'tests/crash/{closed,first-start,frozen,notifications,rebuild,sdk}.test.ts',
  'tests/docs/{opentelemetry-node,tutorial}.test.ts',
  'tests/faults/{clock,kills,large-project,overload}.test.ts',
  'tests/instances/{alerts,verify-cluster}.test.ts',
  'tests/property/reconciliation.test.ts',
  'tests/security/{fuzz,schemathesis}.test.ts',
];
