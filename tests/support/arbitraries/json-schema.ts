// Values by a JSON schema: valid ones, ones at and just beyond its limits, and garbage, mixed at every place of a value.
import fc from 'fast-check';
import { awkwardNumbers, awkwardTexts, deepJson, injections, JsonText } from '../hostile.ts';
import type { Schema } from '../openapi.ts';

type Arbitrary = fc.Arbitrary<unknown>;

/** Names of stored things, so that questions find something. */
const names = ['acme', 'ann', 'chat', 'gpt-4o', 'openai', 'run-1', 'plan', 'pro', 'customer', 'minutes', 'described'];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...injections) },
  { weight: 4, arbitrary: fc.constantFrom(...awkwardTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
);

/** Values that are valid nowhere, or only by chance. */
export const garbage: Arbitrary = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  { weight: 4, arbitrary: fc.constantFrom(...awkwardNumbers).map((text) => new JsonText(text)) },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { '': '' }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{}}}', '{"a":1,"a":2}')
      .map((text) => new JsonText(text)),
  },
  { weight: 1, arbitrary: fc.constantFrom(10, 1_000, 20_000).map((depth) => new JsonText(deepJson(depth))) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Values that mostly match the schema. */
export function valuesOf(schema: Schema): Arbitrary {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constant(schema).chain(validValues) },
    { weight: 3, arbitrary: fc.constant(schema).chain(boundaryValues) },
    { weight: 2, arbitrary: garbage },
  );
}

const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? (value as Schema[]) : []);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function validValues(schema: Schema): Arbitrary {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  const choices = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  const hasOwnShape = 'properties' in schema || 'items' in schema;
  if (choices.length > 0 && !hasOwnShape) return fc.oneof(...choices.map(valuesOf));
  const types = Array.isArray(schema.type) ? (schema.type as unknown[]) : [schema.type];
  return fc.oneof(...types.map((type) => validOfType(type, schema)));
}

function validOfType(type: unknown, schema: Schema): Arbitrary {
  switch (type) {
    case 'string':
      return validTexts(schema);
    case 'integer':
    case 'number':
      return validNumbers(type, schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf((schema.items ?? {}) as Schema), {
        minLength: numberOf(schema.minItems) ?? 0,
        maxLength: 4,
      });
    case 'object':
      return objects(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

const day = fc
  .integer({ min: 0, max: 900 })
  .map((days) => new Date(Date.UTC(2024, 3, 1) + days * 86_400_000).toISOString().slice(0, 10));

function validTexts({ format, examples, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === 'date') return day;
  if (format === 'date-time')
    return fc
      .tuple(day, fc.constantFrom('T00:00:00Z', 'T23:59:60Z', 't12:00:00.123456+14:00'))
      .map((parts) => parts.join(''));
  if (format === 'uuid') return fc.uuid();
  const most = Math.min(numberOf(maxLength) ?? 40, 40);
  const given = Array.isArray(examples) ? examples.filter((example) => typeof example === 'string') : [];
  return fc.oneof(fc.constantFrom(...names, ...given), fc.string({ minLength: 1, maxLength: most }));
}

function validNumbers(type: 'integer' | 'number', { minimum, maximum }: Schema): fc.Arbitrary<number> {
  const [min, max] = [numberOf(minimum) ?? -1_000, Math.min(numberOf(maximum) ?? 1_000, 1_000_000_000)];
  if (type === 'integer') return fc.integer({ min, max });
  return fc.oneof(fc.integer({ min, max }), fc.double({ min, max, noNaN: true }));
}

function objects(schema: Schema): Arbitrary {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []);
  const fields = properties.map(([name, property]) => {
    // A required field is left out, too, one time in 25.
    const presence = required.has(name) ? { numerator: 24, of: 25 } : { numerator: 1, of: 3 };
    return fc
      .tuple(fc.nat(presence.of - 1), valuesOf(property))
      .map(([die, value]): [string, unknown][] => (die < presence.numerator ? [[name, value]] : []));
  });
  const free =
    typeof schema.additionalProperties === 'object'
      ? fc.array(
          fc.tuple(
            fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: hostileText }),
            valuesOf(schema.additionalProperties as Schema),
          ),
          { minLength: 0, maxLength: 4 },
        )
      : unknownFields;
  return fc.tuple(fc.tuple(...fields), free).map(([known, more]) => {
    const object = Object.create(null) as Record<string, unknown>;
    for (const [name, value] of [...known.flat(), ...more]) object[name] = value;
    return object;
  });
}

const unknownFields: fc.Arbitrary<[string, unknown][]> = fc.oneof(
  { weight: 20, arbitrary: fc.constant<[string, unknown][]>([]) },
  { weight: 1, arbitrary: hostileText.map((name): [string, unknown][] => [[name, 1]]) },
);

function boundaryValues(schema: Schema): Arbitrary {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  const found: unknown[] = [];
  if (format === 'date')
    found.push(
      '1999-12-31',
      '2000-01-01',
      '2100-12-31',
      '2101-01-01',
      '2024-02-30',
      '2024-2-3',
      '0000-00-00',
      '+012024-01-01',
      '2024-01-01T00:00:00Z',
    );
  if (format === 'date-time')
    found.push(
      '2024-02-30T00:00:00Z',
      '2024-01-01T24:00:00Z',
      '0001-01-01T00:00:00+23:59',
      '9999-12-31T23:59:59.999999999-23:59',
      '2024-01-01',
    );
  if (format === 'uuid')
    found.push(
      '00000000-0000-0000-0000-000000000000',
      'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
      '{0198c0de-0000-7000-8000-000000000001}',
    );
  for (const bound of [numberOf(minimum), numberOf(maximum)]) {
    if (bound !== undefined) found.push(bound - 1, bound, bound + 1, bound + 0.5);
  }
  for (const length of [numberOf(minLength), numberOf(maxLength)]) {
    if (length !== undefined)
      found.push('x'.repeat(Math.max(0, length - 1)), 'x'.repeat(length), 'x'.repeat(length + 1), '😀'.repeat(length));
  }
  for (const length of [numberOf(minItems), numberOf(maxItems)]) {
    if (length !== undefined) found.push(Array(Math.max(0, length - 1)).fill('x'), Array(length + 1).fill('x'));
  }
  if (schema.type === 'string') found.push('', 'x'.repeat(1_024), 'x'.repeat(1_025), 'x'.repeat(20_000));
  return found.length === 0 ? garbage : fc.constantFrom(...found);
}
