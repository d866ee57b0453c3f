import { z } from 'zod';
import type { ProblemCode } from '../problem.ts';
import { version } from '../version.ts';
import type { Header, Reference, Schema } from './openapi-document.ts';
import { mapValues, tidyAnswerSchema } from './openapi-schema.ts';
import { problemWith } from './problem-schema.ts';
import { problemTable } from './problem-table.ts';
import { sessionCookie } from './session-cookie.ts';

const ref = (path: string): Reference => ({ $ref: `#/components/${path}` });

/** An example of a problem, as in an answer. */
const exampleProblem = (code: ProblemCode, detail: string, members: object = {}) => ({
  value: {
    type: 'about:blank',
    ...problemTable[code],
    detail,
    code,
    request_id: '2f0c3f6e-8f0e-4c55-9b52-5c2f4a3f0a11',
    ...members,
  },
});

interface Refusal {
  readonly description: string;
  readonly examples: Readonly<Record<string, Parameters<typeof exampleProblem>>>;
  readonly headers?: Readonly<Record<string, Reference | Header>>;
}

const asOf: Header = {
  description: 'The instant up to which everything acknowledged is in the answer.',
  required: true,
  schema: { type: 'string', format: 'date-time' },
  example: '2026-11-21T09:04:11.482Z',
};
const retryAfter = { 'Retry-After': ref('headers/RetryAfter') };
const wholeNumber = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

/** The refusals that routes of a kind share, by status (D11.2). */
const refusals: Readonly<Record<string, Refusal>> = {
  400: {
    description: 'A header, the body or the query string is not valid: `errors` lists every fault.',
    examples: {
      header: [
        'invalid_request',
        'Correct these headers and send the request again: farthing-consistency.',
        {
          errors: [{ pointer: '/farthing-consistency', code: 'invalid_value', message: 'must be strict or relaxed' }],
        },
      ],
      body: [
        'invalid_body',
        'The body has 2 faults; correct what errors lists and send it again.',
        {
          errors: [
            { pointer: '/limit', code: 'out_of_range', message: 'must be at least 1' },
            {
              pointer: '/agregate',
              code: 'unknown_field',
              message: 'is not known here: remove it or correct its name',
            },
          ],
        },
      ],
      json: ['invalid_json', 'The body is not valid JSON: there is a fault at position 17.'],
      cursor: ['invalid_cursor', 'This cursor belongs to another question; ask without a cursor first.'],
    },
  },
  401: {
    description: 'No key or token, or one that is unknown, expired or revoked.',
    headers: { 'WWW-Authenticate': ref('headers/WwwAuthenticate') },
    examples: { key: ['unauthenticated', 'The API key is unknown, expired or revoked; send a valid one.'] },
  },
  403: {
    description:
      'The key lacks the scope, the member lacks the role, the project is not named, or a session is used from another origin.',
    examples: {
      scope: ['forbidden', 'This request needs a key with the scope write; this key has read.'],
      role: [
        'forbidden',
        'This needs the role editor in the project; you are viewer. An owner of the project can give it.',
      ],
      project: ['forbidden', 'With the admin token, name the project in the header Farthing-Project: prj_….'],
    },
  },
  404: {
    description: 'The path names nothing that the project has, or no project.',
    headers: { 'Farthing-As-Of': { ...asOf, required: false } },
    examples: { thing: ['not_found', 'There is no project with this id.'] },
  },
  408: {
    description: 'The request, or its headers, did not come within the time that the service waits.',
    examples: { slow: ['request_timeout', 'Send the whole request without long pauses.'] },
  },
  413: {
    description: 'The body is too large.',
    examples: {
      body: ['payload_too_large', 'A request to this route holds at most 4194304 bytes, decoded; send less at once.'],
    },
  },
  415: {
    description: 'The body is not JSON, or has an encoding that this route does not accept.',
    examples: {
      type: ['unsupported_media_type', 'Send the body as JSON, with the header Content-Type: application/json.'],
    },
  },
  429: {
    description:
      'The client posts more often than the instance allows, or the project asks more at once than its share.',
    headers: {
      ...retryAfter,
      'RateLimit-Limit': wholeNumber('Requests that the client may send in a second.'),
      'RateLimit-Remaining': wholeNumber('Requests that are left of them.'),
      'RateLimit-Reset': wholeNumber('Seconds until there are more.'),
    },
    examples: {
      rate: ['rate_limited', 'This client posts too often; wait for the time that Retry-After gives in seconds.'],
    },
  },
  431: {
    description: 'The request line and the headers are larger than 16 KiB.',
    examples: {
      headers: [
        'headers_too_large',
        'The request line and the headers hold at most 16 KiB together; send fewer or shorter ones.',
      ],
    },
  },
  500: {
    description: 'A fault of the service. The answer says nothing of it; the log has the cause.',
    examples: { fault: ['internal', 'This is a fault of the service. Its log has the cause under the request_id.'] },
  },
  503: {
    description: 'A store cannot answer now, or the answer would not be up to date yet.',
    headers: retryAfter,
    examples: {
      store: ['unavailable', 'The store cannot answer this now; ask again later, or for a shorter range.'],
      behind: ['catching_up', 'The events of the last seconds are not in the numbers yet; ask again.'],
    },
  },
};

const bearer = (description: string) => ({
  type: 'http' as const,
  scheme: 'bearer',
  description,
});

export const securitySchemes = {
  apiKey: bearer('An API key of a project: `fk_…`. Each route names the scope that it needs.'),
  adminToken: bearer('The admin token. Routes of a project then need the header `Farthing-Project`.'),
  clientSecret: bearer('A secret of the client that posts: `fs_…`.'),
  metricsToken: bearer('The token of FARTHING_METRICS_TOKEN, if that is set.'),
  session: {
    type: 'apiKey' as const,
    in: 'cookie',
    name: sessionCookie,
    description:
      'The cookie of `POST /session/`, instead of the key or token that signed in. Requests that are not a GET need an `Origin` of this service.',
  },
  member: {
    type: 'apiKey' as const,
    in: 'cookie',
    name: sessionCookie,
    description:
      'The same cookie, of a member. Each route names the role that it needs: viewer, editor or owner of the project, or admin of the instance. Routes of a project then need the header `Farthing-Project`.',
  },
};

export const components: {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly [kind: string]: Readonly<Record<string, unknown>>;
} = {
  securitySchemes,
  schemas: { Problem: problemSchema() },
  parameters: {
    FarthingProject: {
      in: 'header',
      name: 'Farthing-Project',
      description:
        'The project. Needed with the admin token, its session and that of a member; a key has its own project.',
      schema: { type: 'string' },
      example: 'prj_01M7Y940TE0DJ7PP5H8R39FNVH',
    },
    FarthingConsistency: {
      in: 'header',
      name: 'Farthing-Consistency',
      description:
        'With `relaxed` the answer does not wait for the events of the last second. Otherwise it includes everything acknowledged before the request.',
      schema: { type: 'string', enum: ['strict', 'relaxed'], default: 'strict' },
    },
  },
  headers: {
    FarthingVersion: {
      description: 'The version of the service.',
      required: true,
      schema: { type: 'string' },
      example: version,
    },
    FarthingAsOf: asOf,
    RetryAfter: {
      description: 'Seconds to wait.',
      required: true,
      schema: { type: 'integer', minimum: 0 },
      example: 1,
    },
    WwwAuthenticate: {
      description: 'How to authenticate.',
      required: true,
      schema: { type: 'string' },
      example: 'Bearer',
    },
  },
  responses: Object.fromEntries(
    Object.entries(refusals).map(([status, { description, headers, examples }]) => [
      status,
      {
        description,
        headers: { 'Farthing-Version': ref('headers/FarthingVersion'), ...headers },
        content: {
          'application/problem+json': {
            schema: ref('schemas/Problem'),
            examples: mapValues(examples, (example) => exampleProblem(...example)),
          },
        },
      },
    ]),
  ),
};

function problemSchema(): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(problemWith(), { io: 'output' });
  return tidyAnswerSchema(schema);
}
