import swagger, { type SwaggerTransformObject } from '@fastify/swagger';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { version } from '../version.ts';
import { roleNeeded } from './access.ts';
import type { App } from './app.ts';
import { nameSchemas } from './name-schemas.ts';
import { components, securitySchemes } from './openapi-components.ts';
import type { Document, Operation } from './openapi-document.ts';
import { completeOperation, type RouteFacts } from './openapi-operation.ts';
import { openApiTags } from './openapi-tags.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route awaits `awaitConsistency`: it takes `Farthing-Consistency` and answers `Farthing-As-Of` (D4.7). */
    readsCalls?: boolean;
    /** Whether its answers hold much memory while they are worked out, so that a project has one at a time. */
    isHeavy?: boolean;
    /** The route only refuses methods, so it is not described. */
    isMethodRefusal?: boolean;
    /** The route serves a web page, which is not part of the API, so it is not described. */
    isPage?: boolean;
    /** Whether it answers a file of all rows, so that it takes no `limit` and `cursor`. */
    isFile?: boolean;
    /** Whether it takes what another route takes, at the path of another product. */
    isAlias?: boolean;
  }
}

/** The field that carries a route's facts from `transform` to `transformObject`. */
const factsKey = 'x-facts';

/**
 * Describes routes registered after this call (D11.3) by the schemas that validate: a route gives `summary`,
 * `description`, `tags`, and `.meta({ description, examples })`; the rest follows from its access.
 */
export function describeRoutes(app: App): void {
  app.addHook('onRoute', ({ url, schema, config }) => {
    if (schema?.hide && !config?.isMethodRefusal && !config?.isPage && !config?.isAlias)
      throw new Error(`The route ${url} must not be hidden`);
  });
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Farthing',
        version,
        description:
          'What did every AI call cost, for which customer, user, feature and model, and did it pay? In a body, null means that an optional field is left out.',
        // Every instance has its own.
        contact: { name: 'The operator of this instance' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This instance.' }],
      tags: [...openApiTags],
      components: { securitySchemes },
    },
    transform: (route) => {
      const { schema, url } = jsonSchemaTransform(route);
      const { config, schema: declared } = route.route;
      const facts: RouteFacts = {
        access: config?.access ?? 'public',
        role: roleNeeded(config?.access ?? 'public', config?.role),
        readsCalls: config?.readsCalls ?? false,
        isFile: config?.isFile ?? false,
        isBodyOptional: declared?.body instanceof z.ZodType && declared.body.safeParse(undefined).success,
      };
      // zod omits the examples of a schema that transforms, as they could be of its output. Ours are of its input.
      const examples = declared?.body instanceof z.ZodType ? declared.body.meta()?.examples : undefined;
      const body = examples === undefined ? undefined : { ...(schema?.body as object), examples };
      const response = withHeaders(schema?.response, declared?.response);
      return {
        url,
        schema: { ...schema, ...(body && { body }), ...(response && { response }), [factsKey]: facts },
      };
    },
    transformObject: (made) => ('openapiObject' in made ? completeDocument(made.openapiObject) : made.swaggerObject),
  });
}

/** Adds the headers of answers with several media types: the transformation omits them. */
function withHeaders(made: unknown, declared: unknown): Record<string, unknown> | undefined {
  if (!isRecord(made) || !isRecord(declared)) return undefined;
  return Object.fromEntries(
    Object.entries(made).map(([status, one]) => {
      const given = declared[status];
      const headers = isRecord(given) && 'content' in given ? given.headers : undefined;
      return [status, headers === undefined || !isRecord(one) ? one : { ...one, headers }];
    }),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

type MadeDocument = Extract<Parameters<SwaggerTransformObject>[0], { openapiObject: unknown }>['openapiObject'];

/** The library's types are of OpenAPI 3.0 in places, so this works on the types of `openapi-document.ts`. */
function completeDocument(made: MadeDocument): MadeDocument {
  const { paths = {}, tags = [] } = made as Pick<Document, 'paths' | 'tags'>;
  const operations = Object.entries(paths).map(([path, item]) => {
    const completed = Object.entries(item).map(([method, described]) => {
      const { [factsKey]: facts, ...operation } = described as Operation & { readonly [factsKey]: RouteFacts };
      return [method, completeOperation({ method, path }, operation, facts)];
    });
    return [path, Object.fromEntries(completed)];
  });
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).flatMap((one) => one.tags ?? [])));
  const named = nameSchemas(Object.fromEntries(operations), components.schemas);
  return {
    ...made,
    tags: tags.filter(({ name }) => used.has(name)),
    components: { ...components, schemas: named.schemas },
    paths: named.paths,
  } as MadeDocument;
}

/** `GET /openapi.json` (D11.3). */
export function registerOpenApi(app: App): void {
  let text: Buffer | undefined;
  app.get('/openapi.json', {
    config: { access: 'public' },
    schema: {
      summary: 'This description',
      description: 'Every route in OpenAPI 3.1, made from the schemas that validate.',
      tags: ['Operations'],
      response: {
        200: z
          .looseObject({ openapi: z.string(), info: z.looseObject({ title: z.string(), version: z.string() }) })
          .meta({
            description: 'An OpenAPI document.',
            examples: [{ openapi: '3.1.0', info: { title: 'Farthing', version }, paths: {} }],
          }),
      },
    },
    handler: async (_request, reply) => {
      // Written once: it is large, and anybody may ask for it. It is sent as bytes, whatever the type of its JSON.
      text ??= Buffer.from(JSON.stringify(app.swagger()));
      return reply.type('application/json; charset=utf-8').send(text as never);
    },
  });
}
