import swagger from '@fastify/swagger';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { version } from '../lib/version.ts';
import type { App } from './app.ts';
import { problemTable } from './problem-table.ts';

/** What any route answers when it refuses (D11.1). */
const problemAnswer = {
  description: 'A problem (RFC 9457): `detail` says what to do, `errors` lists every fault of the body.',
  content: {
    'application/problem+json': {
      schema: {
        type: 'object',
        required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
        properties: {
          type: { type: 'string' },
          title: { type: 'string' },
          status: { type: 'integer' },
          detail: { type: 'string' },
          code: { type: 'string', enum: Object.keys(problemTable) },
          request_id: { type: 'string' },
          errors: {
            type: 'array',
            items: {
              type: 'object',
              required: ['pointer', 'code', 'message'],
              properties: {
                pointer: { type: 'string', description: 'JSON Pointer into the body.' },
                code: { type: 'string' },
                message: { type: 'string' },
              },
            },
          },
        },
      },
    },
  },
};

/** Describes every route that is registered after it in OpenAPI 3.1, from the schemas that validate (D11.3). */
export function describeRoutes(app: App): void {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Farthing',
        version,
        description: 'What did every AI call cost, for which customer, user, feature and model, and did it pay?',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key, a client secret on the intake, or the admin token.',
          },
        },
      },
      security: [{ bearer: [] }],
    },
    transform: (route) => {
      const { schema, url } = jsonSchemaTransform(route);
      return {
        url,
        schema: schema && {
          ...schema,
          response: { ...(schema.response as object | undefined), default: problemAnswer },
        },
      };
    },
  });
}

/** `GET /openapi.json` (D11.3). */
export function registerOpenApi(app: App): void {
  app.get(
    '/openapi.json',
    { config: { access: 'public' }, schema: { summary: 'This description', tags: ['Operations'] } },
    async () => app.swagger(),
  );
}
