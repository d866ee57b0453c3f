import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffRates } from '../../../src/pricing/check/diff-rates.ts';

const input = ['input', 'cache_read', 'cache_write', 'cache_write_1h', 'input_audio', 'cache_read_audio'];
const output = ['output', 'reasoning', 'output_audio'];
const tiers = ['', '_above_200000'];
const names = [...input, ...output, 'request'].flatMap((bucket) => tiers.map((tier) => `${bucket}${tier}`));

const isOutput = (name: string) => output.includes(name.replace(/_above_.*/, ''));

// Few prices, so that many are equal.
const list = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom('1', '2', '3')), { selector: ([name]) => name })
  .map((entries) => new Map(entries));

/** What a list says of a name: its own price, or that of smaller prompts. */
const say = (rates: ReadonlyMap<string, string>, name: string) =>
  rates.get(name) ?? rates.get(name.replace(/_above_.*/, '')) ?? null;

test('D5.2: every named change is one, and every change is named, or is that of a named one beside it', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const changes = diffRates(before, after);
      for (const { rate, before: was, after: is } of changes) {
        expect([was, is]).toEqual([say(before, rate), say(after, rate)]);
        expect(was).not.toBe(is);
      }
      const named = new Set(changes.map(({ rate }) => rate));
      expect(named.size).toBe(changes.length);
      for (const name of new Set([...before.keys(), ...after.keys()])) {
        const [was, is] = [say(before, name), say(after, name)];
        if (was === is || named.has(name)) continue;
        const side = isOutput(name) ? changes.filter(({ rate }) => isOutput(rate)) : changes;
        expect(side).toContainEqual({ rate: expect.anything(), before: was, after: is });
      }
    }),
  );
});

test('D5.2: a list does not differ from itself, and two lists differ either way', () => {
  fc.assert(
    fc.property(list, list, (one, other) => {
      expect(diffRates(one, one)).toEqual([]);
      const back = diffRates(other, one).map(({ rate, before, after }) => ({ rate, before: after, after: before }));
      expect(new Set(back.map((change) => JSON.stringify(change)))).toEqual(
        new Set(diffRates(one, other).map((change) => JSON.stringify(change))),
      );
    }),
  );
});
