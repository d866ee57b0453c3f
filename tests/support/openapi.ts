// The service's OpenAPI document, and the comparison of an answer with it.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import type { Answer, Farthing } from './client.ts';

const schema = z.record(z.string(), z.unknown());
export type Schema = z.infer<typeof schema>;

const media = z.object({
  schema: schema.optional(),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
});
export type Media = z.infer<typeof media>;
const content = z.record(z.string(), media);

const header = z.object({ required: z.boolean().optional(), schema, description: z.string() });
const response = z.object({
  description: z.string(),
  headers: z.record(z.string(), header).default({}),
  content: content.default({}),
});

const operation = z.object({
  operationId: z.string(),
  summary: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).default([]),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z
    .array(
      z.object({
        in: z.string(),
        name: z.string(),
        description: z.string().optional(),
        required: z.boolean().optional(),
        schema,
      }),
    )
    .default([]),
  requestBody: z.object({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string(), response),
});

export interface Operation extends z.infer<typeof operation> {
  /** The name of the operation in tests, such as `GET /api/project/`. */
  key: string;
  method: string;
  path: string;
}

const document = z.object({
  tags: z.array(z.object({ name: z.string(), description: z.string().optional() })),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

/** The operations of the document, with every `$ref` resolved. */
export async function readOperations(farthing: Farthing): Promise<Operation[]> {
  const { body } = await farthing.send('GET', '/openapi.json');
  const { paths } = document.parse(body);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, described]) => {
      const method = name.toUpperCase();
      return { key: `${method} ${path}`, method, path, ...operation.parse(resolveReferences(described, body)) };
    }),
  );
}

export async function readTags(farthing: Farthing): Promise<Map<string, string | undefined>> {
  const { tags } = document.parse((await farthing.send('GET', '/openapi.json')).body);
  return new Map(tags.map(({ name, description }) => [name, description]));
}

function resolveReferences(value: unknown, whole: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => resolveReferences(one, whole));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && typeof value.$ref === 'string') {
    const found = value.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((part, step) => Object(part)[step], whole);
    if (found === undefined) throw new Error(`The document has no ${value.$ref}`);
    const { $ref: _, ...beside } = value;
    const resolved = resolveReferences(found, whole);
    return Object.keys(beside).length === 0 ? resolved : { ...Object(resolved), ...beside };
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolveReferences(one, whole)]));
}

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
  allowUnionTypes: true,
});
addFormats.default(ajv);
const validators = new Map<string, ValidateFunction>();

/** The faults of a value by its schema, in words. */
export function findFaults(given: Schema, value: unknown): string[] {
  const key = JSON.stringify(given);
  const validate = validators.get(key) ?? ajv.compile(given);
  validators.set(key, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  );
}

/**
 * The schema without additional fields. The document allows them in answers, because a release may add fields (D12.1).
 */
export function close(given: Schema): Schema {
  const closed: Schema = {};
  for (const [keyword, value] of Object.entries(given)) {
    if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword))
      closed[keyword] = z.array(schema).parse(value).map(close);
    else if (['items', 'additionalProperties'].includes(keyword)) closed[keyword] = closeOrKeep(value);
    else if (keyword === 'properties') {
      closed[keyword] = Object.fromEntries(
        Object.entries(Object(value)).map(([name, one]) => [name, closeOrKeep(one)]),
      );
    } else closed[keyword] = value;
  }
  if ('properties' in given && !('additionalProperties' in given)) closed.unevaluatedProperties = false;
  return closed;
}

const closeOrKeep = (value: unknown): unknown => {
  const parsed = schema.safeParse(value);
  return parsed.success ? close(parsed.data) : value;
};

/** Headers that the service sets. The document must describe each one that an answer has. */
const ownHeaders = /^(?:farthing-.*|retry-after|www-authenticate|set-cookie|allow|ratelimit.*)$/;

/** The differences between an answer and the document. Empty if they agree. */
export function compareWithDocument({ key, responses }: Operation, answer: Answer): string[] {
  const described = responses[String(answer.status)];
  if (!described) return [`${key} answered ${answer.status}, which it does not describe: ${answer.text.slice(0, 300)}`];
  const faults: string[] = [];
  const say = (fault: string) => faults.push(`${key} ${answer.status}: ${fault}`);

  const names = new Map(Object.entries(described.headers).map(([name, header]) => [name.toLowerCase(), header]));
  for (const [name, header] of names) {
    const value = answer.headers.get(name);
    if (value === null && header.required) say(`the header ${name} is missing`);
    if (value !== null && header.schema.type !== 'integer') {
      for (const fault of findFaults(header.schema, value)) say(`the header ${name}: ${fault}`);
    }
  }
  for (const name of answer.headers.keys()) {
    if (ownHeaders.test(name) && !names.has(name)) say(`the header ${name} is not described`);
  }

  const type = answer.headers.get('content-type')?.split(';')[0];
  if (type === undefined) {
    if (Object.keys(described.content).length > 0) say('there is no body, but one is described');
    return faults;
  }
  const body = described.content[type];
  if (!body?.schema) say(`the content type ${type} is not described`);
  else
    for (const fault of findFaults(
      close(body.schema),
      type.endsWith('ndjson') || !type.endsWith('json') ? answer.text : answer.body,
    ))
      say(fault);
  return faults;
}

/** The examples of a body or an answer. */
export const examplesOf = ({ example, examples }: Media): unknown[] =>
  example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example];
