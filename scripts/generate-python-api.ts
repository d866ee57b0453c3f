// Writes the routes of the Python package from the OpenAPI document, as `generate-sdk-api.ts` does those of the SDK.
import {
  hasPages,
  namesIn,
  type Operation,
  type Route,
  readApi,
  readRoute,
  resolve,
  type Schema,
  type Schemas,
} from './openapi-routes.ts';

/** The module of the routes that take an API key and answer JSON, if anything. */
export function renderPythonApi(openApi: unknown): string {
  const { routes, schemas } = readApi(openApi);
  const parts = routes.map((route) => readRoute(route));
  const asked = namesIn(
    parts.map(({ body, query }) => [body, query]),
    schemas,
  );
  const answered = namesIn(
    parts.map(({ answer }) => answer),
    schemas,
  );
  const named = [...new Set([...asked, ...answered])].toSorted();
  const types = named.map((name) => renderType(name, schemas[name] ?? {}, asked.has(name) ? 'asked' : 'answered'));
  const roots = routes.flatMap((route, index) => {
    const name = `${capital(route.operationId)}Answer`;
    const { answer } = parts[index] ?? {};
    return answer === undefined || refName(answer) === name ? [] : [`${name} = ${toType(answer, 'answered')}`];
  });
  return `${[
    head,
    // A choice of values stands for itself, fields of dictionaries are read late, and the rest is made of both.
    ...['values', 'fields', 'other'].flatMap((kind) =>
      types.filter((one) => one.kind === kind).map(({ text }) => text),
    ),
    ...roots,
    '',
    'class FarthingApi(Client):',
    '    """Typed questions to Farthing: a method for each route that takes an API key and answers JSON."""',
    ...routes.map((route) => renderMethod(route, schemas)),
  ].join('\n')}\n`;
}

const head = `# Written by scripts/generate-sdk-api.ts from the OpenAPI document of the service; changes here are lost.
# ruff: noqa
# fmt: off
from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ._client import UNSET, Client, Consistency, Day, Number, Pages, Time, step

DayText = Annotated[str, "date"]
TimeText = Annotated[str, "date-time"]
`;

/** Whether a type is of what a caller gives or of what the service answers. */
type Side = 'asked' | 'answered';

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const snake = (text: string): string =>
  text.replaceAll(/[-.]/g, '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const keywords = new Set([
  'and',
  'as',
  'class',
  'def',
  'del',
  'from',
  'global',
  'if',
  'import',
  'in',
  'is',
  'not',
  'or',
]);
/** A name that Python takes. */
const argument = (name: string): string => (keywords.has(name) ? `${name}_` : name);
const refName = ({ $ref }: Schema): string | undefined =>
  typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : undefined;
const quote = (text: unknown): string => JSON.stringify(text);
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

function renderType(name: string, schema: Schema, side: Side): { kind: 'values' | 'fields' | 'other'; text: string } {
  if (Array.isArray(schema.enum)) return { kind: 'values', text: `${name} = ${toType(schema, side)}` };
  if (!isSchema(schema.properties)) return { kind: 'other', text: `${name} = ${toType(schema, side)}` };
  const fields = fieldsOf(schema, side);
  return { kind: 'fields', text: renderFields(name, fields) };
}

function fieldsOf({ properties, required }: Schema, side: Side): Field[] {
  return Object.entries(Object(properties) as Record<string, Schema>).map(([name, schema]) => ({
    name,
    type: toType(schema, side),
    isRequired: Array.isArray(required) && required.includes(name),
    about: typeof schema.description === 'string' ? schema.description.replaceAll(/\s+/g, ' ') : '',
  }));
}

/** A dictionary with these fields; Python 3.9 has no mark for a single field that may be missing. */
function renderFields(name: string, fields: readonly Field[]): string {
  if (fields.some((field) => !/^\w+$/.test(field.name) || keywords.has(field.name))) {
    const all = fields.map((field) => `    ${quote(field.name)}: ${quote(field.type)},`);
    return `\n\n${name} = TypedDict(${quote(name)}, {\n${all.join('\n')}\n}, total=False)\n`;
  }
  const lines = (some: readonly Field[]) =>
    some.flatMap((field) => [
      ...(field.about === '' ? [] : [`    # ${field.about}`]),
      `    ${field.name}: ${field.type}`,
    ]);
  const needed = fields.filter(({ isRequired }) => isRequired);
  const others = fields.filter(({ isRequired }) => !isRequired);
  if (others.length === 0) return [`\n\nclass ${name}(TypedDict):`, ...lines(needed), ''].join('\n');
  if (needed.length === 0) return [`\n\nclass ${name}(TypedDict, total=False):`, ...lines(others), ''].join('\n');
  return [
    `\n\nclass _${name}(TypedDict):`,
    ...lines(needed),
    `\n\nclass ${name}(_${name}, total=False):`,
    ...lines(others),
    '',
  ].join('\n');
}

/** The type of a JSON schema. */
function toType(schema: Schema, side: Side): string {
  const { type, enum: values, const: only, anyOf, oneOf, items, additionalProperties, format } = schema;
  const named = refName(schema);
  if (named !== undefined) return named;
  if (only !== undefined) return only === null ? 'None' : `Literal[${toLiteral(only)}]`;
  if (Array.isArray(values)) return `Literal[${values.map(toLiteral).join(', ')}]`;
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (alternatives.length > 0) return union(alternatives.map((one) => toType(one, side)));
  if (Array.isArray(type)) return union(type.map((one) => toType({ ...schema, type: one }, side)));
  const isAsked = side === 'asked';
  switch (type) {
    case 'string':
      if (format === 'date') return isAsked ? 'Day' : 'DayText';
      if (format === 'date-time') return isAsked ? 'Time' : 'TimeText';
      return 'str';
    case 'number':
      return isAsked ? 'Number' : 'Decimal';
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `${isAsked ? 'Sequence' : 'List'}[${isSchema(items) ? toType(items, side) : 'Any'}]`;
    case 'object':
      return `${isAsked ? 'Mapping' : 'Dict'}[str, ${isSchema(additionalProperties) ? toType(additionalProperties, side) : 'Any'}]`;
    default:
      return 'Any';
  }
}

const toLiteral = (value: unknown): string =>
  value === null ? 'None' : typeof value === 'boolean' ? capital(String(value)) : quote(value);

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  const some = all.filter((one) => one !== 'None');
  const whole = some.length === 1 ? (some[0] ?? 'Any') : `Union[${some.join(', ')}]`;
  return some.length === all.length || some.includes('Any') ? whole : `Optional[${whole}]`;
}

function renderMethod(route: Route, schemas: Schemas): string {
  const { steps, query, body, answer } = readRoute(route);
  const whole = resolve(body, schemas);
  const isSpread = whole !== undefined && isSchema(whole.properties);
  const bodyFields = isSpread ? fieldsOf(whole, 'asked') : [];
  const queryFields = query.map(toField);
  const page = resolve(answer, schemas);
  const isPaged = hasPages(page);
  const named = bodyFields.concat(queryFields).toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
  const given = [
    'self',
    ...steps.map((name) => `${argument(name)}: str`),
    ...(body && !isSpread ? [`body: ${toType(body, 'asked')}`] : []),
    '*',
    ...named.map(
      ({ name, type, isRequired }) => `${argument(name)}: ${isRequired ? type : `${optional(type)} = UNSET`}`,
    ),
    'consistency: Optional[Consistency] = None',
  ];
  const answerType = answer === undefined ? 'None' : `${capital(route.operationId)}Answer`;
  const result = isPaged ? `Pages[${rowOf(page)}, ${answerType}]` : answerType;
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => `{step(${argument(name)})}`);
  const dict = (fields: readonly Field[]) =>
    `{${fields.map(({ name }) => `${quote(name)}: ${argument(name)}`).join(', ')}}`;
  const asks = [
    `(${quote(route.method)}, ${steps.length > 0 ? 'f' : ''}${quote(path)})`,
    answerType,
    isSpread ? dict(bodyFields) : body ? 'body' : 'None',
    dict(queryFields),
    'consistency',
  ];
  const call = `self.${isPaged ? '_pages' : '_ask'}(${asks.join(', ')})`;
  const about = named.flatMap(({ name, about: text }) =>
    text === '' ? [] : [`        - \`${argument(name)}\`: ${text}`],
  );
  return `
    def ${snake(route.operationId)}(
${given.map((one) => `        ${one},`).join('\n')}
    ) -> ${result}:
        """${route.summary}: \`${route.method} ${route.path}\`.${about.length > 0 ? `\n\n${about.join('\n')}\n        ` : ''}"""
        ${answer === undefined ? call : `answer: ${result} = ${call}\n        return answer`}`;
}

const optional = (type: string): string => (/^Optional\[|^Any$/.test(type) ? type : `Optional[${type}]`);

const toField = ({ name = '', required, schema = {}, description = '' }: Operation['parameters'][number]): Field => ({
  name,
  type: toType(schema, 'asked'),
  isRequired: required === true,
  about: description,
});

/** The type of the rows of a page. */
function rowOf(page: Schema | undefined): string {
  const { rows } = Object(page?.properties) as Record<string, Schema>;
  return isSchema(rows?.items) ? toType(rows.items, 'answered') : 'Any';
}
