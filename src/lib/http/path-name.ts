import type { z } from 'zod';
import { toFaults } from '../faults.ts';
import { type Fault, type FaultCode, Problem } from '../problem.ts';

/**
 * The name in the path of a PUT. An invalid name is a fault of the request, not a missing thing; `what` it would name.
 * @throws Problem `invalid_body`
 */
export function readPathName(schema: z.ZodType<string>, name: string, what: string): string {
  const parsed = schema.check(isReachable).safeParse(name);
  if (parsed.success) return parsed.data;
  const errors = toFaults(parsed.error, name).map((fault): Fault => ({ ...fault, pointer: '/name' }));
  throw new Problem('invalid_body', `The name in the path is not a valid name of ${what}.`, { errors });
}

/** Clients take `.` and `..` out of a path, however they are escaped, and nobody sees a blank name. */
export const isReachable: z.core.CheckFn<string> = ({ value, issues }) => {
  const tell = (code: FaultCode, message: string) =>
    issues.push({ code: 'custom', input: value, message, params: { code }, continue: true });
  if (/^\.\.?$/.test(value)) tell('invalid_value', 'must not be . or .., which no URL can have');
  if (value !== '' && value.trim() === '') tell('invalid_value', 'must not be blank');
};
