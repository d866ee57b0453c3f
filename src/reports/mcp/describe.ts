import type { Document, Operation, Parameter, Schema } from '../../lib/http/openapi-document.ts';
import { isSchema, rebuildSchema } from '../../lib/http/openapi-schema.ts';
import { type Tool, tools } from './tools.ts';

export interface DescribedTool {
  readonly tool: Tool;
  readonly operation: Operation;
  readonly description: string;
  readonly inputSchema: Schema & { readonly type: 'object' };
}

/** The tools of each document: every message of an assistant needs them, and they never change. */
const described = new WeakMap<Document, ReadonlyMap<string, DescribedTool>>();

/** The tools whose routes the document describes, by name. */
export function describeTools(document: Document): ReadonlyMap<string, DescribedTool> {
  const known = described.get(document);
  if (known) return known;
  const { paths = {}, components } = document;
  const found = new Map(
    tools.flatMap((tool) => {
      const operation = paths[tool.path]?.[tool.method];
      return operation ? [[tool.name, describeTool(tool, operation, components?.schemas ?? {})] as const] : [];
    }),
  );
  described.set(document, found);
  return found;
}

type Schemas = Readonly<Record<string, Schema>>;

function describeTool(tool: Tool, operation: Operation, schemas: Schemas): DescribedTool {
  const { summary = tool.title, description = '' } = operation;
  return {
    tool,
    operation,
    description: nameTools(tool.about ?? `${summary}. ${description}`.trim()),
    inputSchema: toInputSchema(tool, operation, schemas),
  };
}

const nameByRoute = new Map(tools.map(({ name, method, path }) => [`${method.toUpperCase()} ${path}`, name]));

/** The text, with routes replaced by the names of their tools. */
const nameTools = (text: string): string =>
  text.replaceAll(/`([A-Z]+ \/[^`]*)`/g, (all, route: string) => {
    const name = nameByRoute.get(route);
    return name === undefined ? all : `\`${name}\``;
  });

/** Parameters that no tool has, because every tool answers JSON. */
export const leftOut: ReadonlySet<string> = new Set(['format']);

/** The parameters of a tool in the path and the query string. */
export const parametersOf = ({ parameters = [] }: Operation): readonly Parameter[] =>
  parameters.flatMap((one) =>
    'in' in one && (one.in === 'path' || one.in === 'query') && !leftOut.has(one.name) ? [one] : [],
  );

/** Whether the route answers all rows at once. The tool then pages by `skip`, the number of rows to leave out. */
export const takesSkip = ({ list }: Tool, operation: Operation): boolean => {
  if (list === undefined || operation.requestBody !== undefined) return false;
  return !parametersOf(operation).some(({ name }) => name === 'cursor');
};

/** The parameters of a route and the fields of its body as one object. */
function toInputSchema(tool: Tool, operation: Operation, schemas: Schemas): DescribedTool['inputSchema'] {
  const body = inOnePlace(bodyOf(operation), schemas);
  const parameters = parametersOf(operation);
  const required = [
    ...parameters.filter((one) => one.required === true).map(({ name }) => name),
    ...(Array.isArray(body.required) ? body.required.map(String) : []),
    ...(tool.needs ?? []),
  ];
  const properties = {
    ...Object.fromEntries(
      parameters.map(({ name, description, schema }) => [
        name,
        { ...inOnePlace(schema, schemas), ...(description && { description }) },
      ]),
    ),
    ...(isObject(body.properties) ? body.properties : {}),
    ...(takesSkip(tool, operation) && { skip: skipSchema }),
  };
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).flatMap(([name, schema]) =>
        tool.without?.includes(name) ? [] : [[name, isObject(schema) ? shorten(schema) : schema]],
      ),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** A schema without references, and without the null that says the same as nothing: an assistant leaves fields out. */
function inOnePlace(schema: Schema, schemas: Schemas): Schema {
  const { $ref, anyOf, ...rest } = schema;
  if (typeof $ref === 'string') return { ...inOnePlace(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas), ...rest };
  const given = Array.isArray(anyOf) ? anyOf.filter((one) => !isSchema(one) || one.type !== 'null') : [];
  if (given.length === 1) return { ...inOnePlace(given[0], schemas), ...rest };
  const type = Array.isArray(rest.type) ? rest.type.find((one) => one !== 'null') : rest.type;
  const whole = { ...rest, ...(type !== undefined && { type }), ...(given.length > 1 && { anyOf: given }) };
  return rebuildSchema(whole, (part) => inOnePlace(part, schemas));
}

/** What a schema says that an assistant need not know before: the route refuses what exceeds it, and says so. */
const leftOutOfSchemas: ReadonlySet<string> = new Set([
  ...['examples', 'minItems', 'maxItems', 'minLength', 'maxLength', 'additionalProperties', 'pattern'],
  ...['minimum', 'maximum', 'exclusiveMinimum'],
]);

/**
 * A schema without bounds and examples, and with one form where the route takes several. An assistant reads all tools when
 * it starts, so they must be short. What says which values there are stays.
 */
function shorten(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  const forms = Array.isArray(anyOf) ? anyOf.filter(isSchema) : [];
  const [first, second] = forms;
  // A decimal as text, and a single value instead of a list.
  if (first && second && forms.length === 2 && first.type === 'number') return shorten({ ...rest, ...first });
  if (first && second && forms.length === 2 && second.type === 'array') return shorten({ ...rest, ...second });
  const kept = Object.entries(schema).filter(
    ([name, value]) =>
      !(leftOutOfSchemas.has(name) || (name === 'default' && value === false)) ||
      (name === 'additionalProperties' && isSchema(value)) ||
      (name === 'pattern' && schema.description === undefined) ||
      (name === 'maximum' && schema.type === 'integer'),
  );
  return rebuildSchema(Object.fromEntries(kept), shorten);
}

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

const skipSchema: Schema = {
  type: 'integer',
  minimum: 0,
  default: 0,
  description: 'How many to leave out: as many as earlier answers have shown.',
};

/** The schema of the body, which is an object; empty for a route without one. */
const bodyOf = ({ requestBody }: Operation): Schema => requestBody?.content['application/json']?.schema ?? {};
