// Writes the routes of the SDK and of the Python package, and the page's types of what an operator asks, from the OpenAPI
// document of a service of this checkout.
// Run it after a route has changed.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { namedDimensions } from '../src/lib/dimensions.ts';
import { makeDataDir, startService } from '../tests/support/service.ts';
import { renderPythonApi } from './generate-python-api.ts';
import {
  hasPages,
  listRoutes,
  namesIn,
  queryAsSchema,
  type Route,
  readApi,
  readRoute,
  readSchemas,
  resolve,
  type Schema,
  type Schemas,
} from './openapi-routes.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
/** What a call is attributed to: the dimensions that events name, and its run. */
const attributed = [...namedDimensions, 'run'];
/** What is generated, and how. */
export const generated: Readonly<Record<string, (openApi: unknown) => string>> = {
  'packages/sdk/src/api/routes.ts': renderSdkApi,
  'packages/python/src/farthing/api/routes.py': renderPythonApi,
  'dashboard/src/api/admin.ts': renderAdminTypes,
  'packages/sdk/src/dimensions.ts': renderDimensions,
  'packages/python/src/farthing/_dimensions.py': () =>
    `# Written by scripts/generate-sdk-api.ts; changes here are lost.\ndimensions = (${attributed.map((name) => `"${name}"`).join(', ')})\n`,
};

/** The module of the routes that take an API key and answer JSON, if anything. Assistants have a protocol of their own at `/mcp`. */
function renderSdkApi(openApi: unknown): string {
  const { routes, schemas } = readApi(openApi);
  const rendered = routes.map((route) => renderRoute(route, schemas));
  return format('packages/sdk/src/api/routes.ts', [
    "import { type AskOptions, Client, type Pages } from './client.ts';",
    ...renderNamed(routes, schemas),
    ...rendered.flatMap(({ types }) => types),
    '/** Typed questions to Farthing: a method for each route that takes an API key and answers JSON. */',
    'export class FarthingApi extends Client {',
    rendered.map(({ member }) => member).join('\n\n'),
    '}',
  ]);
}

/** What lists of an operator and sign-in answer: routes that the SDK leaves out. */
function renderAdminTypes(openApi: unknown): string {
  const schemas = readSchemas(openApi);
  const isShown = ({ operationId }: Route) =>
    /^(get(Projects|ProjectClients|ProjectApiKeys|Session|Members)|post(Members|Link))$/.test(operationId);
  const routes = [...listRoutes(openApi, '/admin/'), ...listRoutes(openApi, '/session/')].filter(isShown);
  return format('dashboard/src/api/admin.ts', [
    ...renderNamed(routes, schemas),
    ...routes.flatMap((route) => renderRoute(route, schemas).types),
  ]);
}

/** The types of the schemas with names that routes refer to. */
function renderNamed(routes: readonly Route[], schemas: Schemas): string[] {
  const parts = routes.map(readRoute);
  const asked = namesIn(
    parts.map(({ query, body }) => [query, body]),
    schemas,
  );
  const answered = namesIn(
    parts.map(({ answer }) => answer),
    schemas,
  );
  return [...new Set([...asked, ...answered])]
    .toSorted()
    .map((name) => `export type ${name} = ${toType(schemas[name], !asked.has(name))};`);
}

function renderDimensions(): string {
  const fields = attributed.map((name) =>
    name === 'run'
      ? '/** The execution of a feature that the call is part of. */\nrun?: string | undefined;'
      : `${name}?: string | undefined;`,
  );
  return format('packages/sdk/src/dimensions.ts', [
    `export interface Dimensions {\n${fields.join('\n')}\n}`,
    `export const dimensions = ${JSON.stringify(attributed)} as const;`,
  ]);
}

function format(path: string, parts: readonly string[]): string {
  const origin =
    '// Written by scripts/generate-sdk-api.ts from the OpenAPI document of the service; changes here are lost.';
  return execFileSync(`${root}node_modules/.bin/biome`, ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: [origin, ...parts].join('\n\n'),
    encoding: 'utf8',
  });
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const camel = (text: string): string => text.replace(/[-_](\w)/g, (_all, letter: string) => letter.toUpperCase());

function renderRoute(route: Route, schemas: Schemas): { types: string[]; member: string } {
  const name = route.operationId;
  const type = capital(name);
  const { steps: named, query, body, answer } = readRoute(route);
  const types: string[] = [];
  const addType = (as: string, is: string) => is !== as && types.push(`export type ${as} = ${is};`);
  if (body) addType(`${type}Body`, toType(body));
  if (query.length > 0) addType(`${type}Query`, toType(queryAsSchema(query)));
  if (answer) addType(`${type}Answer`, toType(answer, true));
  const steps = named.map(camel);
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
  const isPaged = hasPages(resolve(answer, schemas));
  const result = answer === undefined ? 'Promise<void>' : isPaged ? `Pages<${type}Answer>` : `Promise<${type}Answer>`;
  const ask = `this.${isPaged ? 'pages' : 'ask'}('${route.method}', ${quote}${path}${quote}, { ${sent} }, options)`;
  const member = `/** ${route.summary}: \`${route.method} ${route.path}\`. */\n${name}(${given.join(', ')}): ${result} { return ${ask}; }`;
  return { types, member };
}

/** The type of a JSON schema. In an answer, fields may be added within a major version. */
function toType(value: unknown, isAnswer = false): string {
  const {
    $ref,
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
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? '';
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
