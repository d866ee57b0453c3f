import { z } from 'zod';
import { isLonger } from './code-points.ts';
import { codeOf, messageOf, mostFaults } from './faults.ts';
import type { FaultCode } from './problem.ts';

/** PostgreSQL holds no NUL. It is one check, since a body may have a hundred thousand texts. */
const textOf = (least: 0 | 1, most: number, ofOthers?: { readonly error: string }) =>
  z.string(ofOthers).check(({ value, issues }) => {
    const tell = (code: FaultCode, message: string) =>
      issues.push({ code: 'custom', input: value, message, params: { code }, continue: true });
    if (isLonger(value, most)) tell('too_long', `must have at most ${most} characters`);
    if (value.includes('\0') || !value.isWellFormed()) tell('invalid_value', 'must be well-formed text without NUL');
    if (value.length < least) tell('empty', 'must not be empty');
  });

/**
 * Text that both stores can hold, possibly empty.
 * @param ofOthers what is said of a value that is no text
 */
export const storableTextOrEmpty = (most: number, ofOthers?: { readonly error: string }) => textOf(0, most, ofOthers);

/** Text that both stores can hold, of 1 to `most` characters. */
export const storableText = (most: number) => textOf(1, most);

/** An id in a path. Characters that no id has lead to a 404. */
export const pathId = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

/** Free keys as a Map, since an object would lose the key `__proto__`. Each fault points at its key. */
export function mapOf<V extends z.ZodType>(key: z.ZodType<string>, value: V, jsonSchema: Record<string, unknown>) {
  return z
    .unknown()
    .transform((input, context): Map<string, z.output<V>> => {
      const entries = new Map<string, z.output<V>>();
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        const code: FaultCode = input === undefined ? 'required' : 'invalid_type';
        context.issues.push({ code: 'custom', input, message: 'must be an object', params: { code } });
        return entries;
      }
      for (const [name, entry] of Object.entries(input)) {
        // The rest of them would not be told.
        if (context.issues.length > mostFaults) break;
        for (const [schema, checked] of [[key, name] as const, [value, entry] as const]) {
          const parsed = schema.safeParse(checked);
          if (parsed.success) {
            if (schema === value) entries.set(name, parsed.data as z.output<V>);
            continue;
          }
          for (const issue of parsed.error.issues) {
            context.issues.push({
              code: 'custom',
              input: checked,
              path: [name, ...issue.path],
              message: messageOf(issue),
              params: { code: codeOf(issue, checked) },
            });
          }
        }
      }
      return entries;
    })
    .meta(jsonSchema);
}
