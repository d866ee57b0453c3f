import type { z } from 'zod';
import { toFaults } from '../faults.ts';
import { type Fault, Problem } from '../problem.ts';

/**
 * The name in the path of a PUT. An invalid name is a fault of the request, not a missing thing; `what` it would name.
 * @throws Problem `invalid_body`
 */
export function readPathName(schema: z.ZodType<string>, name: string, what: string): string {
  const parsed = schema.safeParse(name);
  if (parsed.success) return parsed.data;
  const errors = toFaults(parsed.error, name).map((fault): Fault => ({ ...fault, pointer: '/name' }));
  throw new Problem('invalid_body', `The name in the path is not a valid name of ${what}.`, { errors });
}
