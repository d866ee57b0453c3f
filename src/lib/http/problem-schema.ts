import { z } from 'zod';
import { problemTable } from './problem-table.ts';

const codes = Object.keys(problemTable);

const fault = z.object({
  pointer: z
    .string()
    .describe('JSON Pointer into the body, empty for all of it; or / and the name of a parameter or header.'),
  code: z.string().describe('What is wrong, from a closed list.'),
  message: z.string().describe('What it must be.'),
});

/** The title of the schema of a problem: marks answers that are sent as `application/problem+json`. */
export const problemTitle = 'Problem';

/** A problem (RFC 9457, D11.1). Routes name it only for further members, or a refusal of their own, as a 409. */
export const problemWith = <Members extends z.ZodRawShape>(members: Members = {} as Members) =>
  z
    .object({
      type: z.string().describe('Always about:blank: the code says what it is.'),
      title: z.string().describe('The code in words.'),
      status: z.number().int().describe('The status of the answer.'),
      detail: z.string().describe('What to do.'),
      code: z.enum(codes).describe('What kind of problem it is, from a closed list.'),
      request_id: z.string().describe('Names the request in the log of the service.'),
      errors: z
        .array(fault)
        .optional()
        .describe('The faults of the headers, the body or the query string: the first 100 of them.'),
      errors_total: z
        .number()
        .int()
        .optional()
        .describe('How many faults there are at least; left out if `errors` has all.'),
      ...members,
    })
    .meta({ title: problemTitle });
