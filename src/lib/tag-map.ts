import { z } from 'zod';
import { isLonger } from './code-points.ts';
import { codeOf, messageOf, mostFaults } from './faults.ts';
import type { FaultCode } from './problem.ts';

/** Text that both stores can hold, possibly empty. PostgreSQL does not allow NUL. */
export const storableTextOrEmpty = (most: number) =>
  z
    .string()
    .refine((text) => !isLonger(text, most), {
      error: `must have at most ${most} characters`,
      params: { code: 'too_long' },
    })
    .refine((text) => !text.includes('\0') && text.isWellFormed(), {
      error: 'must be well-formed text without NUL',
      params: { code: 'invalid_value' },
    });

/** Text that both stores can hold, of 1 to `most` characters. */
export const storableText = (most: number) =>
  storableTextOrEmpty(most).refine((text) => text !== '', { error: 'must not be empty', params: { code: 'empty' } });

/** An id in a path. Characters that no id has lead to a 404. */
export const pathId = z.string().regex(/^[\x21-\x7e]+$/);

/**
 * An object with free keys, as a Map: an object would lose the key `__proto__`. Keys and values are checked by their schemas,
 * and each fault points at its key.
 */
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
