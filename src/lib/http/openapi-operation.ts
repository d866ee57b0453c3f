import type { Access, NeededRole } from './access.ts';
import type {
  Media,
  Operation,
  Parameter,
  Reference,
  RequestBody,
  Response,
  SecurityRequirement,
} from './openapi-document.ts';
import { mapValues, tidyAnswerSchema, tidyBodySchema, tidySchema } from './openapi-schema.ts';
import { operationNameOf } from './operation-name.ts';
import { problemTitle } from './problem-schema.ts';

/** What the description of a route needs besides its schemas. */
export interface RouteFacts {
  readonly access: Access;
  /** What a member needs to be; undefined where members have no part. */
  readonly role: NeededRole | undefined;
  readonly readsCalls: boolean;
  readonly isFile: boolean;
  readonly isBodyOptional: boolean;
}

const securityOf: Readonly<Record<Access, readonly SecurityRequirement[]>> = {
  public: [],
  client: [{ clientSecret: [] }],
  admin: [{ adminToken: [] }, { session: [] }],
  project_admin: [{ adminToken: [] }, { session: [] }],
  // A bearer scheme lists the roles that it needs: here the scopes of the key.
  read: [{ apiKey: ['read'] }, { adminToken: [] }, { session: ['read'] }],
  write: [{ apiKey: ['write'] }, { adminToken: [] }, { session: ['write'] }],
  read_or_write: [
    ...[{ apiKey: ['read'] }, { apiKey: ['write'] }, { adminToken: [] }],
    ...[{ session: ['read'] }, { session: ['write'] }],
  ],
};

const isOfProject = (access: Access): boolean =>
  access === 'read' || access === 'write' || access === 'read_or_write' || access === 'project_admin';

/** Completes the description of a route with the facts of its access and kind, so that no route file repeats them. */
export function completeOperation(
  { method, path }: { readonly method: string; readonly path: string },
  operation: Operation,
  facts: RouteFacts,
): Operation {
  const { access, readsCalls, isFile } = facts;
  const hasProject = isOfProject(access);
  const parameters = [
    ...(operation.parameters ?? []).filter((one) => !isFile || !isOfPage(one)).map(tidyParameter),
    ...(hasProject ? [refTo('parameters', 'FarthingProject')] : []),
    ...(readsCalls ? [refTo('parameters', 'FarthingConsistency')] : []),
  ];
  const { responses, requestBody, ...rest } = operation;
  return {
    operationId: operationNameOf(method, path, access === 'read'),
    ...rest,
    security: operation.security ?? [
      ...securityOf[access],
      ...(facts.role === undefined ? [] : [{ member: [facts.role] }]),
    ],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody: completeBody(requestBody, facts) }),
    responses: {
      ...Object.fromEntries(refusalsOf(method, operation, facts).map((status) => [status, refTo('responses', status)])),
      ...Object.fromEntries(
        Object.entries(responses ?? {}).map(([status, response]) => [
          status,
          completeResponse(status, response, facts),
        ]),
      ),
    },
  };
}

const refTo = (kind: 'parameters' | 'responses' | 'headers', name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
});

/** The statuses of the refusals that follow from a route's kind; it declares further ones itself. */
function refusalsOf(method: string, operation: Operation, { access }: RouteFacts): string[] {
  const takesBody = operation.requestBody !== undefined;
  // A request body is read, and must be JSON, even if the route needs none.
  const readsBody = method !== 'get';
  const parameters = operation.parameters ?? [];
  const isIn = (place: string) => parameters.some((parameter) => 'in' in parameter && parameter.in === place);
  const hasProject = isOfProject(access);
  const isRefusedToRoles = access === 'admin';
  // A project streams only so many answers at once.
  const hasFormats = parameters.some((parameter) => 'name' in parameter && parameter.name === 'format');
  return [
    // Of a header, for example.
    '400',
    ...(access === 'public' ? [] : ['401']),
    ...(hasProject || isRefusedToRoles ? ['403'] : []),
    ...(hasProject || (isIn('path') && access !== 'client') ? ['404'] : []),
    // Also one without a body, if its head comes too slowly.
    '408',
    ...(readsBody ? ['413', '415'] : []),
    ...(access === 'client' || access === 'read' || access === 'read_or_write' || hasFormats ? ['429'] : []),
    '431',
    '500',
    ...(access === 'public' && !takesBody ? [] : ['503']),
  ];
}

const pageFields: ReadonlySet<string> = new Set(['limit', 'cursor']);
const isOfPage = (one: Parameter | Reference): boolean => 'name' in one && pageFields.has(one.name);

function completeBody(body: RequestBody, { isBodyOptional, isFile }: RouteFacts) {
  const content = isFile ? mapValues(body.content, withoutPages) : body.content;
  return { ...body, required: !isBodyOptional, content: mapValues(content, tidyBodyMedia) };
}

function withoutPages({ schema = {}, ...media }: Media): Media {
  const fields = Object.entries(Object(schema.properties)).filter(([name]) => !pageFields.has(name));
  return { ...media, schema: { ...schema, properties: Object.fromEntries(fields) } };
}

/** NDJSON is described as text; the JSON schema describes one line of it. */
function tidyBodyMedia(media: Media, type: string): Media {
  if (type !== 'application/x-ndjson') return { ...media, ...tidyMediaSchema(media, tidyBodySchema) };
  const example = Object.values(media.examples ?? {}).flatMap(({ value }) => value);
  return {
    schema: { type: 'string', description: 'One JSON object a line.' },
    ...(example.length > 0 && { example: example.map((line) => `${JSON.stringify(line)}\n`).join('') }),
  };
}

function completeResponse(
  status: string,
  response: Response | Reference,
  { readsCalls }: RouteFacts,
): Response | Reference {
  if ('$ref' in response) return response;
  const content =
    response.content &&
    mapValues(response.content, (media) => liftExamples({ ...media, ...tidyMediaSchema(media, tidyAnswerSchema) }));
  return {
    ...response,
    headers: {
      'Farthing-Version': refTo('headers', 'FarthingVersion'),
      ...(readsCalls && status.startsWith('2') && { 'Farthing-As-Of': refTo('headers', 'FarthingAsOf') }),
      ...(status === '401' && { 'WWW-Authenticate': refTo('headers', 'WwwAuthenticate') }),
      ...response.headers,
    },
    ...(content && {
      content: Object.fromEntries(
        Object.entries(content).map(([type, media]) => [isProblem(media) ? 'application/problem+json' : type, media]),
      ),
    }),
  };
}

/** Moves the examples of a whole body out of its schema, to beside it. */
function liftExamples(media: Media): Media {
  const { examples, ...schema } = media.schema ?? {};
  if (!Array.isArray(examples) || media.example !== undefined || media.examples !== undefined) return media;
  return { ...media, schema, example: examples[0] };
}

const isProblem = ({ schema }: Media): boolean => schema?.title === problemTitle;

const tidyMediaSchema = (media: Media, tidy: typeof tidySchema): Pick<Media, 'schema'> =>
  media.schema ? { schema: tidy(media.schema) } : {};

const tidyParameter = (parameter: Parameter | Reference) =>
  '$ref' in parameter ? parameter : { ...parameter, schema: tidySchema(parameter.schema) };
