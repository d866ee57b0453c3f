import { z } from 'zod';
import { check, mostFaults } from '../../lib/faults.ts';
import { isObject, type ListOptions, uniqueList } from './unique-list.ts';

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
