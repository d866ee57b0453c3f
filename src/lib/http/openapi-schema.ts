import type { Schema } from './openapi-document.ts';

/**
 * The schema without bounds that only repeat the range of JavaScript's integers. `example`, which OpenAPI 3.1
 * deprecates, becomes `examples`.
 */
export const tidySchema = (schema: Schema): Schema => rewrite(schema, tidy);

/** The tidied schema of an answer, open to further fields: later versions may add some (D12.1). */
export const tidyAnswerSchema = (schema: Schema): Schema =>
  rewrite(schema, (one) => {
    const { additionalProperties, ...rest } = tidy(one);
    return additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties };
  });

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
function rewrite(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const changed: Record<string, unknown> = { ...change(schema) };
  for (const [keyword, value] of Object.entries(changed)) {
    if (singles.has(keyword) && isObject(value)) changed[keyword] = rewrite(value, change);
    if (lists.has(keyword) && Array.isArray(value)) changed[keyword] = value.map((one: Schema) => rewrite(one, change));
    if (maps.has(keyword) && isObject(value)) {
      changed[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, isObject(one) ? rewrite(one, change) : one]),
      );
    }
  }
  return changed;
}

const singles = new Set(['items', 'additionalProperties', 'not']);
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const maps = new Set(['properties', 'patternProperties']);

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
