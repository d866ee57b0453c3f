import type { Schema } from './openapi-document.ts';

/** Without bounds that only repeat JavaScript's integers; `example`, deprecated by 3.1, becomes `examples`. */
export const tidySchema = (schema: Schema): Schema => rewrite(schema, tidy);

/** The tidied schema of an answer, open to further fields: later versions may add some (D12.1). */
export const tidyAnswerSchema = (schema: Schema): Schema =>
  rewrite(schema, (one) => {
    const { additionalProperties, ...rest } = tidy(one);
    return additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties };
  });

/** The tidied schema of a body. A field that may be left out may be null too, which says the same (`leaveNullsOut`). */
export const tidyBodySchema = (schema: Schema): Schema =>
  rewrite(schema, (one) => {
    const tidied = tidy(one);
    const { properties, required } = tidied;
    if (!isSchema(properties)) return tidied;
    const isNeeded = (name: string) => Array.isArray(required) && required.includes(name);
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      isNeeded(name) || !isSchema(field) ? field : takesNull(field) ? withoutNullDefault(field) : orNull(field),
    ]);
    return { ...tidied, properties: Object.fromEntries(fields) };
  });

const takesNull = ({ type, anyOf, oneOf, enum: values, const: only }: Schema): boolean => {
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (alternatives.length > 0) return alternatives.some((one) => isSchema(one) && takesNull(one));
  if (values !== undefined || only !== undefined) return [values, only].flat().includes(null);
  return type === undefined || [type].flat().includes('null');
};

/** Generated clients give a default to the type without null. */
function withoutNullDefault(field: Schema): Schema {
  const { default: preset, ...rest } = field;
  return preset === null ? rest : field;
}

function orNull(field: Schema): Schema {
  const { description, default: preset, example, examples, ...rest } = field;
  if (typeof rest.type === 'string' && rest.enum === undefined && rest.properties === undefined)
    return { ...field, type: [rest.type, 'null'] };
  const { anyOf, ...beside } = rest;
  const alternatives = Array.isArray(anyOf) && Object.keys(beside).length === 0 ? anyOf : [rest];
  return {
    anyOf: [...alternatives, { type: 'null' }],
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    ...(example !== undefined && { example }),
    ...(examples !== undefined && { examples }),
  };
}

function tidy(schema: Schema): Schema {
  const { example, minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(example !== undefined && { examples: [example] }),
  };
}

/** Applies `change` to a schema and to every schema in it. */
const rewrite = (schema: Schema, change: (schema: Schema) => Schema): Schema =>
  rebuildSchema(change(schema), (part) => rewrite(part, change));

/** Where a schema stands in the one around it; `name` is that of its field. */
interface Within {
  readonly keyword: string;
  readonly name: string;
}

/** The schema, with what `rebuild` makes of each schema directly in it. */
export function rebuildSchema(schema: Schema, rebuild: (part: Schema, within: Within) => Schema): Schema {
  const rebuilt: Record<string, unknown> = { ...schema };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = (name = '') => ({ keyword, name });
    if (singles.has(keyword) && isSchema(value)) rebuilt[keyword] = rebuild(value, at());
    if (lists.has(keyword) && Array.isArray(value)) rebuilt[keyword] = value.map((one: Schema) => rebuild(one, at()));
    if (maps.has(keyword) && isSchema(value)) {
      rebuilt[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, isSchema(one) ? rebuild(one, at(name)) : one]),
      );
    }
  }
  return rebuilt;
}

const singles = new Set(['items', 'additionalProperties', 'not']);
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const maps = new Set(['properties', 'patternProperties']);

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const mapValues = <V, R>(
  record: Readonly<Record<string, V>>,
  change: (value: V, key: string) => R,
): Record<string, R> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
