// Requests to every operation with the example of its body, for the compiler: what the document shows must fit its types.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { examplesOf, type Operation, type Schema } from '../../support/openapi.ts';

const json = 'application/json';

/** Writes a module of requests for each of the clients. */
export function writeUses(folder: string, operations: readonly Operation[]): void {
  const uses = operations.map(toUse);
  writeFileSync(
    join(folder, 'fetch-uses.ts'),
    `import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';
const client = createClient<paths>({ baseUrl: '' });
export const uses = [
${uses.map(({ method, template, given, body }) => `  () => client.${method}(${template}, { ${[given && `params: { ${given} }`, body].filter(Boolean).join(', ')} }),`).join('\n')}
];
`,
  );
  writeFileSync(
    join(folder, 'hey-api-uses.ts'),
    `import * as sdk from './hey-api/sdk.gen';
export const uses = [
${uses.map(({ operationId, given, body }) => `  () => sdk.${operationId}({ ${[given, body].filter(Boolean).join(', ')} }),`).join('\n')}
];
`,
  );
}

function toUse({ operationId, method, path: template, parameters, requestBody }: Operation) {
  const media = requestBody?.content[json];
  const [example] = media ? examplesOf(media) : [];
  // A body in another format is text or bytes, of which the document's types say nothing more.
  const body = example === undefined ? requestBody && "'' as never" : JSON.stringify(example);
  const given = ['path', 'query'].flatMap((place) => {
    const needed = parameters.filter((parameter) => parameter.in === place && parameter.required);
    const fields = needed.map(({ name, schema }) => `${name}: ${JSON.stringify(exampleOf(schema))}`);
    return fields.length === 0 ? [] : [`${place}: { ${fields.join(', ')} }`];
  });
  return {
    operationId,
    method,
    template: JSON.stringify(template),
    given: given.join(', '),
    body: body && `body: ${body}`,
  };
}

/** A value of a parameter. */
function exampleOf({ enum: values, examples, type }: Schema): unknown {
  const [first] = [values, examples].flat().filter((value) => value !== undefined);
  return first ?? (type === 'integer' ? 0 : 'x');
}
