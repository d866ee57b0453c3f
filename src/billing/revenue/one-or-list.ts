import { z } from 'zod';
import { check, mostFaults } from '../../lib/faults.ts';
import { findRepeated } from '../../lib/repeated.ts';

interface ListOptions {
  /** The field that holds the list. */
  readonly list: string;
  readonly most: number;
  /** The key that no two entries may share; undefined for an entry that lacks it. */
  readonly keyOf: (entry: Record<string, unknown>) => string | undefined;
  /** The field that the fault of a repeated key points at. */
  readonly repeated: string;
}

/** A body that is one entry, or an object with a list of them. The pointers of faults match the form that was sent. */
export function eitherOneOrList<Entry extends z.ZodObject>(
  entry: Entry,
  { list, most, keyOf, repeated }: ListOptions,
): z.ZodType<z.output<Entry>[], unknown> {
  const entries = z
    .array(entry)
    .min(1, { error: 'must have at least one entry' })
    .max(most, { error: `must have at most ${most} entries` })
    .superRefine(
      (values, context) => {
        const keys = values.map((value: unknown) => (isObject(value) ? keyOf(value) : undefined));
        for (const [index, other] of findRepeated(keys)) {
          const message = `must not be repeated: /${list}/${other} is of the same`;
          context.addIssue({ code: 'custom', path: [index, repeated], message, params: { code: 'duplicate' } });
        }
      },
      { when: ({ value }) => Array.isArray(value) },
    );
  const many = z.strictObject({ [list]: entries });
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

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
