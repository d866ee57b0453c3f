import type { z } from 'zod';
import { toFaults } from '../faults.ts';
import { type Fault, Problem } from '../problem.ts';

/**
 * The name in the path of a PUT. An invalid name is a fault of the request, not a missing thing; `what` it would name.
 * @throws Problem `invalid_body`
 */
export function readPathName(schema: z.ZodType<string>, name: string, what: string): string {
  const parsed = schema.safeParse(name);
  const unnameable = unnameableOf(name);
  if (parsed.success && !unnameable) return parsed.data;
  const found = parsed.success ? [] : toFaults(parsed.error, name);
  const errors = [...found, ...(unnameable ? [unnameable] : [])].map(
    (fault): Fault => ({ ...fault, pointer: '/name' }),
  );
  throw new Problem('invalid_body', `The name in the path is not a valid name of ${what}.`, { errors });
}

/** Clients take `.` and `..` out of a path, however they are escaped, and nobody sees a blank name. */
function unnameableOf(name: string): Omit<Fault, 'pointer'> | undefined {
  if (/^\.\.?$/.test(name)) return { code: 'invalid_value', message: 'must not be . or .., which no URL can have' };
  if (name !== '' && name.trim() === '') return { code: 'invalid_value', message: 'must not be blank' };
  return undefined;
}
