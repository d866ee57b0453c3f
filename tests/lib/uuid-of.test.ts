import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { uuidOf } from '../../src/lib/uuid-of.ts';

test('D16.1: a name is always the same UUID of version 8, and other names are others', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
      (namespace, [name = '', ...more]) => {
        const id = uuidOf(namespace, name, ...more);
        expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        expect(uuidOf(namespace, name, ...more)).toBe(id);
        expect(uuidOf(namespace, `${name}x`, ...more)).not.toBe(id);
        expect(uuidOf(`${namespace}x`, name, ...more)).not.toBe(id);
      },
    ),
  );
  // Where one name ends and the next begins counts.
  expect(uuidOf('n', 'ab', 'c')).not.toBe(uuidOf('n', 'a', 'bc'));
});

test('D16.1: a single name that is a UUID is taken as it is, in lower case', () => {
  const id = '0198C0DE-0000-7000-8000-0000000000AA';
  expect(uuidOf('n', id)).toBe(id.toLowerCase());
  expect(uuidOf('n', id, '1')).not.toBe(id.toLowerCase());
});
