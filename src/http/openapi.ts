import swagger from '@fastify/swagger';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { version } from '../lib/version.ts';
import type { App } from './app.ts';

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
    transform: jsonSchemaTransform,
  });
}

/** `GET /openapi.json` (D11.3). */
export function registerOpenApi(app: App): void {
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () => app.swagger());
}
