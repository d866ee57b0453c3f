import { z } from 'zod';

/** Removes nulls of fields that may be left out (D11.3): clients of some languages send them all. */
export function leaveNullsOut(schema: z.ZodType, body: unknown): void {
  removeNulls(alternativesOf(schema), body);
}

/** `schemas`: those that a value may have, without what is around them. */
function removeNulls(schemas: readonly z.ZodType[], value: unknown): void {
  if (schemas.length === 0 || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const items = schemas.flatMap((one) => (one instanceof z.ZodArray ? alternativesOf(one.element as z.ZodType) : []));
    for (const item of value) removeNulls(items, item);
    return;
  }
  const shapes = schemas.flatMap((one) => (one instanceof z.ZodObject ? [one.shape] : []));
  for (const [name, held] of Object.entries(value)) {
    const fields = shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? [shape[name] as z.ZodType] : []));
    if (held !== null) removeNulls(fields.flatMap(alternativesOf), held);
    else if (fields.length > 0 && fields.every(meansNothingByNull)) Reflect.deleteProperty(value, name);
  }
}

/** The schemas of objects and lists that a value of this schema may have. */
const alternativesOf = remembered((schema: z.ZodType): readonly z.ZodType[] => {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodArray) return [schema];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => alternativesOf(one as z.ZodType));
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out].flatMap((one) => alternativesOf(one as z.ZodType));
  const { innerType } = schema.def as { readonly innerType?: z.ZodType };
  return innerType === undefined ? [] : alternativesOf(innerType);
});

const meansNothingByNull = remembered(
  (field: z.ZodType): boolean => field.safeParse(undefined).success && !field.safeParse(null).success,
);

function remembered<Result>(work: (schema: z.ZodType) => Result): (schema: z.ZodType) => Result {
  const known = new WeakMap<z.ZodType, { readonly result: Result }>();
  return (schema) => {
    const found = known.get(schema) ?? { result: work(schema) };
    known.set(schema, found);
    return found.result;
  };
}
