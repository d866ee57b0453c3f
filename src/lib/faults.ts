import type { z } from 'zod';
import { type Fault, type FaultCode, toPointer } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** Codes for checks that zod has no name for: put `{ params: { code } }` on the refinement. */
const ownCode = (issue: Issue): FaultCode | undefined =>
  issue.code === 'custom' ? (issue.params?.code as FaultCode | undefined) : undefined;

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined,
    input,
  );

/** The fault code of an issue that zod found in `input`. */
export function codeOf(issue: Issue, input: unknown): FaultCode {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(input, issue.path) === undefined ? 'required' : 'invalid_type';
    case 'too_big':
      return issue.origin === 'string' ? 'too_long' : issue.origin === 'array' ? 'too_many' : 'out_of_range';
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'empty' : 'out_of_range';
    case 'invalid_union':
      return valueAt(input, issue.path) === undefined ? 'required' : 'invalid_type';
    default:
      return ownCode(issue) ?? 'invalid_value';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/** The message of an issue, worded like the schemas' own messages: "must …". */
export function messageOf(issue: Issue): string {
  // Schemas with their own message are the most specific.
  if (issue.message.startsWith('must ') || issue.message.startsWith('a ')) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : issue.origin === 'array'
          ? `must have at most ${issue.maximum} entries`
          : `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** All issues that zod found, as faults of a problem, each with a pointer to its field (D11.1). */
export function toFaults(error: z.core.$ZodError, input: unknown): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: toPointer([...issue.path, key]),
        code: 'unknown_field',
        message: 'is not known here: remove it or correct its name',
      }));
    }
    const code = codeOf(issue, input);
    return [{ pointer: toPointer(issue.path), code, message: code === 'required' ? 'is required' : messageOf(issue) }];
  });
}
