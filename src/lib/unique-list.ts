import { z } from 'zod';
import { check, mostFaults } from './faults.ts';
import { findRepeated } from './repeated.ts';

export interface ListOptions {
  /** The field of the body that holds the list. */
  readonly list: string;
  /** What messages call the items: `['entry', 'entries']`. */
  readonly nouns: readonly [one: string, many: string];
  readonly most: number;
  /** One without it. */
  readonly least?: 0;
  /** The field that no two items may share, and that faults point at. */
  readonly id: string;
  /** What no two items may share, where that is more than the field; undefined for an item that lacks it. */
  readonly keyOf?: (item: Readonly<Record<string, unknown>>) => string | undefined;
}

/** A list with at least one item, or `least`, at most `most`, and no key twice. All repetitions are reported at once (D11.1). */
export function uniqueList<Item extends z.ZodType>(
  item: Item,
  { list, nouns: [one, many], most, least, id, keyOf }: ListOptions,
): z.ZodArray<Item> {
  const idOf = (value: Readonly<Record<string, unknown>>) => (typeof value[id] === 'string' ? value[id] : undefined);
  return z
    .array(item)
    .min(least ?? 1, { error: `must have at least one ${one}` })
    .max(most, { error: `must have at most ${most} ${many}` })
    .superRefine(
      (items, context) => {
        // Items may have other faults.
        const keys = items.map((value: unknown) => (isObject(value) ? (keyOf ?? idOf)(value) : undefined));
        for (const [index, other] of findRepeated(keys)) {
          const same = keyOf ? `${other} is of the same` : `${other}/${id} is the same`;
          const message = `must not be repeated: /${list}/${same}`;
          context.addIssue({ code: 'custom', path: [index, id], message, params: { code: 'duplicate' } });
        }
      },
      { when: ({ value }) => Array.isArray(value) },
    );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A body that is one entry, or an object with a list of them. The pointers of faults match the form that was sent. */
export function eitherOneOrList<Entry extends z.ZodObject>(
  entry: Entry,
  options: ListOptions,
): z.ZodType<z.output<Entry>[], unknown> {
  const { list } = options;
  const many = z.strictObject({ [list]: uniqueList(entry, options) });
  return z
    .unknown()
    .transform((input, context): z.output<Entry>[] => {
      const isList = isObject(input) && list in input;
      const checked = check<z.ZodType>(isList ? many : entry, input, mostFaults + 1);
      if (checked.ok) {
        const value = checked.value as Record<string, unknown>;
        return (isList ? Object.values(value).flat() : [value]) as z.output<Entry>[];
      }
      for (const { pointer, code, message } of checked.faults) {
        const path = pointer.split('/').slice(1);
        context.issues.push({ code: 'custom', input, path, message, params: { code } });
      }
      return z.NEVER;
    })
    .meta({ anyOf: [entry, many].map((schema) => z.toJSONSchema(schema, { io: 'input' })) });
}
