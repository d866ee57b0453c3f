// Makes two clients from an OpenAPI document: `node generate.js <document> <folder>`.
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

// The generators need the compiler's API, which the TypeScript of this folder has, and that of the repository has not.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'typescript' ? { ...context, parentURL: import.meta.url } : context),
});

const [, , document = '', folder = ''] = process.argv;

const { default: openapiTypescript, astToString } = await import('openapi-typescript');
const types = await openapiTypescript(JSON.parse(readFileSync(document, 'utf8')));
writeFileSync(join(folder, 'schema.d.ts'), astToString(types));

const { createClient } = await import('@hey-api/openapi-ts');
await createClient({
  input: document,
  output: join(folder, 'hey-api'),
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: 'silent' },
});
