import { expect, test } from 'vitest';
import { joinParameters } from '../../src/storage/analytic/clause.ts';

test('pieces of a statement share a parameter only if they have the same value of it', () => {
  const customers = { customer: ['a', 'b'], limit: 10 };
  expect(joinParameters({ project: 'p', customer: ['a', 'b'] }, undefined, customers)).toEqual({
    project: 'p',
    customer: ['a', 'b'],
    limit: 10,
  });
  expect(() => joinParameters(customers, { customer: ['a'] })).toThrow('{customer}');
  expect(() => joinParameters({ limit: 10n }, customers)).toThrow('{limit}');
});
