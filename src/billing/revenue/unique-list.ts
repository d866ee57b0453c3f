import { z } from 'zod';
import { findRepeated } from '../../lib/repeated.ts';

interface ListOptions {
  /** The field of the body that holds the list. */
  readonly list: string;
  /** What messages call the items: `['entry', 'entries']`. */
  readonly nouns: readonly [one: string, many: string];
  readonly most: number;
  /** The field that no two items may share. */
  readonly id: string;
}

/** A list with at least one item, at most `most`, and no id twice. All repetitions are reported at once (D11.1). */
export const uniqueList = <Item extends z.ZodType>(
  item: Item,
  { list, nouns: [one, many], most, id }: ListOptions,
): z.ZodArray<Item> =>
  z
    .array(item)
    .min(1, { error: `must have at least one ${one}` })
    .max(most, { error: `must have at most ${most} ${many}` })
    .superRefine(
      (items, context) => {
        for (const [index, other] of findRepeated(items.map((value) => readId(value, id)))) {
          context.addIssue({
            code: 'custom',
            path: [index, id],
            message: `must not be repeated: /${list}/${other}/${id} is the same`,
            params: { code: 'duplicate' },
          });
        }
      },
      { when: ({ value }) => Array.isArray(value) },
    );

/** The id of an item that may have other faults. */
function readId(item: unknown, field: string): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const id: unknown = Reflect.get(item, field);
  return typeof id === 'string' ? id : undefined;
}
