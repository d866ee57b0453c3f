import { expect } from 'vitest';
import { z } from 'zod';
import type { Answer } from './client.ts';

/** The closed list of codes in D11.1. */
export const problemCodes = [
  'invalid_request',
  'invalid_json',
  'invalid_body',
  'invalid_query',
  'invalid_cursor',
  'wrong_project_type',
  'beyond_retention',
  'answer_too_large',
  'unauthenticated',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'headers_too_large',
  'unavailable',
  'catching_up',
  'internal',
] as const;
export type ProblemCode = (typeof problemCodes)[number];

const problem = z.looseObject({
  type: z.string().min(1),
  title: z.string().min(1),
  status: z.number().int(),
  detail: z.string().min(1),
  code: z.enum(problemCodes),
  request_id: z.string().min(1),
  errors: z.array(z.object({ pointer: z.string(), code: z.string().min(1), message: z.string().min(1) })).optional(),
});
export type Problem = z.infer<typeof problem>;

/** Checks the whole shape of an error answer (D11.1), its status and its code, and returns the problem. */
export function expectProblem(answer: Answer, status: number, code: ProblemCode): Problem {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  const parsed = problem.parse(answer.body);
  expect({ code: parsed.code, detail: parsed.detail }).toMatchObject({ code });
  expect(parsed.status).toBe(status);
  return parsed;
}

/** Checks a 400 whose `errors` are exactly at these pointers, in any order. */
export function expectInvalid(
  answer: Answer,
  pointers: readonly string[],
  code: 'invalid_body' | 'invalid_query' = 'invalid_body',
): Problem {
  const found = expectProblem(answer, 400, code);
  expect((found.errors ?? []).map((error) => error.pointer).sort(), answer.text).toEqual([...pointers].sort());
  return found;
}
