// Writes the SDK's routes, and the page's types of what an operator asks, from the OpenAPI document of a service of this checkout.
// Run it after a route has changed.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { makeDataDir, startService } from '../tests/support/service.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
/** What is generated, and how. */
export const generated: Readonly<Record<string, (openApi: unknown) => string>> = {
  'packages/sdk/src/api/routes.ts': renderSdkApi,
  'dashboard/src/api/admin.ts': renderAdminTypes,
};

type Schema = Readonly<Record<string, unknown>>;
const schema = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.object({ schema: schema.optional() })).optional();

const operation = z.object({
  summary: z.string().default(''),
  security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
  parameters: z
    .array(
      z.object({
        in: z.string().optional(),
        name: z.string().optional(),
        required: z.boolean().optional(),
        schema: schema.optional(),
      }),
    )
    .default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content })),
});
type Operation = z.infer<typeof operation>;

const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

/** The module of the routes that take an API key and answer JSON, if anything. Assistants have a protocol of their own at `/mcp`. */
function renderSdkApi(openApi: unknown): string {
  const rendered = listRoutes(openApi, '/api/')
    .filter(({ security }) => security.some((scheme) => 'apiKey' in scheme))
    .map(renderRoute);
  const names = rendered.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`two routes would have one name: ${twice.join(', ')}`);
  return format('packages/sdk/src/api/routes.ts', [
    "import { type AskOptions, Client, type Pages } from './client.ts';",
    ...rendered.flatMap(({ types }) => types),
    '/** Typed questions to Farthing: a method for each route that takes an API key and answers JSON. */',
    'export class FarthingApi extends Client {',
    rendered.map(({ member }) => member).join('\n\n'),
    '}',
  ]);
}

/** What lists of an operator and sign-in answer: routes that the SDK leaves out. */
function renderAdminTypes(openApi: unknown): string {
  const routes = [...listRoutes(openApi, '/admin/'), ...listRoutes(openApi, '/session/')];
  const types = routes.filter(({ method }) => method === 'GET').flatMap((route) => renderRoute(route).types);
  return format(
    'dashboard/src/api/admin.ts',
    types.filter((type) => /^export type Get(Projects|ProjectClients|ProjectApiKeys|Session)Answer/.test(type)),
  );
}

const listRoutes = (openApi: unknown, prefix: string): Route[] =>
  Object.entries(document.parse(openApi).paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ path, method: method.toUpperCase(), ...one })),
    )
    .filter(answersJson);

function format(path: string, parts: readonly string[]): string {
  const origin =
    '// Written by scripts/generate-sdk-api.ts from the OpenAPI document of the service; changes here are lost.';
  return execFileSync(`${root}node_modules/.bin/biome`, ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: [origin, ...parts].join('\n\n'),
    encoding: 'utf8',
  });
}

type Route = Operation & { readonly path: string; readonly method: string };

/** Whether no success is text alone. */
const answersJson = ({ responses }: Operation): boolean =>
  Object.entries(responses).every(
    ([status, { content: media }]) => !status.startsWith('2') || media === undefined || 'application/json' in media,
  );

/** Whether it only reads, with any body. */
const isRead = ({ security }: Route): boolean => {
  const scopes = security.flatMap(({ apiKey }) => apiKey ?? []);
  return scopes.includes('read') && !scopes.includes('write');
};
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const camel = (text: string): string => text.replace(/[-_](\w)/g, (_all, letter: string) => letter.toUpperCase());

/** `GET /api/calls/{event_id}/` is `call`, `PUT /api/key-metrics/{name}/` is `putKeyMetric`; questions have the name of the noun. */
function nameOf(route: Route): string {
  const steps = route.path.split('/').filter((step) => step !== '' && step !== 'api');
  const words = steps.filter(
    (step, index) =>
      // Stripe's customers are not the project's customers.
      step === 'stripe' || (!step.startsWith('{') && (index === steps.length - 1 || steps[index + 1]?.startsWith('{'))),
  );
  const singular = words.map((word, index) => {
    const isOne = index < words.length - 1 || steps.at(-1)?.startsWith('{');
    return isOne ? word.replace(/s$/, '') : word;
  });
  const noun = camel(singular.join('-'));
  return isRead(route) ? noun : `${route.method.toLowerCase()}${capital(noun)}`;
}

function renderRoute(route: Route): { name: string; types: string[]; member: string } {
  const name = nameOf(route);
  const type = capital(name);
  // The methods give rows; a file of a format is asked for without them.
  const parameters = (place: string) =>
    route.parameters.filter((one) => one.in === place && one.name !== undefined && one.name !== 'format');
  const body = route.requestBody?.content?.['application/json']?.schema;
  const answers = Object.entries(route.responses).filter(([status]) => status.startsWith('2'));
  const answer = answers
    .map(([, { content: media }]) => media?.['application/json']?.schema)
    .find((one) => one !== undefined);
  const query = parameters('query');
  const types = [];
  if (body) types.push(`export type ${type}Body = ${toType(body)};`);
  if (query.length > 0) types.push(`export type ${type}Query = ${toType(queryAsSchema(query))};`);
  if (answer) types.push(`export type ${type}Answer = ${toType(answer, true)};`);
  const steps = parameters('path').map((one) => camel(one.name ?? ''));
  const isOptional = query.every((one) => one.required !== true);
  const given = [
    ...steps.map((step) => `${step}: string`),
    ...(body ? [`body: ${type}Body`] : []),
    ...(query.length > 0 ? [`query: ${type}Query${isOptional ? ' = {}' : ''}`] : []),
    'options?: AskOptions',
  ];
  const path = route.path.replace(/\{(\w+)\}/g, (_all, step: string) => `\${encodeURIComponent(${camel(step)})}`);
  const quote = steps.length > 0 ? '`' : "'";
  const sent = [body ? 'body' : '', query.length > 0 ? 'query' : ''].filter((one) => one !== '').join(', ');
  const isPaged = hasPages(answer);
  const result = answer === undefined ? 'Promise<void>' : isPaged ? `Pages<${type}Answer>` : `Promise<${type}Answer>`;
  const ask = `this.${isPaged ? 'pages' : 'ask'}('${route.method}', ${quote}${path}${quote}, { ${sent} }, options)`;
  const member = `/** ${route.summary}: \`${route.method} ${route.path}\`. */\n${name}(${given.join(', ')}): ${result} { return ${ask}; }`;
  return { name, types, member };
}

const hasPages = (answer: Schema | undefined): boolean => {
  const { properties } = answer ?? {};
  return ['rows', 'next_cursor', 'has_more'].every((name) => Object.hasOwn(Object(properties), name));
};

const queryAsSchema = (query: Operation['parameters']): Schema => ({
  type: 'object',
  properties: Object.fromEntries(query.map((one) => [one.name, one.schema ?? {}])),
  required: query.filter((one) => one.required === true).map((one) => one.name),
});

/** The type of a JSON schema. In an answer, fields may be added within a major version. */
function toType(value: unknown, isAnswer = false): string {
  const {
    type,
    enum: values,
    const: only,
    anyOf,
    oneOf,
    allOf,
    items,
    properties,
    additionalProperties,
    required,
  } = Object(value) as Schema;
  const each = (list: unknown): string[] => (Array.isArray(list) ? list.map((one) => toType(one, isAnswer)) : []);
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(' | ');
  const parts = [...each(anyOf), ...each(oneOf)];
  if (parts.length > 0) return [...new Set(parts)].map((part) => `(${part})`).join(' | ');
  if (Array.isArray(allOf))
    return each(allOf)
      .map((part) => `(${part})`)
      .join(' & ');
  if (Array.isArray(type)) return type.map((one) => toType({ ...Object(value), type: one }, isAnswer)).join(' | ');
  switch (type) {
    case 'string':
      return 'string';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `ReadonlyArray<${toType(items, isAnswer)}>`;
    case 'object': {
      const fields = Object.entries(Object(properties) as Schema).map(([name, field]) => {
        const isRequired = Array.isArray(required) && required.includes(name);
        const { description } = Object(field) as Schema;
        const comment = typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /')} */\n` : '';
        // A field with a default is always in an answer, and optional in a request.
        return `${comment}${JSON.stringify(name)}${isRequired ? '' : '?'}: ${toType(field, isAnswer)}${isRequired || isAnswer ? '' : ' | undefined'};`;
      });
      if (fields.length > 0) return `{\n${fields.join('\n')}\n}`;
      return `Readonly<Record<string, ${typeof additionalProperties === 'object' ? toType(additionalProperties, isAnswer) : 'unknown'}>>`;
    }
    default:
      return 'unknown';
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const service = await startService({ dataDir: makeDataDir() });
  try {
    const answer = await fetch(`${service.url}/openapi.json`);
    const document = await answer.json();
    for (const [path, render] of Object.entries(generated)) writeFileSync(root + path, render(document));
  } finally {
    await service.stop();
  }
}
