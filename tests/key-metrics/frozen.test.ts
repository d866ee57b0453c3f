// The frozen part of a reading adds up to the same after its events are deleted.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReadingTotal } from '../../src/accounts/key-metrics/reading-total.ts';

const numbers = fc.oneof(
  fc.integer().map(String),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 90n), max: 10n ** 90n }), fc.nat({ max: 99 }))
    .map(([digits, scale]) => `${digits}e-${scale}`),
  fc.constantFrom('0.1', '1e-100', '-99999999999999999999.99999999999999999999', '9e99', '"no number"', 'null'),
);
const words = fc.oneof(numbers, fc.constantFrom('"a"', '"\\u0061"', '"b"', '1', '1.0', '1e0', 'true', '"true"'));

const totalOf = (aggregation: 'sum' | 'unique', texts: readonly string[], isHashed: boolean): ReadingTotal => {
  const total = new ReadingTotal(aggregation, { isHashed });
  for (const text of texts) total.addText(text);
  return total;
};

test.each(['sum', 'unique'] as const)(
  'D9.1: the %s of days that are kept and of others is that of all',
  (aggregation) => {
    const days = fc.array(fc.array(aggregation === 'sum' ? numbers : words, { maxLength: 6 }), { maxLength: 5 });
    fc.assert(
      fc.property(days, days, (deleted, live) => {
        const all = totalOf(aggregation, [...deleted, ...live].flat(), false);
        const added = totalOf(aggregation, live.flat(), true);
        for (const day of deleted) {
          const { fed, sum, rest, hashes } = totalOf(aggregation, day, true).frozen;
          const rests = rest === '' ? [] : [rest];
          added.addCounted({ events: fed, fed, sum, distinct: 0, values: hashes, rests });
        }
        expect(added.value).toEqual(all.value);
        expect(added.fed).toBe(all.fed);
      }),
    );
  },
);
