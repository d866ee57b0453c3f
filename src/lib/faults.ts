import { z } from 'zod';
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
    case 'invalid_union':
      return valueAt(input, issue.path) === undefined ? 'required' : 'invalid_type';
    case 'invalid_value':
      return valueAt(input, issue.path) === undefined ? 'required' : 'invalid_value';
    case 'too_big':
      return issue.origin === 'string' ? 'too_long' : issue.origin === 'array' ? 'too_many' : 'out_of_range';
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'empty' : 'out_of_range';
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

/** The most faults of a body that are worked out (D11.1); its problem says how many there are at least. */
export const mostFaults = 100;

/** A value that a schema has checked: read, or the first faults and the number of all that were found. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly faults: readonly Fault[]; readonly total: number };

/** Like `safeParse`, but words only the first `most` issues: a body may have hundreds of thousands. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  most = mostFaults,
): Checked<z.output<Schema>> {
  const result = schema._zod.run({ value: input, issues: [] }, { async: false });
  if (result instanceof Promise) throw new Error('A schema with an asynchronous check can not be used here');
  if (result.issues.length === 0) return { ok: true, value: result.value as z.output<Schema> };
  const faults: Fault[] = [];
  let total = 0;
  for (const raw of result.issues) {
    total += raw.code === 'unrecognized_keys' ? raw.keys.length : 1;
    if (faults.length < most)
      addFaults(faults, z.core.util.finalizeIssue(raw, undefined, z.core.config()), input, most);
  }
  return { ok: false, faults, total };
}

/** The first issues that zod found, as faults of a problem, each with a pointer to its field (D11.1). */
export function toFaults(error: z.core.$ZodError, input: unknown): Fault[] {
  const faults: Fault[] = [];
  for (const issue of error.issues) {
    if (faults.length >= mostFaults) break;
    addFaults(faults, issue, input, mostFaults);
  }
  return faults;
}

function addFaults(faults: Fault[], issue: Issue, input: unknown, most: number): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys.slice(0, most - faults.length)) {
      const pointer = toPointer([...issue.path, key]);
      faults.push({ pointer, code: 'unknown_field', message: 'is not known here: remove it or correct its name' });
    }
    return;
  }
  const code = codeOf(issue, input);
  faults.push({
    pointer: toPointer(issue.path),
    code,
    message: code === 'required' ? 'is required' : messageOf(issue),
  });
}

/** The most entries of a list and the most keys of an object: no route takes more (D6.5). */
export const mostEntries = 10_000;
/** The most values of a body: the largest that a route takes have a fifth. */
const mostValues = 250_000;

/** The fault of a body that is too large to be checked by a schema. It has more in one place than any route takes. */
export function findExcess(body: unknown): Fault | undefined {
  const unseen: { readonly value: object; readonly pointer: string }[] = [];
  const note = (value: unknown, pointer: string) => {
    if (typeof value === 'object' && value !== null) unseen.push({ value, pointer });
  };
  note(body, '');
  let values = 0;
  for (let next = unseen.pop(); next !== undefined; next = unseen.pop()) {
    const { value, pointer } = next;
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    const count = Array.isArray(value) ? value.length : (keys ?? []).length;
    if (count > mostEntries) return { pointer, code: 'too_many', message: `must have at most ${mostEntries} entries` };
    values += count;
    if (values > mostValues)
      return { pointer: '', code: 'too_many', message: `must have at most ${mostValues} values` };
    if (keys === undefined)
      for (const [index, item] of (value as unknown[]).entries()) note(item, `${pointer}/${index}`);
    else for (const key of keys) note((value as Record<string, unknown>)[key], pointer + toPointer([key]));
  }
  return undefined;
}
