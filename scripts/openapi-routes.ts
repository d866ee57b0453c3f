// What the generated clients need of the OpenAPI document.
import { z } from 'zod';

export type Schema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, Schema>>;
const schema = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.object({ schema: schema.optional() })).optional();

const operation = z.object({
  operationId: z.string(),
  summary: z.string().default(''),
  security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
  parameters: z
    .array(
      z.object({
        in: z.string().optional(),
        name: z.string().optional(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: schema.optional(),
      }),
    )
    .default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content })),
});
export type Operation = z.infer<typeof operation>;
export type Route = Operation & { readonly path: string; readonly method: string };

const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), schema) }),
});

/** The routes that take an API key and answer JSON, if anything, and the schemas by name. */
export function readApi(openApi: unknown): { routes: Route[]; schemas: Schemas } {
  return {
    routes: listRoutes(openApi, '/api/').filter(({ security }) => security.some((scheme) => 'apiKey' in scheme)),
    schemas: readSchemas(openApi),
  };
}

/** The names of all schemas that a part of the document refers to. */
export function namesIn(part: unknown, schemas: Schemas, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name], schemas, found);
  }
  return found;
}

/** The schemas with names. */
export const readSchemas = (openApi: unknown): Schemas => document.parse(openApi).components.schemas;

/** The routes under a path that answer JSON, if anything. */
export const listRoutes = (openApi: unknown, prefix: string): Route[] =>
  Object.entries(document.parse(openApi).paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ path, method: method.toUpperCase(), ...one })),
    )
    .filter(answersJson);

/** Whether no success is text alone. */
const answersJson = ({ responses }: Operation): boolean =>
  Object.entries(responses).every(
    ([status, { content: media }]) => !status.startsWith('2') || media === undefined || 'application/json' in media,
  );

/** What a route takes and answers. */
export function readRoute(route: Route) {
  // The methods give rows; a file of a format is asked for without them.
  const parameters = (place: string) =>
    route.parameters.filter((one) => one.in === place && one.name !== undefined && one.name !== 'format');
  const answers = Object.entries(route.responses).filter(([status]) => status.startsWith('2'));
  return {
    steps: parameters('path').map((one) => one.name ?? ''),
    query: parameters('query'),
    body: route.requestBody?.content?.['application/json']?.schema,
    answer: answers
      .map(([, { content: media }]) => media?.['application/json']?.schema)
      .find((one) => one !== undefined),
  };
}

/** The schema that a reference names. */
export const resolve = (given: Schema | undefined, schemas: Schemas): Schema | undefined =>
  typeof given?.$ref === 'string' ? schemas[given.$ref.split('/').at(-1) ?? ''] : given;

export const hasPages = (answer: Schema | undefined): boolean => {
  const { properties } = answer ?? {};
  return ['rows', 'next_cursor', 'has_more'].every((name) => Object.hasOwn(Object(properties), name));
};

export const queryAsSchema = (query: Operation['parameters']): Schema => ({
  type: 'object',
  properties: Object.fromEntries(query.map((one) => [one.name, one.schema ?? {}])),
  required: query.filter((one) => one.required === true).map((one) => one.name),
});
